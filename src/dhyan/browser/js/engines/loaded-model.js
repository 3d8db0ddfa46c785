// A pack and the engine that runs it: how it is explained, whatever its task.

import { DhyanError } from "../core/errors.js";
import { Explainer } from "../explain/explainer.js";

/** What `load` gives for every task; `Translator`, `Embedder`, `Classifier` and `Writer` add their own. */
export class LoadedModel {
  #explainer = null;

  constructor(pack, engine) {
    this.pack = pack;
    this.engine = engine;
  }

  /** Made when it is first asked for. */
  get explainer() {
    this.#explainer ??= new Explainer(this.pack);
    return this.#explainer;
  }

  /** Every number of the model at work on one sentence, by address; the options are those of the explainer. */
  explain(text, options = {}) {
    return this.explainer.explain(checkText(text), options);
  }
}

export function checkText(text) {
  if (typeof text === "string") return text;
  throw new DhyanError(`a text must be a string, not ${kindOf(text)}.`);
}

/** One text or many, as an array; anything else is refused. */
export function checkTexts(texts) {
  if (typeof texts === "string") return [texts];
  if (ArrayBuffer.isView(texts) || typeof texts?.[Symbol.iterator] !== "function") {
    throw new DhyanError(`give a text (string) or a list of texts, not ${kindOf(texts)}.`);
  }
  return Array.from(texts, checkText);
}

function kindOf(value) {
  if (ArrayBuffer.isView(value)) return "bytes; decode them first, such as new TextDecoder().decode(data)";
  return value === null || value === undefined ? String(value) : typeof value;
}
