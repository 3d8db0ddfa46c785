// What the axes of an array stand for: so that a table, a figure and the page label it alike.

import { DhyanError } from "../core/errors.js";
import { Address } from "./address.js";
import { alignment } from "./analyses/head-alignment.js";
import { occlude } from "./analyses/occlusion.js";
import { bounds } from "./arrays.js";
import { axisNames, axisNamesOfWeights } from "./layout.js";
import { mergeColumns, mergeRows } from "./token-view.js";
import { openedWeights } from "./weights.js";

/**
 * name: source, target, predicting, head, layer, d_model, d_head, d_ff, vocabulary, label, word (that the words head
 * knows of the text), known_word (that it knows at all) or size.
 *
 * labels: one per index, null where they are only counted. words: how the indices merge into words, for word mode.
 * `predicting` is the decoder's rows: row t is computed while predicting the token that is its label.
 */
export class Axis {
  constructor(name, labels = null, words = null) {
    this.name = name;
    this.labels = labels;
    this.words = words;
  }

  get wordLabels() {
    return this.words === null ? null : this.words.map((word) => word.text);
  }
}

/** What each axis of `explanation.get(address)` stands for, with a label for each index where there is one. */
export function axesOf(explanation, address) {
  const { name, head, index } = Address.parse(address);
  const all = axesOfArray(explanation, name, explanation.array(name).shape.length);
  const axes = head === null ? all : all.filter((axis) => axis.name !== "head"); // its axis is gone
  return axes.flatMap((axis, number) => {
    const cut = index[number];
    if (typeof cut === "number") return [];
    if (cut === undefined || (cut.start === null && cut.stop === null)) return [axis];
    return [new Axis(axis.name, axis.labels && axis.labels.slice(...bounds(cut, axis.labels.length)))];
  });
}

/**
 * Word mode: the pieces of each word merged. What goes *to* pieces adds up, what comes *from* them is averaged, so rows
 * of attention still sum to 1. Row and column names are the words of `axesOf(explanation, address)`.
 */
export function byWords(explanation, address) {
  const array = explanation.get(address), axes = axesOf(explanation, address);
  const words = axes.at(-1)?.words ?? null, above = axes.at(-2)?.words ?? null;
  if (words === null) {
    throw new DhyanError(`'${address}' has no tokens side by side to merge into words; try one of its weights.`);
  }
  const merged = mergeColumns(array, words);
  return above === null ? merged : mergeRows(merged, above);
}

function axesOfArray(explanation, name, dimensions) {
  if (name === "occlusion" || name === "alignment") {
    const given = explanation.source.words.filter((word) => !word.special).map((word) => word.text);
    const written = explanation.once(name === "occlusion" ? occlude : alignment).target;
    return [new Axis("target", written), new Axis("source", given)]; // of words, not of pieces
  }
  const isLearnt = openedWeights(explanation.pack.learnt).has(name);
  const names = isLearnt ? axisNamesOfWeights(name, dimensions) : axisNames(name);
  return names.map((axis) => axisOf(explanation, name, axis));
}

function axisOf(explanation, array, name) {
  const a = explanation.architecture;
  const { source, target, predicted: predicting } = explanation;
  const tokens = { source, target, predicting }[name];
  if (tokens) return new Axis(name, tokens.texts, tokens.words);
  if (name === "head") return new Axis(name, Array.from({ length: a.heads }, (_, number) => `h${number}`));
  if (name === "label") return new Axis(name, explanation.pack.manifest.labels);
  if (name === "word") return new Axis(name, explanation.model.words?.words ?? null);
  if (name === "known_word") return new Axis(name, explanation.pack.wordsHead?.words ?? null);
  if (name !== "layer") return new Axis(name);
  const [stack, layers] = array.startsWith("enc") ? ["enc", a.encoderLayers] : ["dec", a.decoderLayers];
  return new Axis(name, ["before", ...Array.from({ length: layers }, (_, number) => `${stack}.${number}`)]);
}
