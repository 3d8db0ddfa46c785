// What a classifier says of a text: one of its labels, several of them, or a number.

import { rule } from "../rules.js";
import { general } from "./format-number.js";

/** @typedef {"one" | "several" | "number"} LabelKind */

/** A label of several is said from this probability on. */
export const threshold = () => rule("core.label_kind", "THRESHOLD");

/** Of one text, (labels,) → (labels,): softmax, where one label takes what another loses; sigmoid, where each stands
 * alone.
 *
 * The logit of a number is the number itself, and has none.
 * @param {LabelKind} kind */
export function labelProbabilities(logits, kind) {
  if (kind === "number") throw new Error("a number has no probability");
  if (kind === "several") return Float32Array.from(logits, (one) => Math.exp(logSigmoid(one)));
  const most = Math.max(...logits);
  const powers = Array.from(logits, (one) => Math.exp(one - most));
  const sum = powers.reduce((total, one) => total + one, 0);
  return Float32Array.from(powers, (one) => one / sum);
}

/** log(1 / (1 + exp(−x))), which overflows nowhere. */
export const logSigmoid = (x) => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));

/** Several labels as one text for a person; a dash where none holds. */
export const joinedLabels = (labels) => labels.join(", ") || "–";

export const numberAsText = (value) => general(value);
