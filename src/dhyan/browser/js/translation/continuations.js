// Other ways to go on after the first words of a translation: what a reader can choose from at a word.
// The next token is forced to be each of the most probable ones in turn, and the rest is searched for behind it.

import { characterAt, isSpace, split } from "../core/python-text.js";
import { inPartsNote, nothingCame } from "./attempts.js";
import { SURE } from "./translated.js";

export const MORE = 4; // tokens that are tried beyond those asked for: some end in the middle of a word

/** A whole sentence that begins with the given words. The score is the log-probability per token. */
export class Continuation {
  /** word: the one that follows the given words. */
  constructor(word, text, score, notes = [], confidence = SURE) {
    this.word = word;
    this.text = text;
    this.score = score;
    this.notes = notes;
    this.confidence = confidence;
  }
}

/**
 * A translator of one sentence whose translation begins with the prefix: the n-th of its continuations.
 *
 * A sentence that comes in parts gets nothing, for only the first of them could begin so.
 */
export class ForcedSentence {
  constructor(translator, prefix, count) {
    this.translator = translator;
    this.prefix = prefix;
    this.count = count;
    this.known = new Map();
    this.translate = this.translate.bind(this);
    this.choose(0);
  }

  choose(rank) {
    this.rank = rank;
    this.score = null; // null: nothing was asked for, or nothing is left
  }

  translate(sentences) {
    if (sentences.length !== 1) return sentences.map(() => []);
    const [sentence] = sentences;
    if (!this.known.has(sentence)) {
      this.known.set(sentence, this.translator.continuations(sentence, this.prefix, this.count + MORE));
    }
    const chosen = this.known.get(sentence).slice(this.rank, this.rank + 1);
    this.score = chosen.length ? chosen[0].score : null;
    return [chosen];
  }
}

/** Whether a sentence was translated as it was asked for. */
export const isWhole = (notes) => !notes.includes(nothingCame()) && !notes.includes(inPartsNote());

/** The word of a text behind its prefix; empty where the text begins otherwise, or the prefix ends no word. */
export function nextWord(text, prefix) {
  const rest = text.slice(prefix.length);
  const follows = text.startsWith(prefix) && (!prefix || isSpace(characterAt(rest, 0)));
  return follows ? (split(rest)[0] ?? "") : "";
}
