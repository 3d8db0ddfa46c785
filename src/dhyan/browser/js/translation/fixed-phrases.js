// Phrases whose words do not mean what they mean by themselves: "in order to" has no order in it.

import { sortedBy } from "../core/comparing.js";
import { escaped, substituted } from "../core/patterns.js";
import { split } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { formsOfTerm } from "../text/inflection.js";
import { allLanguages } from "../text/languages.js";
import { blanks } from "./unicode.js";

const LETTER = "[\\p{L}\\p{N}_\\u0300-\\u036f\\u0900-\\u0dff\\u200c\\u200d]"; // with the marks of Indian scripts

/** The phrases that hold one of the given words; the others are never asked about. */
export class FixedPhrases {
  constructor(own, words) {
    const known = new Set();
    for (const word of words) {
      for (const form of [word, ...Array.from(formsOfTerm(word), ([other]) => other)]) known.add(form.toLowerCase());
    }
    const phrases = sortedBy([...own, ...allLanguages().fixedPhrases]).filter((phrase) => hasOneOf(phrase, known));
    const patterns = phrases.map(patternOf).join("|");
    // Each is tried at every place, so that a phrase does not hide another that begins further on.
    this.pattern = patterns ? new RegExp(`(?<!${LETTER})(?=(${patterns})(?!${LETTER}))`, "gu") : null;
  }

  /**
   * The phrase in this text (in lower case) that a term from start to end is a part of; empty: none.
   *
   * A term that is the whole phrase, or more than it, is used.
   */
  around(text, start, end) {
    if (this.pattern === null) return "";
    const longest = rule("translation.fixed_phrases", "_LONGEST");
    const [from, to] = [Math.max(0, start - longest), Math.min(text.length, end + longest)];
    for (const found of matches(this.pattern, text, from, to)) {
      const [first, last] = [found.index, found.index + found[1].length];
      if (first <= start && end <= last && last - first > end - start) return found[1];
    }
    return "";
  }
}

function patternOf(phrase) {
  const words = split(phrase.toLowerCase()).map((word) => word.split("|").map(escaped).join("|"));
  return words.map((word) => `(?:${word})`).join(" ");
}

function hasOneOf(phrase, known) {
  const spaced = substituted(blanks(), phrase.toLowerCase(), () => " ");
  return spaced.split(/[ \x1f|'’-]+/u).some((word) => known.has(word));
}
