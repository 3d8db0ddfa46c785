// Before and after: what heads off, forced tokens, hidden words and numbers set by hand have changed.

import { split } from "../../core/python-text.js";
import { SequenceMatcher } from "../../core/sequence-matcher.js";
import { cosine } from "../formulas.js";
import { labelLogits } from "../known-words.js";
import { labelScores, measureOf } from "../label-scores.js";
import { loggedProbabilities, writtenLogProbabilities } from "./occlusion.js";

/** words: the two texts as one, word by word: same, gone (only before) or new (only after).
 *
 * logProbability: how much likelier, token by token, the changed model finds what was written before (an encoder:
 * its labels; an embedder: none); `total` is their sum. */
export class Change {
  /** @param {{ before: string, after: string, words: ["same" | "gone" | "new", string][], labels: string[],
   *   logProbability: Float32Array, score?: number, cosine?: number | null, measure?: string }} found */
  constructor(found) {
    const { before, after, words, labels, logProbability } = found;
    const { score = 0, cosine = null, measure = "log-probability" } = found;
    this.before = before;
    this.after = after;
    this.words = words;
    this.labels = labels; // of the entries of logProbability: pieces written before, or a classifier's labels
    this.logProbability = logProbability;
    this.score = score; // log-probability of what is written now, less that of what was written before
    this.cosine = cosine; // an encoder's: of the sentence's vectors before and after
    this.measure = measure; // or number, of a classifier that says one: then `logProbability` is its change
  }

  get total() {
    return this.logProbability.reduce((sum, one) => sum + one, 0);
  }
}

export function compare(before, after) {
  const [first, second] = [before.text, after.text];
  const found = { before: first, after: second, words: differing(split(first), split(second)) };
  if (before.architecture.hasDecoder) {
    const unchanged = loggedProbabilities(before);
    const changed = writtenLogProbabilities(before, after.model); // the changed model, made to write the same
    const logProbability = changed.data.map((value, at) => value - unchanged[at]);
    return new Change({ ...found, labels: before.written.texts, logProbability, score: after.score - before.score });
  }
  let logProbability = new Float32Array(0);
  if (before.architecture.labels) {
    const [one, other] = [before, after].map((each) => labelScores(before.labelKind, labelLogits(each)).data);
    logProbability = other.map((value, at) => value - one[at]);
  }
  const alike = cosine(before.array("pool"), after.array("pool"));
  const [labels, measure] = [[...before.pack.manifest.labels], measureOf(before.labelKind)];
  return new Change({ ...found, labels, logProbability, cosine: alike, measure });
}

/** @returns {["same" | "gone" | "new", string][]} */
export function differing(before, after) {
  return new SequenceMatcher(before, after).getOpcodes().flatMap(([what, a, b, c, d]) => {
    if (what === "equal") return before.slice(a, b).map((word) => ["same", word]);
    const gone = before.slice(a, b).map((word) => ["gone", word]);
    return [...gone, ...after.slice(c, d).map((word) => ["new", word])];
  });
}
