// A text as the checks read it: its words, numbers and marks with one blank between any two of them.

import { casefold, isAscii } from "../../core/python-text.js";
import { matches, rule } from "../../rules.js";
import { inAsciiDigits } from "../unicode.js";

// Spellings of one word: the dot below ज़, the moon above ँ, invisible joiners, apostrophes and dashes of print.
const SAME = new Map([
  ["\u093c", ""], ["\u0901", "\u0902"], ["\u200c", ""], ["\u200d", ""], ["’", "'"], ["–", "-"], ["—", "-"], ["−", "-"],
]);
const IN_SEVERAL_SPELLINGS = new RegExp(`[${[...SAME.keys()].join("")}]`, "gu");
// `\b` of Python knows the letters of every script.
const BOUNDARY = "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))";

/** The text in lower case, in one spelling, with the digits 0 to 9. */
export const folded = (text) => inAsciiDigits(casefold(inOneSpelling(text)));

/** A blank before and after each word, number and mark: " the 5 kg , not 6 . " */
export function spaced(text) {
  const tokens = matches(rule("translation.checks.spaced", "TOKEN"), folded(text)).map(([token]) => token);
  return ` ${tokens.join(" ")} `;
}

/** Any of these in a spaced text, from the beginning of a word to the end of one. */
export const pattern = (alternatives) => new RegExp(`(?<= )(?:${anyOf(alternatives)})(?= )`, "gu");

/** A pattern for any of these, in the spelling of spaced texts; `\w` is any part of a word. */
export function anyOf(alternatives) {
  const each = Array.from(alternatives, (one) =>
    inOneSpelling(one).replaceAll("\\w", "[^ ]").replaceAll("\\b", BOUNDARY),
  );
  return each.join("|") || "(?!)";
}

function inOneSpelling(text) {
  if (isAscii(text)) return text;
  return text.normalize("NFD").replace(IN_SEVERAL_SPELLINGS, (one) => SAME.get(one));
}
