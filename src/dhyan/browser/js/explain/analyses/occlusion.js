// Occlusion: hide a word of the given text and see what it costs. Attention weights only say where a model looks.
//
// A hidden word is treated as padding is: no attention may look at it, and it is left out of a sentence's mean. A few
// words at a time go through the model together, one row per hidden word; what was found stays, so that whoever wants
// to show it as it arrives can ask for some words first.

import { NEVER_WRITTEN } from "../../core/special-tokens.js";
import { Tensor, transposed } from "../arrays.js";
import { cosine } from "../formulas.js";
import { Trace, UNRECORDED } from "../trace.js";
import { labelLogits } from "../known-words.js";
import { answerLikelihood, labelScores, measureOf } from "../label-scores.js";
import { realWords, rowOf, rowsFrom } from "./rows.js";

export const BATCH = 8; // hidden words per run of the model: enough for its matrix products, few enough to show progress

/** change[i, j]: what hiding source word j changes about target word i, measured as `measure` says.
 *
 * Negative: the model needs the word. `tokens` is the same with one row per piece.
 *
 * @typedef {{ source: string[], target: string[], change: any, tokens: any, measure: string }} Occlusion */

/** progress: called with the number of words that have been hidden so far.
 * @returns {Occlusion} */
export function occlude(explanation, progress = (_done) => {}) {
  const source = realWords(explanation.source).map((word) => word.text);
  for (let begin = 0; begin < source.length; begin += BATCH) {
    const end = Math.min(begin + BATCH, source.length);
    hideEach(explanation, range(begin, end));
    progress(end);
  }
  const tokens = transposed(hideEach(explanation, range(0, source.length)), [1, 0]); // (target pieces, source words)
  const found = (target, measure, change = tokens) => ({ source, target, change, tokens, measure });
  if (explanation.architecture.hasDecoder) {
    const target = explanation.written.words.map((word) => word.text);
    return found(target, "change of log-probability", byTargetWords(explanation, tokens));
  }
  const { labels } = explanation.pack.manifest;
  if (labels.length) return found([...labels], `change of ${measureOf(explanation.labelKind)}`);
  return found(["the sentence's vector"], "cosine with the whole sentence's vector, less 1");
}

/** (hidden words, pieces): what hiding each of these source words, alone, changes about each target piece.
 *
 * Of a classifier the columns are its labels, of an embedder the sentence's vector. numbers: special words are not
 * counted. What was computed before is not computed again. */
export function hideEach(explanation, numbers) {
  const known = explanation.once(knownChanges);
  const words = realWords(explanation.source);
  const missing = numbers.filter((number) => !known.has(number));
  const { architecture } = explanation;
  for (let begin = 0; begin < missing.length; begin += BATCH) {
    const some = missing.slice(begin, begin + BATCH);
    const shift = architecture.hasEncoder ? 0 : 1; // behind the start mark
    const positions = explanation.source.length + shift + writtenAfter(explanation);
    const visible = new Tensor(new Uint8Array(some.length * positions).fill(1), [some.length, positions]);
    some.forEach((number, row) => {
      const { start, end } = words[number];
      visible.data.fill(0, row * positions + start + shift, row * positions + end + shift);
    });
    const found = changes(explanation, visible);
    some.forEach((number, row) => known.set(number, rowOf(found, row)));
  }
  const columns = architecture.hasDecoder ? explanation.written.length : architecture.labels || 1;
  const found = Tensor.zeros([numbers.length, columns]);
  numbers.forEach((number, row) => found.data.set(known.get(number), row * columns));
  return found;
}

/** (target pieces, source words) → (target words, source words): log-probabilities of a word's pieces add up. */
export function byTargetWords(explanation, tokens) {
  const { words } = explanation.written;
  const columns = tokens.shape[1];
  const found = Tensor.zeros([words.length, columns]);
  words.forEach((word, row) => {
    for (let piece = word.start; piece < word.end; piece += 1)
      for (let column = 0; column < columns; column += 1)
        found.data[row * columns + column] += tokens.data[piece * columns + column];
  });
  return found;
}

/** Number of a hidden word → what hiding it changes; filled as words are asked for. */
const knownChanges = (_explanation) => new Map();

/** A decoder alone reads what it has written, too; that is never hidden. */
const writtenAfter = (explanation) =>
  explanation.architecture.hasEncoder ? 0 : explanation.target.length - 1 - explanation.source.length;

const range = (begin, end) => Array.from({ length: Math.max(0, end - begin) }, (_, at) => begin + at);

