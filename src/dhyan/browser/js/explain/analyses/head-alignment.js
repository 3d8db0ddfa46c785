// Which given word a written word comes from, as cross-attention has it: the mean of all heads, or one head.
//
// Attention weights are not explanations. So the best head is not chosen by its looks: each is compared with occlusion,
// which is what hiding words really does, and the result says which was chosen and how well every head agrees.

import { DhyanError } from "../../core/errors.js";
import { END, START } from "../../core/special-tokens.js";
import { Tensor, argmax } from "../arrays.js";
import { Explanation, Question } from "../explanation.js";
import { NumpyTransformer } from "../numpy-model.js";
import { mergeColumns, mergeRows, Tokens } from "../token-view.js";
import { Trace } from "../trace.js";
import { occlude } from "./occlusion.js";
import { realWords, rowOf, rowsFrom } from "./rows.js";

export const MOST_ALIGNED = 1024; // tokens of either text: what attention computes grows with their square

/** Whoever can do without the alignment goes on. */
export class TooLongToAlign extends DhyanError {}

/** weights[i, j]: how much target word i looks at source word j; the rest went to the end mark. */
export class Alignment {
  head = "mean"; // dec.1.cross.h3
  agreement = null; // of a head with occlusion: mean correlation over target words, 1 at most
  ranking = []; // the heads that were compared, with their agreement, best first
  said = "the mean of all cross-attention heads"; // how the head was chosen, in words

  /** @param {{ head?: string, agreement?: number, ranking?: [string, number][], said?: string }} chosen */
  constructor(source, target, weights, links, chosen = {}) {
    this.source = source; // words
    this.target = target;
    this.weights = weights; // (target words, source words): rows sum to at most 1
    this.links = links; // [source word, target word]: where each target word looks most
    Object.assign(this, chosen);
  }
}

/** head: "mean" of all, the "best" by agreement with occlusion, or one by name, such as dec.1.cross.h3. */
export function alignment(explanation, head = "best") {
  const a = explanation.architecture;
  if (!a.hasCross) {
    const shape = a.hasDecoder ? "a decoder" : "an encoder";
    throw new DhyanError(
      `an alignment links two texts, and ${explanation.pack.name} is ${shape} alone; look at occlusion instead.`,
    );
  }
  const heads = crossHeads(explanation);
  if (head === "mean") return linked(explanation, meanOfAllHeads(explanation));
  if (head !== "best" && !heads.includes(head))
    throw new DhyanError(`'${head}' is no cross-attention head; they are ${heads[0]} to ${heads.at(-1)}.`);
  const compared = head === "best" ? heads : [head];
  const ranking = compared.map((one) => [one, agreement(explanation, one)]).sort((one, other) => other[1] - one[1]);
  const [name, agreed] = ranking[0];
  const correlation = agreed.toFixed(2);
  const many = `${heads.length} cross-attention heads`;
  let said = `${name} agrees best with occlusion (mean correlation ${correlation}) of ${many}`;
  if (explanation.source.words.filter((word) => !word.special).length < 2)
    said = `${name} is the first of ${many}: where there is one word to look at, none agrees better than another`;
  if (head !== "best") said = `${name} was asked for (mean correlation with occlusion ${correlation})`;
  return linked(explanation, explanation.get(`${name}.weights`), { head: name, agreement: agreed, ranking, said });
}

/** One head's links as they are, without a comparison with occlusion, which takes its time. */
export const weightsOf = (explanation, head) =>
  linked(explanation, explanation.get(`${head}.weights`), { head, said: `${head} was asked for` });

/** The cross-attention heads by name. */
export const crossHeads = (explanation) =>
  explanation.trace.heads("cross").map((address) => address.slice(0, -".weights".length));

/** Keeps what an alignment is made of, and not the many times as much that is computed on the way. */
class CrossWeights extends Trace {
  record(name, array) {
    return name.endsWith(".cross.weights") ? super.record(name, array) : array;
  }
}

