// Asks the routes of a tab for a test: {root, rules, packs, asked} on standard input, what each answers out as JSON.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const { root, rules, packs, asked } = JSON.parse(readFileSync(0, "utf8"));
const module = (path) => import(pathToFileURL(`${root}/${path}`));
(await module("rules.js")).setRules(rules);
const { Pack } = await module("pack/pack.js");
const { Explainer } = await module("explain/explainer.js");
const { HttpError } = await module("api/http-errors.js");
const { Router } = await module("api/router.js");
const named = ["explain", "what-if", "space"].map(async (one) => (await module(`api/routes-${one}.js`)).routes);
const router = new Router(...(await Promise.all(named)));

const opened = new Map();
const models = {
  async get(name) {
    const wanted = name || Object.keys(packs)[0];
    if (!packs[wanted]) throw new HttpError(404, `no pack '${wanted}' is served here.`);
    if (!opened.has(wanted)) {
      const pack = await Pack.open(wanted, (file) => readFile(`${packs[wanted]}/${file}`));
      opened.set(wanted, { name: wanted, pack, explainer: new Explainer(pack) });
    }
    return opened.get(wanted);
  },
};

const answers = [];
for (const path of asked) {
  const began = performance.now();
  const { status, headers, body } = await router.answer(models, { path });
  const isBytes = body instanceof ArrayBuffer;
  const said = isBytes ? Buffer.from(body).toString("base64") : body;
  answers.push({ status, headers, isBytes, body: said, seconds: (performance.now() - began) / 1000 });
}
process.stdout.write(JSON.stringify(answers));
