// The experiments of `dhyan lab`, as they came out where the site was built: a tab cannot run them.

import { json } from "./answers.js";
import { HttpError } from "./http-errors.js";

let kept = null; // labs.json, when it comes: { list, live: name → [{ knobs, result }], kept: name → id → result }

const labs = ({ assets }) => (kept ??= assets("labs.json"));
const found = (results, name) => {
  if (!results[name]) throw new HttpError(404, `there is no experiment called ${name}.`);
  return results[name];
};

export const routes = {
  "GET labs": async (models) => json((await labs(models)).list),
  "GET labs/measuring": () => json(null),
  "GET labs/:name/kept/:id": async (models, { parts }) => {
    const results = found((await labs(models)).kept, parts.name);
    if (!results[parts.id]) throw new HttpError(404, `no such result of ${parts.name} is kept.`);
    return json(results[parts.id]);
  },
  "POST labs/:name/live": async (models, { parts, body }) => {
    const several = found((await labs(models)).live, parts.name);
    const asked = JSON.stringify(body?.knobs ?? {});
    return json((several.find(({ knobs }) => JSON.stringify(knobs) === asked) ?? several[0]).result);
  },
  "POST labs/:name/measure": (_, { parts }) => {
    throw new HttpError(501, `a tab cannot run experiments: \`pip install dhyan\`, then \`dhyan lab ${parts.name}\`.`);
  },
};