/** The mean over all heads for a given pair of texts: nothing is searched for, nothing hidden. */
export function alignTexts(pack, source, target) {
  if (!pack.sourceTokenizer || !pack.targetTokenizer) throw new Error("an alignment has two sides");
  const [given, written] = [pack.sourceTokenizer.encode(source), pack.targetTokenizer.encode(target)];
  const longest = Math.max(given.length, written.length);
  if (longest > MOST_ALIGNED) {
    const [long, most] = [longest, MOST_ALIGNED].map((number) => number.toLocaleString("en"));
    throw new TooLongToAlign(`a text of ${long} tokens is too long to be aligned; at most ${most}: give one sentence.`);
  }
  const model = new NumpyTransformer(pack.manifest.architecture, pack.weights);
  const reads = [START, ...written];
  const trace = new CrossWeights(model.weights);
  model.decodeWithoutLogits(trace, reads, model.encode(trace, [...given, END]));
  const explanation = new Explanation(new Question(source, { target }), pack, model, trace, {
    source: Tokens.of(pack.sourceTokenizer, [...given, END]),
    target: Tokens.of(pack.targetTokenizer, reads),
    predicted: Tokens.of(pack.targetTokenizer, [...written, END]),
    written: Tokens.of(pack.targetTokenizer, [...written, END]),
    firstRow: 0,
  });
  return alignment(explanation, "mean");
}

/** The alignment of two texts as the server answers it. */
export function alignedInfo({ source, target, weights, links }) {
  return { source, target, weights: weights.toList(), links };
}

/** The mean, over target words, of the correlation between where they look and what hiding costs them. */
export function agreement(explanation, head) {
  const weights = byWords(explanation, explanation.get(`${head}.weights`)); // (target words, source words)
  const { change } = explanation.once(occlude);
  const found = [];
  explanation.written.words.forEach((word, number) => {
    if (word.special) return;
    const costs = rowOf(change, number).map((value) => -value);
    found.push(correlationOf(rowOf(weights, found.length), costs));
  });
  return found.length ? found.reduce((sum, one) => sum + one, 0) / found.length : 0;
}

function meanOfAllHeads(explanation) {
  const layers = Array.from({ length: explanation.architecture.decoderLayers }, (_, layer) =>
    explanation.array(`dec.${layer}.cross.weights`),
  );
  const [heads, rows, columns] = layers[0].shape;
  const size = rows * columns;
  const sum = new Float64Array(size);
  for (const { data } of layers) for (let at = 0; at < data.length; at += 1) sum[at % size] += data[at];
  return new Tensor(
    Float32Array.from(sum, (value) => value / (heads * layers.length)),
    [rows, columns],
  );
}

/** weights: (rows, source tokens) */
function linked(explanation, weights, chosen = {}) {
  const merged = byWords(explanation, weights);
  const [given, written] = [explanation.source, explanation.written].map((tokens) =>
    realWords(tokens).map((word) => word.text),
  );
  const links = given.length ? written.map((_, number) => [argmax(rowOf(merged, number)), number]) : [];
  return new Alignment(given, written, merged, links, chosen);
}

/** (rows, source tokens) → (target words, source words), without the marks. */
function byWords(explanation, weights) {
  const [given, written] = [realWords(explanation.source), realWords(explanation.written)];
  if (!written.length || !given.length) return Tensor.zeros([written.length, given.length]);
  return mergeRows(mergeColumns(rowsFrom(weights, explanation.firstRow), given), written);
}

/** Pearson's; 0 where one of them does not vary. */
function correlationOf(one, other) {
  const [first, second] = [centred(one), centred(other)];
  let [dot, ones, others] = [0, 0, 0];
  first.forEach((value, at) => {
    dot += value * second[at];
    ones += value * value;
    others += second[at] * second[at];
  });
  const size = Math.sqrt(ones) * Math.sqrt(others);
  return size > 0 ? dot / size : 0;
}

function centred(numbers) {
  const mean = Math.fround(numbers.reduce((sum, one) => sum + one, 0) / numbers.length);
  return Array.from(numbers, (value) => Math.fround(value - mean));
}