/** (hidden words, pieces), as `hideEach` gives it. visible: a row per hidden word. */
function changes(explanation, visible) {
  const { architecture, model } = explanation;
  if (architecture.hasDecoder) {
    const whole = loggedProbabilities(explanation);
    return lessEachRow(writtenLogProbabilities(explanation, model, visible), whole);
  }
  const hidden = new Trace();
  model.headsOnTop(hidden, model.encode(UNRECORDED, explanation.source.ids, visible), visible);
  if (architecture.labels) {
    const [changed, own] = [hidden, explanation].map((one) => labelScores(explanation.labelKind, labelLogits(one)));
    return lessEachRow(changed, own.data);
  }
  const [vectors, whole] = [hidden.array("pool"), explanation.array("pool").data];
  const found = Tensor.zeros([vectors.shape[0], 1]);
  for (let row = 0; row < found.size; row += 1) found.data[row] = cosine(rowOf(vectors, row), whole) - 1;
  return found;
}

/** Of each written token, by the trace itself. */
export function loggedProbabilities(explanation) {
  const logged = explanation.array("dec.out.logprobs");
  const vocabulary = logged.shape[1];
  return Float32Array.from(
    explanation.written.ids,
    (id, step) => logged.data[(explanation.firstRow + step) * vocabulary + id],
  );
}

function lessEachRow(array, row) {
  return new Tensor(
    array.data.map((value, at) => value - row[at % row.length]),
    array.shape,
  );
}

/** (…, pieces): of each written token, were it written all the same by a changed model, or with words hidden. */
export function writtenLogProbabilities(explanation, model, visible = null) {
  const memory = explanation.architecture.hasCross
    ? model.encode(UNRECORDED, explanation.source.ids, visible) // (…, positions, d_model)
    : null;
  const x = model.decodeWithoutLogits(UNRECORDED, explanation.target.ids, memory, visible);
  return logProbabilitiesOf(explanation.written.ids, model, rowsFrom(x, explanation.firstRow), explanation.firstRow);
}

/** (…, pieces, d_model) → (…, pieces): of one token each; those of all the others are never written down. */
export function logProbabilitiesOf(ids, model, x, firstRow) {
  const [pieces, width] = x.shape.slice(-2);
  const found = new Float32Array(x.data.length / width);
  // One row of a batch after the other: all together would be many megabytes.
  for (let begin = 0; begin < found.length; begin += pieces) {
    const data = x.data.subarray(begin * width, (begin + pieces) * width);
    const logits = model.out(UNRECORDED, model.logits(new Tensor(data, [pieces, width])), firstRow);
    const vocabulary = logits.shape.at(-1);
    for (let piece = 0; piece < pieces; piece += 1) {
      const row = logits.data.subarray(piece * vocabulary, (piece + 1) * vocabulary); // nobody else has it
      for (const never of NEVER_WRITTEN) row[never] = -Infinity;
      let largest = -Infinity;
      for (let at = 0; at < vocabulary; at += 1) if (row[at] > largest) largest = row[at];
      let sum = 0;
      for (let at = 0; at < vocabulary; at += 1) sum += Math.exp(row[at] - largest);
      found[begin + piece] = row[ids[piece]] - largest - Math.log(sum);
    }
  }
  return new Tensor(found, x.shape.slice(0, -1));
}

/** (…): how much a changed model still says what was said: log-probabilities added up; an embedder's is a cosine.
 *
 * One number, or one for each row of a model that has several (`NumpyTransformer.withoutEachHead`). */
export function likelihood(explanation, model) {
  if (explanation.architecture.hasDecoder) {
    const each = writtenLogProbabilities(explanation, model);
    const pieces = each.shape.at(-1);
    const data = new Float32Array(each.data.length / pieces);
    each.data.forEach((value, at) => {
      data[Math.floor(at / pieces)] += value;
    });
    return new Tensor(data, each.shape.slice(0, -1));
  }
  const found = new Trace();
  model.headsOnTop(found, model.encode(UNRECORDED, explanation.source.ids));
  if (explanation.architecture.labels) {
    const [own, changed] = [labelLogits(explanation), labelLogits(found)];
    return answerLikelihood(explanation.labelKind, own, changed);
  }
  const [vectors, whole] = [found.array("pool"), explanation.array("pool")];
  const rows = range(0, vectors.size / vectors.shape.at(-1));
  const alike = rows.map((row) => cosine(rowOf(vectors, row), whole));
  return new Tensor(Float32Array.from(alike), vectors.shape.slice(0, -1));
}
