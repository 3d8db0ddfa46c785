// What Unicode says of a character, and JavaScript does not.

import { rule } from "../rules.js";

const CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co"
  .split(" ")
  .map((name) => ({ name, pattern: new RegExp(`^\\p{${name}}$`, "u") }));
const categories = new Map(); // of characters that were asked for

/** The category of a character: Lu, Mn, Nd, … */
export function category(character) {
  let found = categories.get(character);
  if (!found) {
    found = CATEGORIES.find(({ pattern }) => pattern.test(character))?.name ?? "Cn";
    categories.set(character, found);
  }
  return found;
}

const NAMED = /^[\p{L}\p{M}\p{N}]/u;

/** How the name of a letter, mark or digit begins: LATIN, DEVANAGARI, CJK; empty for other characters. */
export function firstWordOfName(character) {
  if (!NAMED.test(character)) return "";
  const names = rule("unicodedata", "NAMES"); // [first code point, word], in order
  const code = character.codePointAt(0);
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (names[middle][0] <= code) low = middle + 1;
    else high = middle;
  }
  return low ? names[low - 1][1] : "Unknown";
}
