// What the other files ask of a single character.

import { search, substituted } from "../core/patterns.js";
import { isAscii } from "../core/python-text.js";
import { rule } from "../rules.js";

export const blanks = () => rule("translation.unicode", "BLANKS");

const WORD = /^[\p{L}\p{N}\p{M}\u200c\u200d]$/u;
const DECIMAL = /^\p{Nd}$/u;

/** Is it part of a word? Vowel signs and joiners are. */
export const isWord = (character) => WORD.test(character);

export const someWord = (text) => /[\p{L}\p{N}\p{M}\u200c\u200d]/u.test(text);

export const hasLetters = (text) => /\p{L}/u.test(text);

/** The text with the digits of every script (२५) as 0 to 9, character for character. */
export function inAsciiDigits(text) {
  if (isAscii(text)) return text;
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => decimal(digit));
}

/** The same, with offsets that stay: digits that take two units are left alone. */
export const inAsciiDigitsInPlace = (text) =>
  isAscii(text) ? text : text.replace(/(?![0-9])\p{Nd}/gu, (digit) => (digit.length === 1 ? decimal(digit) : digit));

/** The ten digits of a script follow each other, and so do those of several kinds. */
function decimal(digit) {
  const code = digit.codePointAt(0);
  let first = code;
  while (DECIMAL.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** Dots as the source writes them: models put .. or ... where it has … */
export function withEllipsisOf(source, text) {
  const asked = source.includes("…") && !text.includes("…") && !source.includes("..");
  const dots = rule("translation.unicode", "_DOTS");
  return asked && search(dots, text) ? substituted(dots, text, () => "…") : text;
}

/** Brackets as the source writes them: models put ( word where it has (word. */
export function withoutBlankAfterBracket(source, text) {
  const blank = rule("translation.unicode", "_AFTER_BRACKET");
  return search(blank, source) ? text : substituted(blank, text, () => "");
}
