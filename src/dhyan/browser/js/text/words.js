// Words as people see them: split, and found in their sentence. In any script, Devanagari's marks included.

import { DhyanError } from "../core/errors.js";
import { escaped } from "../core/patterns.js";
import { characterAt, characterBefore, characterCount, split, strip } from "../core/python-text.js";

const IN_WORD = /^[\p{L}\p{M}\p{N}'’\u200c\u200d]$/u;
const NOT_IN_WORD = /[^\p{L}\p{M}\p{N}'’\u200c\u200d]/gu;
const JOINING = /^['’\u200c\u200d]+|(?<!['’\u200c\u200d])['’\u200c\u200d]+$/g;

/** The words of a text in lower case: letters and digits with the marks that belong to them, as in हिन्दी. */
export function wordsOf(text) {
  const spaced = text.normalize("NFC").toLowerCase().replace(NOT_IN_WORD, " ");
  const words = split(spaced).map((word) => word.replace(JOINING, ""));
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Words, and up to `longest` of them in a row with a blank between. */
export const runsOf = (words, longest) =>
  runSpans(words.length, longest).map(([begin, end]) => words.slice(begin, end).join(" "));

/** Of each of these runs the number of its first word, and of the one behind its last. */
export function runSpans(words, longest) {
  const found = [];
  for (let size = 1; size <= longest; size += 1)
    for (let begin = 0; begin + size <= words; begin += 1) found.push([begin, begin + size]);
  return found;
}

/** Letters, marks (vowel signs, virama), digits; the joiners that shape Devanagari; apostrophes, as in don't. */
export const inWord = (character) => IN_WORD.test(character);

/** Where a word stands in a text, whatever its case; never inside another word, but `bank` is in `bank's`. */
export function wordSpans(word, text) {
  if (!word) return [];
  const spans = Array.from(text.matchAll(new RegExp(escaped(word), "giu")), (found) => [
    found.index,
    found.index + found[0].length,
  ]);
  return spans.filter(([begin, end]) => !joins(characterBefore(text, begin)) && !joins(characterAt(text, end)));
}

/** The same, where there must be one. */
export function findWord(word, text) {
  const [wanted, there] = [strip(word), text].map((one) => one.normalize("NFC"));
  if (!wanted) throw new DhyanError("--word is empty; name a word of the sentence.");
  const spans = wordSpans(wanted, there);
  if (spans.length) return spans;
  const shown = characterCount(there) <= 60 ? there : `${Array.from(there).slice(0, 59).join("")}…`;
  throw new DhyanError(
    `the word '${word}' is not in the text '${split(shown).join(" ")}'; name one that stands in it.`,
  );
}

const joins = (character) => inWord(character) && !"'’".includes(character);
