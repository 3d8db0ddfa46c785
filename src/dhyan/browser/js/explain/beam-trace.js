// Beam search with a record of every candidate, and of why those that lost did; greedy search is a beam of one.
//
// It takes the same steps as the engines do, in plain arrays, for one sentence.

import { END, NEVER_WRITTEN } from "../core/special-tokens.js";
import { Tensor } from "./arrays.js";
import { logSoftmax } from "./formulas.js";
import { KeyValueCache } from "./numpy-model.js";

/** A token that may come next, and the address of its probability. */
export class Guess {
  /** @param {string} address dec.out.probs[4,1207] */
  constructor(id, text, probability, address) {
    this.id = id;
    this.text = text;
    this.probability = probability;
    this.address = address;
  }
}

/** One step of the decoder: `row` of every decoder array is what was computed while predicting `chosen`. */
export class Step {
  /**
   * @param {number} logProbability of the chosen, once the tokens that are never written are ruled out
   * @param {Guess[]} guesses the most probable first
   */
  constructor(step, row, chosen, logProbability, forced, guesses) {
    this.step = step;
    this.row = row;
    this.chosen = chosen;
    this.logProbability = logProbability;
    this.forced = forced;
    this.guesses = guesses;
  }

  /** As the server writes it. */
  asDict() {
    const { step, row, chosen, logProbability, forced, guesses } = this;
    return { step, row, chosen, log_probability: logProbability, forced, guesses };
  }
}

/**
 * One way to go on from one hypothesis, at one step of the search.
 *
 * fate: *best* lies on the path of the winner; *kept* went on; *dead end* went on, but none of its continuations
 * did; *ended* wrote its end mark and is among the results; *pruned* lost its place; *unfinished* was still under
 * way when enough others had ended.
 *
 * @typedef {object} Candidate
 * @property {number} step
 * @property {number} rank 0 is the best of its step
 * @property {number | null} parent rank of the candidate that it continues, at the step before; null at the first step
 * @property {number} id
 * @property {number[]} ids everything written so far, this token last (an end mark is left out)
 * @property {number} logProbability of this token
 * @property {number} score the sum of all of them
 * @property {"best" | "kept" | "dead end" | "ended" | "pruned" | "unfinished"} fate
 * @property {string} why in words
 */

/**
 * A hypothesis that came to its end. score: `total`, the sum of log-probabilities, divided by what its length calls
 * for; an end mark counts as a token.
 *
 * @typedef {object} Result
 * @property {number[]} ids
 * @property {number} score
 * @property {number} total
 * @property {number} step the step and rank of the candidate that ended it
 * @property {number} rank
 * @property {boolean} ended false: cut off at the length limit
 * @property {string} why
 */

/** A whole search: for each step its candidates, best first, and the results, best first. */
export class BeamTrace {
  /**
   * @param {number[]} prefix tokens that were given, not searched for
   * @param {Candidate[][]} steps
   * @param {Result[]} results
   */
  constructor(beam, lengthPenalty, lengthOffset, prefix, steps, results) {
    this.beam = beam;
    this.lengthPenalty = lengthPenalty;
    this.lengthOffset = lengthOffset;
    this.prefix = prefix;
    this.steps = steps;
    this.results = results;
  }

  get best() {
    return this.results[0];
  }
}

/** Indices of the largest values of a row, largest first; equal ones in their own order. */
export function topK(row, count) {
  const values = row.data ?? row;
  const size = Math.min(count, values.length), found = new Array(size);
  let held = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (held === size && !(value > values[found[size - 1]])) continue;
    let at = held < size ? held++ : size - 1;
    for (; at > 0 && value > values[found[at - 1]]; at--) found[at] = found[at - 1];
    found[at] = i;
  }
  return found;
}

/** (…, vocabulary) log-softmax, once the four tokens that are never written are ruled out. */
export function logProbabilities(logits) {
  const ruled = new Tensor(logits.data.slice(), logits.shape), size = logits.shape.at(-1);
  for (let first = 0; first < ruled.size; first += size) {
    for (const id of NEVER_WRITTEN) ruled.data[first + id] = -Infinity;
  }
  return logSoftmax(ruled);
}

/**
 * Keep the `beam` most probable beginnings; done when `beam` hypotheses have ended.
 *
 * memory: the encoder's output, or null. prompt: start token first; what stands there is not scored. prefix: tokens
 * that must come first; they are scored. decoding: what scores are divided by. limit: the most tokens to write, the
 * prefix among them.
 */
