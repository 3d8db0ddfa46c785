// A tab without a browser, for browser_speed.py: a line of JSON in, one out. Asked as a page asks (method, path, body), or
// for the engine alone (ids, settings, repeated).
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [site, version] = process.argv.slice(2);
const module = (path) => import(pathToFileURL(`${site}/${version}/js/${path}`));
const content = (path) => JSON.parse(readFileSync(`${site}/${version}/${path}`, "utf8"));

(await module("rules.js")).setRules(content("js/rules.json"));
const { router } = await module("api/all-routes.js");
const { ServedPacks } = await module("api/served-packs.js");
const { GenerationSettings } = await module("generation/settings.js");
const models = new ServedPacks(content("site.json"), { read: (path) => readFile(`${site}/${path}`) });

async function search({ model, ids, settings, repeated }) {
  const { engine } = await models.get(model);
  const wanted = new GenerationSettings(settings);
  const before = process.cpuUsage();
  let found;
  for (let time = 0; time < repeated; time += 1) [[found]] = engine.translate([ids], wanted);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6 / repeated, ids: found.ids };
}

async function answered({ method, path, body }) {
  const { status, body: said } = await router.answer(models, { method, path, body });
  return { status, said: JSON.parse(said) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify(await (asked.ids ? search(asked) : answered(asked))));
}
