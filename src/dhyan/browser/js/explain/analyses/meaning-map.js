// A fixed flat map of a pack's commonest words, and the path of a sentence's tokens over it, layer by layer.
//
// Vectors of deeper layers live elsewhere than embeddings: cosines between the two say little. So every word of the
// map is run through the pack, too, among other words drawn by lot, and a token is compared with the words *at its own
// stage*, after the mean of all of them is taken away.

import { DhyanError, didYouMean, shortened } from "../../core/errors.js";
import { atOnce } from "../../core/long-work.js";
import { Generator } from "../../core/numpy-random.js";
import { principalDirections } from "../../core/principal.js";
import { casefold, strip } from "../../core/python-text.js";
import { END, START } from "../../core/special-tokens.js";
import { Tensor, mean, subtract, taken, times, transposed } from "../arrays.js";
import { pieceOf } from "../token-view.js";
import { Trace } from "../trace.js";
import { commonPieces } from "./common-pieces.js";
import { layingOut, neighboursKept } from "./neighbour-layout.js";
import { largest, largestFirst, productOf, rowOf, unit } from "./rows.js";

export const MOST_WORDS = 1200;
export const ROW = 8; // words that are run together: each is seen in company, as in a sentence
export const ROUNDS = 4; // times that each word is run, every time in other company
export const AT_ONCE = 25; // rows
export const NEAREST = 6; // words of the map that a token is held by
export const SHARPNESS = 0.08; // the softmax of cosine / this says how firmly each holds it
export const SHOWN = 5; // of the nearest, by name
export const LATE = 2; // stages, the last ones, over which it is measured where two tokens part to

/** Where a token's vector is looked at: `address[row]` is the vector. name: embedded, input, enc.0, enc.1, …
 * @typedef {{ name: string, address: string }} Stage */

/** Words in two layouts: `near`, where near means alike, and `plane`, the two directions of greatest variance.
 *
 * kept: share of each word's ten nearest that are among its ten nearest in `near`; planeKept: in `plane`. share: of the
 * variance of all stages together, along each axis of `plane`. means: (stages, d_model). units: for each stage
 * (words, d_model), the words' vectors less the stage's mean, of length 1. directions: (d_model, 2). */
export class MeaningMap {
  /** @param {{ stages: Stage[], ids: number[], words: string[], near: any, plane: any, kept: number,
   *   planeKept: number, share: number[], means: any, units: any[], directions: any }} drawn */
  constructor(drawn) {
    this.stages = drawn.stages;
    this.ids = drawn.ids;
    this.words = drawn.words;
    this.near = drawn.near; // (words, 2)
    this.plane = drawn.plane; // (words, 2): where their embeddings stand
    this.kept = drawn.kept;
    this.planeKept = drawn.planeKept;
    this.share = drawn.share;
    this.means = drawn.means;
    this.units = drawn.units;
    this.directions = drawn.directions;
  }

  /** Which word of the map this is, whatever its case. */
  number(word) {
    const known = new Map(this.words.map((one, number) => [casefold(one), number]));
    const wanted = casefold(strip(word));
    if (!known.has(wanted)) {
      const nearest = didYouMean(wanted, known.keys());
      throw new DhyanError(`'${shortened(word)}' is not on the map of ${known.size} words${nearest}.`);
    }
    return known.get(wanted);
  }

  /** (words, 2): a third layout, the cosines of every word's embedding with those of two words. */
  between(across, up) {
    return productOf(this.units[0], taken(this.units[0], [this.number(across), this.number(up)]));
  }
}

/** One token on its way: where it stands at each stage, and the nearest words there with their cosines.
 *
 * row: its vector at a stage is `stage.address[row]`. near, plane: a pair for each stage. cosines: for each stage, with
 * the words of the map. nearest: for each stage, [word, cosine].
 * @typedef {{ text: string, id: number, row: number, near: number[][], plane: number[][], cosines: Float32Array[],
 *   nearest: [string, number][][] }} TokenPath */

/** The static embedding, then with its position (where one is added), then after each layer.
 * @returns {Stage[]} */
