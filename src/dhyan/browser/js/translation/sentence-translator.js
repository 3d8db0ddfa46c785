// Single sentences through an engine: tokens in, tokens out, with nothing done around them.

import { strip } from "../core/python-text.js";
import { tableLength } from "../engines/transformer.js";
import { Alternative } from "./translated.js";

export const NO_REPEAT_NGRAM = 3; // tokens: in a strict attempt no sequence of so many occurs twice

/** Sentences → their best translations, in one batch. */
export class SentenceTranslator {
  constructor(pack, engine) {
    if (!pack.sourceTokenizer || !pack.targetTokenizer) throw new Error("a translator has two sides");
    this.source = pack.sourceTokenizer;
    this.target = pack.targetTokenizer;
    this.engine = engine;
    this.settings = pack.decoding;
    this.window = tableLength(pack.manifest.architecture) - 2; // tokens
    this.styleTag = ""; // read by the model before every sentence
    this.hypotheses = this.hypotheses.bind(this);
  }

  /** The same, asking for the style that this tag stands for. */
  withStyleTag(tag) {
    const tagged = Object.assign(Object.create(SentenceTranslator.prototype), this, { styleTag: tag });
    tagged.hypotheses = SentenceTranslator.prototype.hypotheses.bind(tagged);
    return tagged;
  }

  /** For each sentence all that the beam ended with, best first; the search has found them anyway. */
  hypotheses(sentences, strict) {
    return this.candidates(sentences, this.settings.modelCopy({ update: { alternatives: this.settings.beam } }), strict);
  }

  /** For each sentence its translations, best first. One that is longer than the model takes goes in windows. */
  candidates(sentences, settings, strict) {
    const encoded = this.source.encodeBatch(sentences.map((one) => withStyleTag(one, this.styleTag)));
    const windows = encoded.map((ids) => inWindows(ids, this.window));
    const results = this.engine.translate(windows.flat(), settings, strict ? NO_REPEAT_NGRAM : 0);
    let next = 0;
    return windows.map((row) => {
      const parts = row.map(() => results[next++].map((hypothesis) => this._decoded(hypothesis, settings)));
      return parts.length === 1 ? parts[0] : [joined(parts.filter((part) => part.length).map((part) => part[0]))];
    });
  }

  /** Translations that begin with the prefix, each going on with another of the most probable tokens. */
  continuations(sentence, prefix, count) {
    const source = Array.from(this.source.encode(withStyleTag(sentence, this.styleTag))).slice(0, this.window);
    const found = this.engine.continuations(source, this.target.encode(prefix), this.settings, count);
    const scores = found.length ? this.engine.logProbabilities(found.map(() => source), found) : [];
    return found.map((ids, number) => new Alternative(strip(this.target.decode(ids)), mean(scores[number])));
  }

  _decoded(hypothesis, settings) {
    const perToken = settings.logProbability(hypothesis) / hypothesis.length;
    return new Alternative(strip(this.target.decode(hypothesis.ids)), perToken);
  }
}

/** A translator of sentences that gives the n-th best of each; every sentence goes through the model once. */
export class RankedSentences {
  constructor(translator, count) {
    this.translator = translator;
    const beam = Math.max(count, translator.settings.beam);
    this.settings = translator.settings.modelCopy({ update: { alternatives: count, beam } });
    this.known = [new Map(), new Map()]; // loose and strict
    this.translate = this.translate.bind(this);
    this.choose(0);
  }

  choose(rank) {
    this.rank = rank;
    this.scores = [];
  }

  meanScore() {
    return this.scores.length ? mean(this.scores) : 0;
  }

  translate(sentences, strict) {
    const known = this.known[Number(strict)];
    const fresh = sentences.filter((sentence) => !known.has(sentence));
    const found = fresh.length ? this.translator.candidates(fresh, this.settings, strict) : [];
    for (const [number, sentence] of fresh.entries()) {
      known.set(sentence, found[number].length ? found[number] : [new Alternative("", 0.0)]);
    }
    const chosen = sentences.map((sentence) => known.get(sentence).slice(0, this.rank + 1).at(-1));
    this.scores.push(...chosen.map((one) => one.score));
    return chosen.map((one) => one.text);
  }
}

/** In training the tag tells the style of the target; afterwards it requests that style. */
const withStyleTag = (text, tag) => (tag ? `${tag} ${text}` : text);

function inWindows(ids, size) {
  const windows = [];
  for (let begin = 0; begin < Math.max(1, ids.length); begin += size) windows.push(ids.slice(begin, begin + size));
  return windows;
}

const mean = (numbers) => numbers.reduce((total, one) => total + one, 0) / Math.max(1, numbers.length);

const joined = (parts) => new Alternative(parts.map((part) => part.text).join(" "), mean(parts.map((part) => part.score)));