export function search(model, memory, prompt, prefix, beam, decoding, limit) {
  const { lengthPenalty, lengthOffset } = decoding;
  const cache = new KeyValueCache();
  let [newest, before] = write(model, memory, cache, prompt, prefix);
  if (prefix.length && (prefix.at(-1) === END || prefix.length >= limit)) {
    const ended = prefix.at(-1) === END;
    const ids = ended ? prefix.slice(0, -1) : [...prefix];
    const score = before / decoding.divisor(prefix.length), why = "the tokens that were forced end it";
    const forced = { ids, score, total: before, step: 0, rank: 0, ended, why };
    return new BeamTrace(beam, lengthPenalty, lengthOffset, [...prefix], [], [forced]);
  }
  let live = [{ ids: [...prefix], score: before, rank: null }]; // the hypotheses under way
  const steps = [], results = [];
  for (let step = 0; step < limit - prefix.length; step++) {
    const logprobs = logProbabilities(model.step(cache, newest, memory)); // (live, vocabulary)
    const outOfRoom = prefix.length + step + 1 >= limit;
    const candidates = [], onward = []; // onward: [row, candidate]
    for (const [rank, { row, id, score }] of likeliest(live, logprobs, 2 * beam).entries()) {
      const ids = id === END ? live[row].ids : [...live[row].ids, id];
      let one = { step, rank, parent: live[row].rank, id, ids, logProbability: logprobs.at(row, id), score };
      one = { ...one, fate: "pruned", why: "" };
      if (id === END || outOfRoom) {
        one = end(one, beam, decoding, results, id === END);
      } else if (onward.length < beam) {
        one = { ...one, fate: "kept", why: beam > 1 ? `among the ${beam} best that go on` : "the best" };
        onward.push([row, one]);
      }
      candidates.push(one);
    }
    steps.push(candidates.map((one) => (one.fate === "pruned" ? pruned(one, onward, beam) : one)));
    if (results.length >= beam || outOfRoom || !onward.length) break;
    cache.select(onward.map(([row]) => row));
    live = onward.map(([, { ids, score, rank }]) => ({ ids, score, rank }));
    newest = onward.map(([, { id }]) => [id]);
  }
  const byMean = (one) => -one.total / (one.ids.length + Number(one.ended)) ** decoding.keptBy;
  const kept = results.toSorted((one, other) => byMean(one) - byMean(other));
  const ranked = (lengthOffset ? kept.slice(0, beam) : results).toSorted((one, other) => other.score - one.score);
  const seen = withHindsight(steps, ranked);
  return new BeamTrace(beam, lengthPenalty, lengthOffset, [...prefix], seen, compared(ranked));
}

/** The `count` best continuations of all hypotheses; none that cannot be. */
function likeliest(live, logprobs, count) {
  const found = live.flatMap(({ score }, row) =>
    topK(logprobs.row(row), count).map((id) => ({ row, id, score: score + logprobs.at(row, id) })),
  );
  const best = found.toSorted((one, other) => other.score - one.score || one.row - other.row || one.id - other.id);
  return best.slice(0, count).filter(({ score }) => score !== -Infinity);
}

/**
 * Go through tokens that are given: what the decoder must be fed next, and what those after the prompt cost.
 * @returns {[number[][], number]}
 */
function write(model, memory, cache, prompt, prefix) {
  let newest = [[...prompt]], cost = 0;
  for (const token of prefix) {
    cost += logProbabilities(model.step(cache, newest, memory)).at(0, token);
    newest = [[token]];
  }
  return [newest, cost];
}

/** A hypothesis that is over counts as a result if it is among the `beam` best of its step. */
function end(one, beam, decoding, results, ended) {
  const how = ended ? "wrote its end mark" : "reached the length limit";
  if (one.rank >= beam) return { ...one, why: `${how}, but ${beam} others of this step were likelier` };
  const length = one.ids.length + Number(ended), score = one.score / decoding.divisor(length);
  results.push({ ids: one.ids, score, total: one.score, step: one.step, rank: one.rank, ended, why: "" });
  const divided = `${one.score.toFixed(3)} / ${decoding.divisorInWords(length)}`;
  return { ...one, fate: "ended", why: `${how}; score ${divided} = ${score.toFixed(3)}` };
}

function pruned(one, onward, beam) {
  if (one.why || !onward.length) return one;
  const last = onward.at(-1)[1].score.toFixed(3);
  return { ...one, why: `its ${one.score.toFixed(3)} is below ${last}, the last of the ${beam} that go on` };
}

/** Only at the end is it known which of the kept ones led anywhere. */
function withHindsight(steps, ranked) {
  const fruitful = steps.map(() => new Set()); // ranks of candidates that a kept or ended one continues
  for (const { step, parent, fate } of steps.flat()) {
    if ((fate === "kept" || fate === "ended") && parent !== null) fruitful[step - 1].add(parent);
  }
  const found = steps.map((candidates, number) =>
    candidates.map((one) => {
      if (one.fate !== "kept" || fruitful[number].has(one.rank)) return one;
      if (number === steps.length - 1) {
        return { ...one, fate: "unfinished", why: "still under way when enough others had ended" };
      }
      const why = `none of its continuations were among the best at step ${number + 1}`;
      return { ...one, fate: "dead end", why };
    }),
  );
  if (!ranked.length) return found;
  for (let { step, rank } = ranked[0]; rank !== null; step--) {
    const index = found[step].findIndex((one) => one.rank === rank), one = found[step][index];
    found[step][index] = { ...one, fate: "best", why: `on the best path: ${one.why}` };
    rank = one.parent;
  }
  return found;
}

/** Why each result stands where it does. */
function compared(ranked) {
  if (!ranked.length) return [];
  const [best, ...others] = ranked;
  const first = { ...best, why: others.length ? "the best score" : "the only one that ended" };
  const behind = (one) => `${(best.score - one.score).toFixed(3)} behind the best score`;
  return [first, ...others.map((one) => ({ ...one, why: behind(one) }))];
}