export function stagesOf(a) {
  const [stack, layers] = a.hasEncoder ? ["enc", a.encoderLayers] : ["dec", a.decoderLayers];
  const added = a.norm === "pre" ? "added" : "normed";
  const placed = ["sinusoidal", "learned"].includes(a.positions) ? [{ name: "input", address: `${stack}.input` }] : [];
  const after = Array.from({ length: layers }, (_, layer) => `${stack}.${layer}`);
  return [
    { name: "embedded", address: `${stack}.embedded` },
    ...placed,
    ...after.map((layer) => ({ name: layer, address: `${layer}.ffn.${added}` })),
  ];
}

/** The map of a pack: some seconds of work, always with the same result. */
export const meaningMap = (explainer, most = MOST_WORDS) => atOnce(drawing(explainer, most));

/** The same as work that stops now and then. */
export function* drawing(explainer, most = MOST_WORDS) {
  const tokenizer = explainer.sourceTokenizer;
  const ids = commonPieces(tokenizer, most);
  if (ids.length < 2)
    throw new DhyanError(`${explainer.pack.manifest.name} knows no whole words, so there is no map of them.`);
  const stages = stagesOf(explainer.architecture);
  const vectors = yield* inCompany(explainer, ids, stages); // for each stage (words, d_model)
  const means = vectors.map((one) => mean(one, 0));
  const units = vectors.map((one, stage) => unit(subtract(one, means[stage])));
  const { directions, share } = yield* directionsOf(units);
  const plane = times(units[0], directions);
  const alike = yield* meanProducts(units);
  const near = yield* layingOut(alike, plane);
  return new MeaningMap({
    stages,
    ids,
    words: ids.map((number) => pieceOf(tokenizer, number)),
    near,
    plane,
    kept: neighboursKept(alike, near),
    planeKept: neighboursKept(alike, plane),
    share,
    means,
    units,
    directions,
  });
}

/** The way of each token of the given text, special ones left out.
 * @returns {TokenPath[]} */
export function paths(found, explanation) {
  const behind = explanation.architecture.hasEncoder ? 0 : 1; // a decoder reads a start mark first
  const tokens = [...explanation.source.tokens.entries()].filter(([, token]) => !token.special);
  const ways = tokens.map(([row, token]) => ({
    text: token.text,
    id: token.id,
    row: row + behind,
    near: [],
    plane: [],
    cosines: [],
    nearest: [],
  }));
  found.stages.forEach(({ address }, stage) => {
    const rows = taken(
      explanation.array(address),
      ways.map((way) => way.row),
    );
    const units = unit(subtract(rows, found.means[stage])); // (tokens, d_model)
    const cosines = productOf(units, found.units[stage]); // (tokens, words)
    const plane = times(units, found.directions);
    ways.forEach((way, token) => {
      const alike = rowOf(cosines, token);
      const best = largest(alike, NEAREST);
      way.near.push(heldAt(found.near, best, alike));
      way.plane.push([...rowOf(plane, token)]);
      way.cosines.push(alike);
      way.nearest.push(best.slice(0, SHOWN).map((word) => [found.words[word], alike[word]]));
    });
  });
  return ways;
}

/** Between the nearest words, the nearer the more firmly each holds it. */
function heldAt(near, best, alike) {
  const weights = best.map((word) => Math.exp((alike[word] - alike[best[0]]) / SHARPNESS));
  const sum = weights.reduce((total, one) => total + one, 0);
  return [0, 1].map((axis) =>
    best.reduce((total, word, at) => total + (weights[at] / sum) * near.data[2 * word + axis], 0),
  );
}

/** Where two tokens part to: the words that the first has come nearer to than the second, and the other way round.
 *
 * Each with the difference of the two cosines, a mean over the last stages; neither token's own word is among them. */
export function parting(found, first, second) {
  const late = [first, second].map((way) => way.cosines.slice(-LATE));
  const apart = Float32Array.from(found.words, (_, word) => {
    const differences = late[0].map((cosines, stage) => Math.fround(cosines[word] - late[1][stage][word]));
    return differences.reduce((sum, one) => sum + one, 0) / differences.length;
  });
  const own = new Set([first, second].map((way) => casefold(way.text)));
  const order = largestFirst(apart).filter((word) => !own.has(casefold(found.words[word])));
  return [
    order.slice(0, SHOWN).map((word) => [found.words[word], apart[word]]),
    order
      .reverse()
      .slice(0, SHOWN)
      .map((word) => [found.words[word], -apart[word]]),
  ];
}

