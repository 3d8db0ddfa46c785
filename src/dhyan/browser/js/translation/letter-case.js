// Shouted sentences and titles are sent in ordinary case, which is what models know best.
// `toSentenceCase` changes letters one for one, so that offsets in the text stay the same.

import { search, substituted } from "../core/patterns.js";
import { characterAt, isAlpha, isLower, isUpper } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { allLanguages } from "../text/languages.js";
import { blanks } from "./unicode.js";

export const Case = Object.freeze({
  ORDINARY: "as it is written",
  UPPER: "ALL OF IT",
  TITLE: "Every Word of It",
});

const of = (name) => rule("translation.letter_case", name);

export function caseOf(text) {
  const capitals = (text.match(/\p{Uppercase}/gu) ?? []).length;
  if (capitals > of("_LONGEST_ACRONYM") && !/\p{Lowercase}/u.test(text)) return Case.UPPER;
  return isTitle(text) ? Case.TITLE : Case.ORDINARY;
}

/** Whether a text shows if it is shouted: "AAP KAISE HO" is, "ISRO" among words in Devanagari is a name. */
export const allLettersHaveCase = (text) =>
  Array.from(text).every((one) => !isAlpha(one) || one.toLowerCase() !== one.toUpperCase());

/** The text as it would stand in running prose; it has as many characters as before. */
export function toSentenceCase(text, letterCase) {
  if (letterCase === Case.ORDINARY) return text;
  let seenFirst = false;
  return substituted(of("_WORD"), text, ([word, ...found]) => {
    const first = !seenFirst && search(of("_NUMBER_BEFORE"), text.slice(0, found.at(-2))) === null;
    seenFirst = true;
    const head = characterAt(word, 0);
    const smaller = head + lower(word.slice(head.length));
    if (word === "I" || word.startsWith("I'") || word.startsWith("I’")) return smaller; // the English pronoun
    if (letterCase === Case.UPPER) return first ? smaller : lower(word);
    // In a title, USA and iPhone are written on purpose.
    return first || !isCapitalised(word) ? word : lower(word);
  });
}

/** A translation in the case of its source, for languages that have case. */
export function toCase(letterCase, text) {
  if (letterCase === Case.UPPER) return text.toUpperCase();
  if (letterCase !== Case.TITLE) return text;
  const pieces = text.split(new RegExp(`(${blanks().source})`, "u"));
  return pieces.map((word) => characterAt(word, 0).toUpperCase() + word.slice(characterAt(word, 0).length)).join("");
}

function isTitle(text) {
  const words = matches(of("_WORD"), text).map((found) => found[0]);
  const sure = of("_WORDS_OF_A_SURE_TITLE");
  if (words.length < sure) return false;
  const functionWords = new Set(allLanguages().functionWords);
  if (!isUpper(characterAt(words[0], 0))) return false;
  if (words.some((word) => isLower(word) && !functionWords.has(word))) return false;
  const capitalised = words.filter(isCapitalised).length;
  if (words.slice(1).some((word) => functionWords.has(word.toLowerCase()) && isCapitalised(word))) {
    return capitalised >= sure;
  }
  if (words.some((word) => allLanguages().abbreviations.has(word.toLowerCase()))) return false; // Mr and Dr stand before names
  return capitalised >= of("_WORDS_OF_A_TITLE") && !text.includes(",");
}

function isCapitalised(word) {
  const head = characterAt(word, 0);
  return isUpper(head) && !/\p{Uppercase}/u.test(word.slice(head.length));
}

// A letter whose small form is two characters (İ) stays: offsets must not change.
const lower = (word) =>
  Array.from(word, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join("");
