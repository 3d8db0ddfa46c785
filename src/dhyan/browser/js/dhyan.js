// Dhyan in a browser or in Node: a pack by its address or folder, ready to be used. See docs/guides/browser.md.
//
//     import { load } from "./dhyan.js";
//     const model = await load("packs/en-hi");
//     model.translate("How are you?");

import { DhyanError } from "./core/errors.js";
import { load as loadModel } from "./loading.js";
import { setRules } from "./rules.js";
import { fetchedFile } from "./stored-files.js";

export { DhyanError };

const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);
const isAddress = (place) => /^[a-z][a-z0-9+.-]+:/i.test(place) && !/^[a-z]:[\\/]/i.test(place); // C:\ is a folder

let rules = null; // once for all packs

/** A file beside this module. */
async function ownFile(name) {
  const address = new URL(name, import.meta.url);
  return address.protocol === "file:" ? nodeFile(address) : fetchedFile(address.href);
}

async function nodeFile(path) {
  const { readFile } = await import("node:fs/promises");
  try {
    return new Uint8Array(await readFile(path));
  } catch {
    throw new DhyanError(`there is no file ${path}.`, 404);
  }
}

/** place: the folder of a pack, as an address or, in Node, as a path → how to read a file of it. */
function reader(place, tell) {
  const folder = String(place).replace(/[\\/]+$/, "");
  if (inNode && !isAddress(folder)) return (file) => nodeFile(`${folder}/${file}`);
  if (inNode && folder.startsWith("file:")) return (file) => nodeFile(new URL(`${folder}/${file}`));
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  return (file) => fetchedFile(new URL(`${folder}/${file}`, base).href, (bytes) => tell({ file, bytes }));
}

/** Open a pack for use. onProgress: called with { file, bytes } while its files come. */
export async function load(place, { onProgress = () => {} } = {}) {
  rules ??= ownFile("rules.json").then((bytes) => setRules(JSON.parse(new TextDecoder().decode(bytes))));
  await rules.catch((problem) => {
    rules = null;
    throw problem;
  });
  const name = String(place).replace(/[\\/]+$/, "").split(/[\\/]/).at(-1);
  return new Model(name, await loadModel(name, reader(place, onProgress)));
}

/** What `load` gives. A pack does what it was trained for; for anything else it says so. */
export class Model {
  #model;

  constructor(name, model) {
    this.name = name;
    this.#model = model;
  }

  get task() {
    return this.#model.pack.manifest.task;
  }

  /** What the pack says of itself: pack.json. */
  get manifest() {
    return this.#model.pack.manifest;
  }

  /** A text, or many. */
  translate(texts, options = {}) {
    const found = this.translateInDetail(texts, options);
    return Array.isArray(texts) ? found.map((one) => one.text) : found.text;
  }

  /** The same with notes, a confidence for each sentence, and alternatives. */
  translateInDetail(texts, { alternatives = 0, formality = null, gender = null, style = null } = {}) {
    this.#for("translate");
    const register = formality || gender;
    const translator = register ? this.#model.withRegister(formality ?? "auto", gender) : this.#model;
    const found = translator.translate(listOf(texts), alternatives, { style });
    return Array.isArray(texts) ? found : found[0];
  }

  /** A vector of length 1 for each text: near when they mean the same. */
  embed(texts) {
    this.#for("embed");
    const { shape, data } = this.#model.embed(listOf(texts));
    const rows = Array.from({ length: shape[0] }, (_, row) => data.slice(row * shape[1], (row + 1) * shape[1]));
    return Array.isArray(texts) ? rows : rows[0];
  }

  /** { label, probabilities } for each text; of a pack that says several labels `labels`, of one of numbers `value`. */
  classify(texts) {
    this.#for("classify");
    const found = this.#model.classify(listOf(texts));
    return Array.isArray(texts) ? found : found[0];
  }

  /** How the text goes on. settings: maxLength, temperature, topK, topP, seed, sample. */
  write(prompt, settings = {}) {
    this.#for("write");
    return this.#model.write(listOf(prompt)[0], settings);
  }

  /** Every number of the model at work on one sentence, by address: explanation.get("enc.0.self.h0.weights"). */
  explain(text, options = {}) {
    return this.#model.explainer.explain(listOf(text)[0], options);
  }

  #for(task) {
    if (this.task !== task)
      throw new DhyanError(`${this.name} is a pack for \`${this.task}\`, not for \`${task}\`; load another.`);
  }
}

function listOf(texts) {
  const several = Array.isArray(texts) ? texts : [texts];
  for (const one of several)
    if (typeof one !== "string") throw new DhyanError(`give a text (a string) or an array of texts, not ${typeof one}.`);
  return several;
}