/** For each stage (words, d_model): each word's mean vector over several rows of words drawn by lot. */
function* inCompany(explainer, ids, stages) {
  const a = explainer.architecture;
  const model = explainer.model();
  const drawn = new Generator(0);
  const sums = stages.map(() => Tensor.zeros([ids.length, a.dModel]));
  const runs = new Uint32Array(ids.length);
  const width = Math.min(ROW, ids.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = drawn.permutation(ids.length);
    order.push(...order.slice(0, (width - (ids.length % width)) % width)); // filled up with the first words
    for (let begin = 0; begin < order.length; begin += AT_ONCE * width) {
      const here = order.slice(begin, begin + AT_ONCE * width);
      const vectors = runRows(model, a, here.map((word) => ids[word]), width, stages);
      addRows(sums, vectors, here, width, a.hasEncoder ? 0 : 1);
      for (const word of here) runs[word] += 1;
      yield;
    }
  }
  for (const { data } of sums)
    for (let at = 0; at < data.length; at += 1) data[at] /= runs[Math.floor(at / a.dModel)];
  return sums;
}

/** Rows of so many words, each with its mark: for each stage (rows, width + 1, d_model). */
function runRows(model, a, words, width, stages) {
  const trace = new SomeStages(new Set(stages.map((stage) => stage.address)));
  const rows = [];
  for (let at = 0; at < words.length; at += width) {
    const row = words.slice(at, at + width);
    rows.push(a.hasEncoder ? [...row, END] : [START, ...row]);
  }
  if (a.hasEncoder) model.encode(trace, rows);
  else model.decodeWithoutLogits(trace, rows, null);
  return stages.map((stage) => trace.array(stage.address));
}

/** Each word's vector to what is known of it. first: which position holds the first word of a row. */
function addRows(sums, vectors, here, width, first) {
  vectors.forEach((array, stage) => {
    const { data } = sums[stage];
    here.forEach((word, at) => {
      const row = rowOf(array, Math.floor(at / width) * (width + 1) + first + (at % width));
      for (let column = 0, to = word * row.length; column < row.length; column += 1, to += 1) data[to] += row[column];
    });
  });
}

/** The two directions of greatest variance of all stages together, and their shares of it. */
function* directionsOf(units) {
  const size = units[0].shape[1];
  const scatter = new Float64Array(size * size);
  for (const one of units) {
    const columns = transposed(one, [1, 0]);
    const { data } = productOf(columns, columns);
    for (let at = 0; at < scatter.length; at += 1) scatter[at] += data[at];
    yield;
  }
  const { values, vectors } = principalDirections(scatter, size, 2);
  let total = 0;
  for (let at = 0; at < size; at += 1) total += scatter[at * size + at];
  const directions = Tensor.zeros([size, 2]);
  vectors.forEach((vector, axis) => {
    const farthest = vector.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    vector.forEach((value, at) => {
      directions.data[2 * at + axis] = value * Math.sign(farthest); // one of two signs
    });
  });
  return { directions, share: values.map((value) => value / total) };
}

/** (words, words): how alike two words are, the mean of all stages. */
function* meanProducts(units) {
  const words = units[0].shape[0];
  const found = Tensor.zeros([words, words]);
  for (const one of units) {
    const { data } = productOf(one, one);
    for (let at = 0; at < data.length; at += 1) found.data[at] += data[at];
    yield;
  }
  for (let at = 0; at < found.size; at += 1) found.data[at] /= units.length;
  return found;
}

/** Keeps the few arrays that are wanted: a run of many rows has too many numbers to keep them all. */
class SomeStages extends Trace {
  constructor(wanted) {
    super();
    this.wanted = wanted;
  }

  record(name, array) {
    return this.wanted.has(name) ? super.record(name, array) : array;
  }
}
