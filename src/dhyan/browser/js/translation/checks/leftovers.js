// What no translation has: words that are still in the source's script, broken characters, far too few words.

import { casefold, characterAt, characterCount, isLower } from "../../core/python-text.js";
import { matches, rule } from "../../rules.js";
import { scriptOf } from "../../text/scripts.js";

const own = (name) => rule("translation.checks.leftovers", name);
const wordsOf = (text) => matches(own("_WORD"), text).map(([word]) => word);

/** For two languages in different scripts. */
export class LeftoverCheck {
  constructor(sourceScript, sourceHasCase) {
    this.script = sourceScript;
    this.hasCase = sourceHasCase;
  }

  notes(source, target) {
    const words = new Set(wordsOf(source));
    const known = [...words].map(casefold);
    const quoted = matches(own("_QUOTED"), source).map((found) => found[1]);
    const [invented, left] = [[], []];
    for (const word of new Set(wordsOf(target))) {
      if (scriptOf(characterAt(word, 0)) !== this.script) continue;
      const plain = casefold(word);
      if (!known.some((one) => one.startsWith(plain) || plain === `${one}s`)) invented.push(word);
      else if (words.has(word) && this.#hasATranslation(word) && !quoted.includes(word)) left.push(word);
    }
    const notes = [];
    if (hasNewSymbol(source, target)) notes.push("the translation has a broken character");
    if (invented.length > 0) notes.push(`${listed(invented)} may be invented`);
    if (left.length > 0) notes.push(`${listed(left)} may not be translated`);
    if (letters(target) < own("_LEAST_SHARE") * letters(source) - own("_ALLOWANCE")) {
      notes.push("the translation is much shorter than its source");
    }
    return notes;
  }

  /** Whether it is an ordinary word, as far as its letters tell: no name, no abbreviation. */
  #hasATranslation(word) {
    const hasVowel = [...own("_VOWELS")].some((vowel) => word.includes(vowel));
    return characterCount(word) >= own("_SHORTEST") && (!this.hasCase || (isLower(word) && hasVowel));
  }
}

function hasNewSymbol(source, target) {
  const symbol = new RegExp(`^[${own("_SYMBOLS").map((category) => `\\p{${category}}`).join("")}]$`, "u");
  const there = new Set(source);
  return matches(own("_UNUSUAL"), target).some(([character]) => !there.has(character) && symbol.test(character));
}

const letters = (text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length;

function listed(words) {
  const some = words.slice(0, own("_MOST_LISTED")).map((word) => `"${word}"`);
  return some.join(", ") + (words.length > own("_MOST_LISTED") ? ", …" : "");
}
