// Texts to labels: the head of a pack that was trained to classify.

import { LoadedModel, checkTexts } from "../engines/loaded-model.js";
import { textVectors } from "./embedder.js";

/** A text's most probable label, and the probability of each label, the most probable first.
 * @typedef {{ label: string, probabilities: Record<string, number> }} Labelled */

/** @returns {Labelled} probabilities: one for each label */
export function labelled(labels, probabilities) {
  const order = [...labels.keys()].sort((one, other) => probabilities[other] - probabilities[one] || one - other);
  return {
    label: labels[order[0]],
    probabilities: Object.fromEntries(order.map((number) => [labels[number], probabilities[number]])),
  };
}

/** Texts → labels with probabilities. */
export class Classifier extends LoadedModel {
  static task = "classify";
  static shipped = "sentiment";

  get labels() {
    return this.pack.manifest.labels;
  }

  /** For each text its label and the probabilities of all. */
  classify(texts) {
    const given = checkTexts(texts);
    if (!given.length) return [];
    const { data, shape } = textVectors(this.pack, this.engine, given);
    const vectors = given.map((_, row) => data.subarray(row * shape[1], (row + 1) * shape[1]));
    const words = this.pack.wordsHead;
    return this.engine.classify(vectors).map((logits, row) => {
      const added = words?.logits(given[row]);
      return labelled(this.labels, softmax(added ? logits.map((one, at) => one + added[at]) : logits));
    });
  }
}

function softmax(logits) {
  const most = Math.max(...logits);
  const powers = Array.from(logits, (one) => Math.exp(one - most));
  const sum = powers.reduce((total, one) => total + one, 0);
  return Float32Array.from(powers, (one) => one / sum);
}
