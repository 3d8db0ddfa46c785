// A trace as the page knows it: what was asked, what came out, and the way to every number of it.

import { bytes, get, numbers } from "./api.js";
import { inFull } from "./architecture.js";

/** The part of the state that the server needs to find the trace again. */
export function questionOf(state, model) {
  const { text, beam, off, force, hide, set, max_length } = state;
  const asked = { text, model: model.name, off, hide, set };
  return model.shape === "encoder" ? asked : { ...asked, beam, force, max_length };
}

export class Trace {
  constructor(model, question, info) {
    this.model = model;
    this.question = question;
    this.info = info;
    this.architecture = inFull(model.architecture);
    this.steps = info.steps;
    this.firstRow = info.first_row ?? 0;
  }

  static async open(model, question) {
    return new this(model, question, await get("explain", question));
  }

  /** Changes of what is asked (off, force, hide, set), as the URL has them. */
  asking(changes) {
    return changes;
  }

  /** What the URL becomes to see what a number is made of.
   * @returns {Record<string, string>} */
  opening(address) {
    return { view: this.hasCross ? "bench" : "follow", at: address, zoom: "number" };
  }

  /** One of its steps, as the URL has it. */
  atStep(step) {
    return { step: String(step) };
  }

  numbers(address, words = false) {
    return numbers(address, this.question, words);
  }

  async one(address) {
    return (await this.numbers(address)).data[0];
  }

  ask(path, more = {}) {
    return get(path, { ...this.question, ...more });
  }

  get parts() {
    return this.info.attention.map((one) => one.part);
  }

  /** The heads that link the two texts, by name. */
  get crossHeads() {
    return this.info.attention
      .filter(({ part }) => part.endsWith(".cross"))
      .flatMap(({ part, shape }) => Array.from({ length: shape[0] }, (_, head) => `${part}.h${head}`));
  }

  /** Where the given text begins in the stack that reads it: behind a decoder's start token, if it reads one. */
  get firstSourceRow() {
    return !this.hasEncoder && this.architecture.special.starts_text ? 1 : 0;
  }

  get hasEncoder() {
    return this.model.shape !== "decoder";
  }

  get hasDecoder() {
    return this.model.shape !== "encoder";
  }

  get hasCross() {
    return this.model.shape === "encoder-decoder";
  }

  /** All heads' weights for a first look: part → { shape, shades }, a byte a weight. */
  async attention() {
    const all = await bytes("attention", this.question);
    const found = new Map();
    let begin = 0;
    for (const { part, shape } of this.info.attention) {
      const size = shape.reduce((product, one) => product * one, 1);
      found.set(part, { shape, shades: all.subarray(begin, begin + size) });
      begin += size;
    }
    return found;
  }

  /** The tokens along an axis, or null where positions are only counted. */
  tokens(axis) {
    return { source: this.info.source, target: this.info.target, predicting: this.info.predicted }[axis] ?? null;
  }

  /** size: of the axis, where it may be that of keys and values that several heads share. */
  labels(axis, words = false, size = null) {
    if (axis === "label") return this.model.labels;
    if (axis === "word") return this.info.words_head?.words ?? null;
    if (axis === "head") return this.headLabels(size);
    const tokens = this.tokens(axis);
    if (!tokens) return null;
    const arrow = axis === "predicting" ? "→ " : "";
    return (words ? tokens.words : tokens.tokens).map((one) => arrow + one.text);
  }

  headLabels(size) {
    const { heads, key_value_heads: shared } = this.architecture;
    if (!shared || size !== shared || shared === heads)
      return Array.from({ length: heads }, (_, head) => `h${head}`);
    const by = heads / shared;
    return Array.from({ length: shared }, (_, number) => `h${number * by}–h${number * by + by - 1}`);
  }

  /** Whether a position of the given text belongs to a word that is hidden. */
  isHidden(position) {
    const words = this.info.source.words.filter((word) => !word.special);
    const at = position - this.firstSourceRow;
    return this.info.hide.some((number) => at >= words[number].start && at < words[number].end);
  }

  /** Which axes the rows and keys of an attention have. */
  sides(part) {
    const rows = part.startsWith("enc") ? "source" : "predicting";
    return [rows, part.startsWith("enc") || part.endsWith("cross") ? "source" : "target"];
  }
}

/** Word mode for a small matrix of bytes: to pieces adds up, from pieces is averaged. */
export function mergedByWords(shades, columns, rowWords, columnWords) {
  const found = new Float32Array(rowWords.length * columnWords.length);
  rowWords.forEach((row, i) =>
    columnWords.forEach((column, j) => {
      let sum = 0;
      for (let r = row.start; r < row.end; r += 1)
        for (let c = column.start; c < column.end; c += 1) sum += shades[r * columns + c];
      found[i * columnWords.length + j] = sum / (row.end - row.start);
    }),
  );
  return found;
}
