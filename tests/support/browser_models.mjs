// Models of the browser in Node: what a test or a benchmark asks of a pack, by the folder that it lies in.
import { readFile } from "node:fs/promises";
import { load } from "../../src/dhyan/browser/js/loading.js";

const models = new Map(); // folder → its model

async function model(folder) {
  if (!models.has(folder)) models.set(folder, load(folder, (file) => readFile(`${folder}/${file}`)));
  return models.get(folder);
}

export async function translate(folder, texts, { alternatives = 0, style = null, formality = "auto" } = {}) {
  return (await model(folder)).withRegister(formality).translate(texts, alternatives, { style });
}

export async function continuations(folder, sentence, prefix, count) {
  return (await model(folder)).continuations(sentence, prefix, count);
}

export async function vectors(folder, texts) {
  return (await model(folder)).embed(texts);
}

export async function labels(folder, texts) {
  return (await model(folder)).classify(texts);
}

/** The log-probabilities that a writer gives to the tokens of texts. */
export async function logProbabilities(folder, rows) {
  return (await model(folder)).engine.logProbabilities(null, rows, { withEnd: false });
}
