// How arrays lie: which axes an array has, by its name alone.

import { PER_HEAD, PER_HEAD_WEIGHTS, lastPart } from "./trace.js";

export const LOOKING = new Set(["scores", "scaled", "masked", "weights"]); // (head, queries, keys)
const KEYS = new Set(["key", "value", "turned_key"]); // their rows are what is looked at

// The last axis of arrays that have one row per token and no heads.
const FEATURES = {
  widened: "d_ff",
  hidden: "d_ff",
  gate: "d_ff",
  logits: "vocabulary",
  probs: "vocabulary",
  logprobs: "vocabulary",
};
const OF_WEIGHTS = {
  E: ["vocabulary", "d_model"],
  P: ["position", "d_model"],
  W_O: ["d_model", "head", "d_head"],
  W_1: ["d_ff", "d_model"],
  W_G: ["d_ff", "d_model"],
  W_2: ["d_model", "d_ff"],
  b_1: ["d_ff"],
  b_G: ["d_ff"],
  "words.W": ["known_word", "label"],
  "words.idf": ["known_word"],
  "words.b": ["label"],
};

/** Of an array that a run computes: source, target, predicting, head, layer, d_model, d_head, d_ff, … */
export function axisNames(name) {
  const stack = name.split(".")[0], last = lastPart(name);
  const rows = stack === "enc" ? "source" : "predicting";
  const keys = stack === "enc" || name.includes(".cross.") ? "source" : "target";
  if (name === "occlusion" || name === "alignment") return ["target", "source"];
  if (name.endsWith("lens.probs")) return stack === "enc" ? ["layer", "label"] : ["layer", "predicting", "vocabulary"];
  if (name.startsWith("cls.words.")) return last === "parts" ? ["word", "label"] : ["word"];
  if (stack === "cls") return ["label"];
  if (stack === "mlm") return ["source", "vocabulary"];
  if (name === "pool") return ["d_model"];
  if (LOOKING.has(last)) return ["head", rows, keys];
  if (PER_HEAD.has(last)) return ["head", KEYS.has(last) ? keys : rows, last === "share" ? "d_model" : "d_head"];
  return [rows, FEATURES[last] ?? "d_model"];
}

/** Of an array that was learnt. */
export function axisNamesOfWeights(name, dimensions) {
  const last = lastPart(name);
  if (PER_HEAD_WEIGHTS.has(last)) return ["head", "d_head", "d_model"].slice(0, dimensions);
  const known = OF_WEIGHTS[last] ?? OF_WEIGHTS[name.split(".").slice(-2).join(".")];
  return known ?? (dimensions === 1 ? ["d_model"] : Array(dimensions).fill("size"));
}
