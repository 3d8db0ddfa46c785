// A classifier's answer in numbers: its probabilities, and what is measured when something changes.

import { joinedLabels, logSigmoid, numberAsText, threshold } from "../core/label-kind.js";
import { Tensor, argmax, map } from "./arrays.js";
import { logSoftmax, sigmoid, softmax } from "./formulas.js";

const NUMBER = "cls.number", PROBS = "cls.probs";

/** @typedef {import("../core/label-kind.js").LabelKind} LabelKind */

/** Where the answer stands. A number has no probability.
 * @param {LabelKind} kind */
export const answerAddress = (kind) => (kind === "number" ? NUMBER : PROBS);

/** (…, labels) → (…, labels): probabilities, or the number.
 * @param {LabelKind} kind */
export function labelAnswer(kind, logits) {
  if (kind === "number") return logits;
  return kind === "several" ? sigmoid(logits) : softmax(logits);
}

/** (…, labels): what a change is measured in: log-probabilities, or the number.
 * @param {LabelKind} kind */
export function labelScores(kind, logits) {
  if (kind === "number") return logits;
  return kind === "several" ? map(logits, logSigmoid) : logSoftmax(logits);
}

/** @param {LabelKind} kind */
export const measureOf = (kind) => (kind === "number" ? "number" : "log-probability");

/** The answer as a text. found: [label, probability] of each, or the number.
 * @param {LabelKind} kind
 * @param {[string, number][]} found */
export function saidOf(kind, found) {
  if (kind === "number") return numberAsText(found[0][1]);
  const ordered = found.toSorted((one, other) => other[1] - one[1]);
  if (kind !== "several") return ordered[0][0];
  return joinedLabels(ordered.filter(([, probability]) => probability >= threshold()).map(([label]) => label));
}

/** (…): how much changed logits still say what was said; of a number, how near they are to it.
 *
 * own: (labels,). changed: (…, labels).
 * @param {LabelKind} kind */
export function answerLikelihood(kind, own, changed) {
  const labels = changed.shape.at(-1), rows = changed.size / labels;
  const scores = kind === "one" ? logSoftmax(changed).data : changed.data;
  const said = argmax(own.data);
  const ofRow = (first) => {
    if (kind === "number") return -Math.abs(scores[first] - own.data[0]);
    if (kind === "one") return scores[first + said];
    // Each label as it was, said or not.
    return own.data.reduce((sum, one, at) => sum + logSigmoid(one > 0 ? scores[first + at] : -scores[first + at]), 0);
  };
  const data = Float32Array.from({ length: rows }, (_, row) => ofRow(row * labels));
  return new Tensor(data, changed.shape.slice(0, -1));
}
