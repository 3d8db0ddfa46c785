// Calls functions of the browser's modules for a test: {rules, module, function, calls} on standard input, JSON results out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { root, rules, module, name, calls } = JSON.parse(readFileSync(0, "utf8"));
if (rules) (await import(pathToFileURL(`${root}/rules.js`))).setRules(rules);
const imported = await import(pathToFileURL(`${root}/${module}`));
const path = name.split(".");
const owner = path.slice(0, -1).reduce((value, part) => value[part], imported);

const plain = (_, value) => {
  if (value instanceof Map || value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
};
const results = [];
for (const args of calls) {
  const result = await owner[path.at(-1)](...args);
  results.push(typeof result?.next === "function" ? [...result] : (result ?? null));
}
process.stdout.write(JSON.stringify(results, plain));
