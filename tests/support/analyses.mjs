// Parts of the analyses as functions of plain values, for tests.
import { Tensor } from "../../src/dhyan/browser/js/explain/arrays.js";
import { TraceCache } from "../../src/dhyan/browser/js/api/trace-cache.js";
import { commonPieces } from "../../src/dhyan/browser/js/explain/analyses/common-pieces.js";
import { neighbourLayout, neighboursKept } from "../../src/dhyan/browser/js/explain/analyses/neighbour-layout.js";
import { Generator } from "../../src/dhyan/browser/js/core/numpy-random.js";
import { setRules } from "../../src/dhyan/browser/js/rules.js";
import { Tokenizer } from "../../src/dhyan/browser/js/text/tokenizer.js";

export { setRules };

export function permutations(seed, sizes) {
  const random = new Generator(seed);
  return sizes.map((size) => random.permutation(size));
}

export function laidOut(alike, start) {
  const place = neighbourLayout(Tensor.from(alike), Tensor.from(start));
  return { place: place.data, kept: neighboursKept(Tensor.from(alike), place) };
}

export const commonPiecesOf = (tokenizer, most) => commonPieces(Tokenizer.fromJson(tokenizer), most);

/** How many traces, and bytes of them, are kept after so many questions; and how often one was computed. */
export function keptTraces(keys, mostTraces, mostBytes) {
  let computed = 0;
  const answer = () => {
    computed += 1;
    return { held: () => [{ trace: { bytes: 10 } }] };
  };
  const [cache, served] = [new TraceCache(mostTraces, mostBytes), { explainer: { answer } }];
  for (const key of keys) cache.using(served, { key });
  return { traces: cache.length, bytes: cache.bytes, computed };
}
