// Words in another script than the translator has learnt: 東京, Москва, السلام عليكم, π. They are kept.

import { characterCount, isAscii } from "../core/python-text.js";
import { rule } from "../rules.js";
import { scriptOf } from "../text/scripts.js";
import { Kind, Span } from "./protected-spans.js";
import { isWord } from "./unicode.js";

const own = (name) => rule("translation.foreign_scripts", name);

/** The scripts that a translator reads; with none, words in every script are for it. */
export class Scripts {
  constructor(source) {
    this.source = new Set(source);
    Object.freeze(this);
  }

  /** Phrases in other scripts, also in the target's where that is not the source's too. */
  foreignSpans(text) {
    if (this.source.size === 0 || isAscii(text)) return [];
    const ranges = phrases(text, words(text, new Set([...this.source, ...own("_STRAY")])));
    return ranges.map(([start, end]) => new Span(start, end, Kind.FIXED, text.slice(start, end)));
  }
}

export const ANY_SCRIPT = new Scripts([]);

/** Where words in other scripts than the known ones begin and end. */
function words(text, known) {
  const found = [];
  let start = -1;
  let at = 0;
  for (const character of text) {
    const script = scriptOf(character);
    if (script !== null && !known.has(script)) {
      start = start < 0 ? at : start;
    } else if (start >= 0 && (script !== null || !isWord(character))) {
      found.push([start, at]);
      start = -1;
    }
    at += character.length;
  }
  return start >= 0 ? [...found, [start, text.length]] : found;
}

/** Words with no more than blanks and punctuation between them, as one. */
function phrases(text, found) {
  const joined = [];
  for (const [start, end] of found) {
    const latest = joined.at(-1);
    if (latest !== undefined && joins(text.slice(latest[1], start))) latest[1] = end;
    else joined.push([start, end]);
  }
  return joined.map(([start, end]) => withMarks(text, start, end));
}

/** The phrase with the punctuation that only its script has, as in 「こんにちは」。 */
function withMarks(text, start, end) {
  const [opening, closing] = [own("_OPENING"), own("_CLOSING")];
  while (start > 0 && opening.has(text[start - 1])) start -= 1;
  while (end < text.length && closing.has(text[end])) end += 1;
  return [start, end];
}

function joins(between) {
  const bounds = own("_BOUNDS");
  return characterCount(between) <= own("_LONGEST_GAP") && ![...between].some((one) => isWord(one) || bounds.has(one));
}
