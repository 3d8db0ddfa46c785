// A sentence without a mark at its end, as messages have it, gets one before the model reads it.
//
// A model has learnt from sentences with marks: without one it takes a sentence for a heading, or for half of one. Only
// what ends as a sentence does gets a mark; the full stop that comes of it is taken away again, a question mark stays.

import { search } from "../core/patterns.js";
import { split } from "../core/python-text.js";
import { rule } from "../rules.js";
import { pattern, spaced } from "./checks/spaced.js";
import { isWord } from "./unicode.js";

const own = (name) => rule("translation.end_marks", name);

export class EndMarks {
  /** statement, question: the marks; ends: the last word of a sentence; asks, tells: words with which it asks or not. */
  constructor(statement, question, ends, asks, tells) {
    this.statement = statement;
    this.question = question;
    this.ends = ends;
    this.asks = asks;
    this.tells = tells;
    Object.freeze(this);
  }

  static of({ statement = "", question = "", ends = [], asks = [], tells = [] }) {
    return new EndMarks(statement, question, pattern(ends), pattern(asks), pattern(tells));
  }

  /** Whether this is a short text without a mark, in a language whose table has them. */
  areLeftOut(text) {
    const words = split(text).length;
    const isShort = own("FEWEST_WORDS") <= words && words <= own("MOST_WORDS");
    return Boolean(this.statement) && isShort && isWord([...text].at(-1));
  }

  /** The mark that a sentence should end with; empty where it has one, or is none. */
  missing(text) {
    if (!this.areLeftOut(text)) return "";
    const words = spaced(text);
    if (search(this.asks, words) !== null && search(this.tells, words) === null) return this.question;
    return search(this.ends, ` ${split(words).at(-1)} `) === null ? "" : this.statement;
  }
}

/** The translation of a sentence that had no mark; "9 a.m." and an ellipsis stay. */
export function withoutFullStop(text) {
  const stop = own("FULL_STOP");
  const last = split(text).at(-1) ?? "";
  return text.endsWith(stop) && !last.slice(0, -1).includes(stop) ? text.slice(0, -1) : text;
}
