// What a classifier says of a text: a label, several labels, or a number.

import { joinedLabels, labelProbabilities, numberAsText, threshold } from "../core/label-kind.js";

/** A text's most probable label, and the probability of each label, the most probable first.
 *
 * Of a classifier of several labels, `labels` are those that hold, the most probable first; their probabilities do
 * not sum to 1, and `label` is the first of them, or empty. Of numbers there is only `value`. */
export class Labelled {
  /**
   * @param {string} label
   * @param {Record<string, number>} probabilities
   * @param {string[]} labels
   * @param {number | null} value
   */
  constructor(label, probabilities, labels = [], value = null) {
    this.label = label;
    this.probabilities = probabilities;
    this.labels = labels;
    this.value = value;
  }

  /** The answer as a text for a person. */
  get said() {
    return this.value !== null ? this.label : joinedLabels(this.labels);
  }
}

/** One label. probabilities: (labels,) */
export function labelled(labels, probabilities) {
  const found = byProbability(labels, probabilities);
  const [best] = found[0];
  return new Labelled(best, Object.fromEntries(found), [best]);
}

/** probabilities: (labels,), each by itself. */
export function withSeveralLabels(labels, probabilities) {
  const found = byProbability(labels, probabilities);
  const hold = found.filter(([, probability]) => probability >= threshold()).map(([label]) => label);
  return new Labelled(hold[0] ?? "", Object.fromEntries(found), hold);
}

export const withNumber = (value) => new Labelled(numberAsText(value), {}, [], value);

/** One per text. logits: of each (labels,)
 * @param {import("../core/label-kind.js").LabelKind} kind */
export function answers(kind, labels, logits) {
  if (kind === "number") return logits.map(([value]) => withNumber(value));
  const answer = kind === "several" ? withSeveralLabels : labelled;
  return logits.map((row) => answer(labels, labelProbabilities(row, kind)));
}

function byProbability(labels, probabilities) {
  const order = [...labels.keys()].sort((one, other) => probabilities[other] - probabilities[one] || one - other);
  return order.map((number) => [labels[number], probabilities[number]]);
}
