// Opens packs up in the browser's modules, for a test: a job (a file) in, a summary and a file of float32 numbers out.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const load = (module) => import(pathToFileURL(`${job.root}/${module}`));
(await load("rules.js")).setRules(job.rules);
const { Pack } = await load("pack/pack.js");
const { Explainer } = await load("explain/explainer.js");
const { axesOf, byWords } = await load("explain/axes.js");
const { writtenEdits } = await load("explain/read-edits.js");
const { wordAsked } = await load("explain/token-view.js");
const { Where, stages } = await load("explain/views/stages.js");
const { asCsv, asJson } = await load("explain/views/export.js");
const { DhyanError } = await load("core/errors.js");
if (job.fast) await (await load("explain/fast-products.js")).useFastProducts();

const numbers = openSync(job.numbers, "w");
let written = 0;
const kept = (array) => {
  const found = { shape: array.shape, at: written };
  writeSync(numbers, Buffer.from(array.data.slice().buffer));
  written += array.data.length;
  return found;
};

function answer(explainer, { text, options, written: asked, patches, from, hide, look }) {
  const given = { ...options };
  if (hide) given.hide = hide.map(wordAsked);
  if (asked || patches) {
    given.set = writtenEdits(asked ?? [], patches ?? [], (address, of) => explainer.explain(of ?? from).get(address));
  }
  const explanation = explainer.explain(text, given);
  const looked = (look?.addresses ?? []).map((address) => attempt(() => kept(explanation.get(address))));
  return {
    summary: explanation.asDict(),
    search: explanation.search,
    addresses: explanation.addresses(true),
    arrays: look?.all ? explanation.trace.names().map((name) => [name, kept(explanation.array(name))]) : [],
    axes: look?.all ? explanation.trace.names().map((name) => [name, axesOf(explanation, name)]) : [],
    looked,
    has: (look?.addresses ?? []).map((address) => explanation.has(address)),
    words: (look?.words ?? []).map((address) => attempt(() => kept(byWords(explanation, address)))),
    json: (look?.json ?? []).map((address) => attempt(() => asJson(explanation, address, look.byWords))),
    csv: (look?.csv ?? []).map((address) => attempt(() => asCsv(explanation, address, look.byWords))),
    walk: look?.walk ? attempt(() => [...stages(explanation, new Where(...look.walk))]) : null,
    change: look?.change ? explanation.change : null,
  };
}

function attempt(ask) {
  try {
    return ask();
  } catch (error) {
    if (error instanceof DhyanError) return { error: error.message };
    throw error;
  }
}

const answers = [];
for (const { folder, questions } of job.packs) {
  const pack = await Pack.open(basename(folder), (file) => readFile(`${folder}/${file}`));
  const explainer = new Explainer(pack);
  answers.push(questions.map((question) => attempt(() => answer(explainer, question))));
}
closeSync(numbers);
const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
writeFileSync(job.answers, JSON.stringify(answers, plain));
