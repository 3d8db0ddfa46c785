// What a head does, in a few numbers, by which heads can be sorted.

import { agreement } from "./head-alignment.js";
import { likelihood } from "./occlusion.js";

/** itself, previous, next: mean weight on the token itself, the one before, the one after (self-attention only).
 *
 * broad: 0 where every query looks at one key alone, 1 where it looks at all alike (entropy over its maximum).
 * aligns: agreement with occlusion (cross-attention only). matters: what switching the head off does to the written
 * text's log-probability (a classifier: its label's; an embedder: cosine less 1); negative where the head is needed.
 *
 * @typedef {{ itself: number | null, previous: number | null, next: number | null, broad: number,
 *   aligns: number | null, matters: number }} HeadStats */

/** Of every head, or of those of one kind or part; the model is run once more for each part.
 * @returns {Map<string, HeadStats>} */
export function headStats(explanation, kind = "") {
  const found = new Map();
  const before = likelihood(explanation, explanation.model).data[0];
  let [part, matters, head] = [null, null, 0];
  for (const address of explanation.trace.heads(kind)) {
    if (address.split(".h")[0] !== part) {
      [part, head] = [address.split(".h")[0], 0];
      matters = likelihoodWithoutEach(explanation, part).data.map((value) => value - before); // (heads,)
    }
    const name = address.slice(0, -".weights".length);
    const weights = explanation.get(address);
    const cross = name.includes(".cross.");
    const [itself, previous, next] = [0, -1, 1].map((shift) => (cross ? null : diagonal(weights, shift)));
    const aligns = cross ? agreement(explanation, name) : null;
    found.set(name, { itself, previous, next, broad: normalisedEntropy(weights), aligns, matters: matters[head] });
    head += 1;
  }
  return found;
}

/** The mean weight on the key that stands `shift` positions from the query, over the queries that have one. */
export function diagonal(weights, shift) {
  const [queries, keys] = weights.shape;
  let [sum, count] = [0, 0];
  for (let query = 0; query < queries; query += 1) {
    const key = query + shift;
    if (key < 0 || key >= keys) continue;
    sum += weights.data[query * keys + key];
    count += 1;
  }
  return count ? sum / count : 0;
}

/** Entropy over the largest that there can be, averaged over the queries that have a choice. */
export function normalisedEntropy(weights) {
  const [queries, keys] = weights.shape;
  let [sum, choices] = [0, 0];
  for (let query = 0; query < queries; query += 1) {
    let [reach, entropy] = [0, 0];
    for (const weight of weights.data.subarray(query * keys, (query + 1) * keys)) {
      if (weight <= 0) continue; // a masked cell is exactly 0
      reach += 1;
      entropy -= weight * Math.log(weight);
    }
    if (reach <= 1) continue;
    sum += entropy / Math.log(reach);
    choices += 1;
  }
  return choices ? sum / choices : 0;
}

/** (heads,): how likely everything that was said still is when one more head of a part is off, each in turn. */
export const likelihoodWithoutEach = (explanation, part) =>
  likelihood(explanation, explanation.model.withoutEachHead(part));
