// A word in its context: how its vector changes by layer, between two sentences, and when other words are hidden.

import { DhyanError, didYouMean } from "../../core/errors.js";
import { principalDirections } from "../../core/principal.js";
import { casefold, strip } from "../../core/python-text.js";
import { FRONT } from "../../core/special-tokens.js";
import { Tensor, mean, stacked } from "../arrays.js";
import { cosine, dot, length } from "../formulas.js";
import { answerAddress } from "../label-scores.js";
import { Trace, UNRECORDED } from "../trace.js";
import { residualStream } from "./logit-lens.js";
import { largest, productOf, realWords, rowOf, unit } from "./rows.js";

/** How alike a word's vectors are in two sentences, stage by stage: exactly 1 where only the word counts.
 * stages: embedded, input (with its position), enc.0, enc.1, …
 * @typedef {{ word: string, stages: string[], cosines: number[] }} TwoContexts */

/** The cosine of a word's vectors in two sentences; a word of several pieces is the mean of them.
 * @returns {TwoContexts} */
export function compareContexts(first, second, word) {
  const [ones, others] = [first, second].map((explanation) => wordVectors(explanation, word));
  const cosines = ones.map((one, stage) => cosine(one, others[stage]));
  const layers = Array.from({ length: first.architecture.encoderLayers }, (_, number) => `enc.${number}`);
  return { word, stages: ["embedded", "input", ...layers], cosines };
}

/** The vector (d_model,) of a word of the given text at each stage of the encoder. */
export function wordVectors(explanation, word) {
  if (!explanation.architecture.hasEncoder)
    throw new DhyanError("a decoder alone reads to the left only; words in context are for packs with an encoder.");
  const { start, end } = findWord(explanation, word);
  const stream = [explanation.array("enc.embedded"), ...residualStream(explanation, "enc")];
  return stream.map((array) => mean(array.rows(start, end), 0));
}

export function findWord(explanation, word) {
  const words = realWords(explanation.source);
  const wanted = casefold(strip(word));
  const found = words.find((one) => casefold(one.text) === wanted);
  if (found) return found;
  const hint = didYouMean(
    word,
    words.map((one) => one.text),
  );
  throw new DhyanError(`'${word}' is not a word of '${explanation.question.text}'${hint}.`);
}

/** The pieces whose embeddings point most nearly where a vector does, with the cosine; no marks, no bytes.
 * @returns {[string, number][]} */
export function neighbours(explanation, vector, top = 8) {
  const table = explanation.array("enc.E").rows(FRONT.length);
  const size = length(vector.data);
  const alike = Float32Array.from({ length: table.shape[0] }, (_, row) => {
    const piece = rowOf(table, row);
    return dot(piece, vector.data) / Math.max(length(piece) * size, 1e-12);
  });
  return largest(alike, top).map((number) => [explanation.sourcePiece(FRONT.length + number), alike[number]]);
}

/** Each other word, and 1 − the cosine of `word`'s last vector with it and without it.
 * @returns {[string, number][]} */
export function movedBy(explanation, word) {
  const here = findWord(explanation, word);
  const others = realWords(explanation.source).filter((one) => one !== here);
  if (!others.length) return [];
  const positions = explanation.source.length;
  const visible = new Tensor(new Uint8Array(others.length * positions).fill(1), [others.length, positions]);
  others.forEach((one, row) => visible.data.fill(0, row * positions + one.start, row * positions + one.end));
  const hidden = explanation.model.encode(UNRECORDED, explanation.source.ids, visible); // (others, positions, d_model)
  const before = mean(explanation.array("enc.output").rows(here.start, here.end), 0);
  return others.map((one, row) => {
    const after = mean(hidden.row(row).rows(here.start, here.end), 0);
    return [one.text, 1 - cosine(before, after)];
  });
}

/** (points, 2): the vectors, made as long as 1, on their first two principal components. */
export function principalPlane(vectors) {
  const points = unit(stacked(vectors));
  const centre = mean(points, 0).data;
  const width = centre.length;
  const centred = new Tensor(
    points.data.map((value, at) => value - centre[at % width]),
    points.shape,
  );
  const count = vectors.length;
  const found = Tensor.zeros([count, 2]);
  const products = productOf(centred, centred); // (points, points)
  const { values, vectors: axes } = principalDirections(products.data, count, Math.min(2, count));
  axes.forEach((axis, column) => {
    const long = Math.sqrt(Math.max(0, values[column]));
    const sign = signOf(axis, centred);
    for (let row = 0; row < count; row += 1) found.data[2 * row + column] = sign * axis[row] * long;
  });
  return found;
}

/** Either way round is right; so that it is always the same one, the farthest component of the direction is positive. */
function signOf(axis, centred) {
  const direction = new Float64Array(centred.shape[1]);
  centred.data.forEach((value, at) => {
    direction[at % direction.length] += axis[Math.floor(at / direction.length)] * value;
  });
  return direction.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0) < 0 ? -1 : 1;
}

/** An encoder's labels, and the cosine of the sentence's vector with the whole one's, when words are hidden.
 *
 * hidden: numbers of the given text's words, special ones not counted.
 * @returns {[Record<string, number>, number]} */
export function withWordsHidden(explanation, hidden) {
  const words = realWords(explanation.source);
  const visible = new Tensor(new Uint8Array(explanation.source.length).fill(1), [explanation.source.length]);
  for (const number of hidden) visible.data.fill(0, words[number].start, words[number].end);
  const run = new Trace();
  const { model } = explanation;
  model.headsOnTop(run, model.encode(UNRECORDED, explanation.source.ids, visible), visible);
  const names = explanation.pack.manifest.labels;
  const address = answerAddress(explanation.labelKind);
  const labels = Object.fromEntries(names.map((name, at) => [name, run.array(address).data[at]]));
  return [labels, cosine(run.array("pool"), explanation.array("pool"))];
}
