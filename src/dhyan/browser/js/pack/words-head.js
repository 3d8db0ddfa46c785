// The words head of a classifier: logits from which words a text has, added to those of the Transformer.

import { DhyanError } from "../core/errors.js";
import { runsOf, wordsOf } from "../text/words.js";
import { Weights } from "./weights-file.js";

export const WORDS = "words.json";
export const NUMBERS = "words.safetensors";
export const IDF = "cls.words.idf", W = "cls.words.W", B = "cls.words.b"; // addresses of what was learnt

/** logit = Σ over words of tf-idf · weight, plus a bias; the tf-idf of a text has length 1. */
export class WordsHead {
  #idf;
  #matrix;
  #bias;

  /**
   * @param {number} longest words in a row that count as one
   * @param {string[]} words that it knows
   * @param {Weights} weights
   */
  constructor(longest, words, weights) {
    this.longest = longest;
    this.words = words;
    this.row = new Map(words.map((word, row) => [word, row]));
    this.weights = weights;
    [this.#idf, this.#matrix, this.#bias] = [IDF, W, B].map((name) => weights.float32(name));
  }

  /** Of one text: (labels,). */
  logits(text) {
    const counts = new Map();
    for (const word of runsOf(wordsOf(text), this.longest)) {
      if (this.row.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const rows = [...counts.keys()].map((word) => this.row.get(word));
    const weighted = [...counts.values()].map((count, at) => (1 + Math.log(count)) * this.#idf[rows[at]]);
    const length = Math.hypot(...weighted) || 1;
    const labels = this.#bias.length;
    return Float32Array.from(this.#bias, (bias, label) =>
      rows.reduce((sum, row, at) => sum + (weighted[at] / length) * this.#matrix[row * labels + label], bias),
    );
  }
}

/** Read and checked against what the description says. words, labels: how many it knows of each. */
export function readWordsHead(name, described, numbers, words, labels) {
  const broken = (what) => new DhyanError(`${name} is broken (1 problem): ${what}.`);
  let found;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(described));
  } catch {
    found = null;
  }
  const isList = Array.isArray(found?.words) && found.words.every((word) => typeof word === "string");
  if (!isList || !Number.isInteger(found.longest)) throw broken(`${WORDS} has no list of words`);
  if (found.words.length !== words) {
    throw broken(`${WORDS} has ${found.words.length} words where the description says ${words}`);
  }
  const weights = new Weights(numbers, `${name}/${NUMBERS}`);
  const shapes = { [IDF]: [words], [W]: [words, labels], [B]: [labels] };
  if (!Object.entries(shapes).every(([one, shape]) => weights.has(one) && weights.shape(one).join() === shape.join())) {
    throw broken(`${NUMBERS} does not hold numbers for ${words} words and ${labels} labels`);
  }
  return new WordsHead(found.longest, found.words, weights);
}

/** Two files of weights as one: each name is read where it is. */
export class JoinedWeights {
  constructor(...files) {
    this.files = files;
  }

  get names() {
    return this.files.flatMap((file) => file.names).sort();
  }

  has(name) {
    return this.files.some((file) => file.has(name));
  }

  shape(name) {
    return this.#of(name).shape(name);
  }

  dtype(name) {
    return this.#of(name).dtype(name);
  }

  float32(name) {
    return this.#of(name).float32(name);
  }

  int8(name) {
    return this.#of(name).int8(name);
  }

  scale(name) {
    return this.#of(name).scale(name);
  }

  #of(name) {
    return this.files.find((file) => file.has(name)) ?? this.files[0];
  }
}
