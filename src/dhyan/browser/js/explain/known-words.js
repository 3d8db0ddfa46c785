// The words head beside a classifier, number by number: tf-idf · weight for each word that it knows of a text.

import { SequenceMatcher } from "../core/sequence-matcher.js";
import { B, IDF, W } from "../pack/words-head.js";
import { runSpans, wordsOf } from "../text/words.js";
import { Tensor, add } from "./arrays.js";

/** Of one text the words that a words head knows (words in a row count as one), and where its tokens stand. */
export class KnownWords {
  /** head: WordsHead. tokens: of the text. */
  constructor(head, text, tokens) {
    const every = wordsOf(text), tokensOf = tokensOfWords(every, tokens);
    const number = new Map();
    this.occurrences = []; // { word: number of one of the words, madeOf: tokens }
    for (const [begin, end] of runSpans(every.length, head.longest)) {
      const run = every.slice(begin, end).join(" ");
      if (!head.row.has(run)) continue;
      if (!number.has(run)) number.set(run, number.size);
      this.occurrences.push({ word: number.get(run), madeOf: tokensOf.slice(begin, end).flat() });
    }
    this.words = [...number.keys()];
    this.rows = this.words.map((word) => head.row.get(word)); // of each the row of `cls.words.W`
  }

  /** (…, words): how often each is there. visible: (…, tokens), 0 for one that nobody may look at; or null. */
  counts(visible = null) {
    const { words, occurrences } = this;
    const tokens = visible === null ? 0 : visible.shape.at(-1);
    const found = Tensor.zeros([...(visible === null ? [] : visible.shape.slice(0, -1)), words.length]);
    const rows = visible === null ? 1 : visible.data.length / tokens;
    for (let row = 0; row < rows; row += 1)
      for (const { word, madeOf } of occurrences)
        if (visible === null || madeOf.every((at) => visible.data[row * tokens + at]))
          found.data[row * words.length + word] += 1;
    return found;
  }
}

/** (…, labels): what the words add to the Transformer's logits. weights: opened up. */
export function wordsLogits(trace, known, weights, visible = null) {
  const { rows } = known, width = rows.length;
  const counts = trace.record("cls.words.counts", known.counts(visible)); // (…, words)
  const idf = weights.get(IDF).data, matrix = weights.get(W), bias = weights.get(B).data;
  const labels = matrix.shape[1];
  const times = (count) => (count > 0 ? 1 + Math.log(Math.max(count, 1)) : 0);
  const all = Float32Array.from(counts.data, (count, at) => times(count) * idf[rows[at % width]]);
  const weighted = trace.record("cls.words.weighted", new Tensor(all, counts.shape));
  const tfIdf = trace.record("cls.words.tf_idf", ofLengthOne(weighted));
  const shares = new Float32Array(tfIdf.data.length * labels); // (…, words, labels)
  tfIdf.data.forEach((value, at) => {
    const from = rows[at % width] * labels;
    for (let label = 0; label < labels; label += 1) shares[at * labels + label] = value * matrix.data[from + label];
  });
  const parts = trace.record("cls.words.parts", new Tensor(shares, [...tfIdf.shape, labels]));
  const batch = tfIdf.shape.slice(0, -1), several = batch.reduce((product, size) => product * size, 1);
  const total = new Float32Array(several * labels);
  for (let at = 0; at < total.length; at += 1) {
    const begin = Math.floor(at / labels) * width * labels, label = at % labels;
    let sum = bias[label];
    for (let word = 0; word < width; word += 1) sum += parts.data[begin + word * labels + label];
    total[at] = sum;
  }
  return trace.record("cls.words", new Tensor(total, [...batch, labels]));
}

/** (…, labels): all that the softmax makes the labels' probabilities of. trace: or an explanation. */
export function labelLogits(trace) {
  const logits = trace.array("cls.logits");
  return trace.has("cls.words") ? add(logits, trace.array("cls.words")) : logits;
}

function ofLengthOne(array) {
  const width = array.shape.at(-1);
  const found = new Float32Array(array.data.length);
  for (let begin = 0; begin < found.length; begin += width) {
    const row = array.data.subarray(begin, begin + width), length = Math.hypot(...row) || 1;
    row.forEach((value, at) => (found[begin + at] = value / length));
  }
  return new Tensor(found, array.shape);
}

/** Of each word of the text the numbers of the tokens that it is made of. */
function tokensOfWords(words, tokens) {
  const there = tokens.words
    .filter((word) => !word.special)
    .flatMap((word) => wordsOf(word.text).map((one) => ({ one, word })));
  const found = words.map(() => []);
  const matched = new SequenceMatcher(words, there.map(({ one }) => one));
  for (const [kind, a, b, c, d] of matched.getOpcodes()) {
    for (let at = a; at < b; at += 1) {
      // Some tokenizers write a word otherwise; its place is between its neighbours.
      const here = kind === "equal" ? there.slice(c + at - a, c + at - a + 1) : there.slice(c, d);
      for (const { word } of here) for (let token = word.start; token < word.end; token += 1) found[at].push(token);
    }
  }
  return found;
}
