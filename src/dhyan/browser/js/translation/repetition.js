// Loops: a translation that says the same thing again and again where its source does not.

import { counted } from "../core/comparing.js";
import { search, substituted } from "../core/patterns.js";
import { casefold, characterCount } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { isWord } from "./unicode.js";

const of = (name) => rule("translation.repetition", name);

export const loops = (text, source) => withoutLoops(text, source) !== text;

/** The text with every loop cut to one round; what stands before and after it stays. */
export function withoutLoops(text, source) {
  const most = Math.max(0, ...counted(wordsOf(text)).values());
  let cut = most >= of("_ROUNDS") ? withoutLoopsOfWords(text, source) : text; // else no word can be in a loop
  if (!search(of("_LETTER_LOOP"), source)) cut = substituted(of("_LETTER_LOOP"), cut, (found) => found[1]);
  return cut;
}

function withoutLoopsOfWords(text, source) {
  const limit = Math.max(of("_ROUNDS"), mostRounds(wordsOf(source)) + of("_ROUNDS_BEYOND_SOURCE"));
  for (let loop = firstLoop(wordsOf(text), limit); loop; loop = firstLoop(wordsOf(text), limit)) {
    const spans = units(text).map((found) => [found.index, found.index + found[0].length]);
    const [start, period, length] = loop;
    // The last whole round is kept, for the punctuation of the end; the broken one after it is not.
    const last = start + (Math.floor(length / period) - 1) * period;
    const kept = text.slice(spans[last][0], spans[last + period - 1][1]);
    text = text.slice(0, spans[start][0]) + kept + text.slice(spans[start + length - 1][1]);
  }
  return text;
}

export const absurdlyLong = (text, source) =>
  characterCount(text) > of("_LENGTH_FACTOR") * characterCount(source) + of("_LENGTH_ALLOWANCE");

const units = (text) => matches(of("_UNIT"), text);

/** The words without their punctuation and case: "OK, ok." says one thing twice. */
const wordsOf = (text) => units(text).map(([unit]) => casefold([...unit].filter(isWord).join("")) || unit);

/** Every sequence of words that repeats, as [start, words per round, words in all]. */
function runs(words) {
  /** @type {[number, number, number][]} */
  const found = [];
  for (let period = 1; period <= Math.min(of("_LONGEST_ROUND"), Math.floor(words.length / 2)); period += 1) {
    let same = 0;
    for (let index = period; index <= words.length; index += 1) {
      if (index < words.length && words[index] === words[index - period]) {
        same += 1;
      } else {
        if (same >= period) found.push([index - period - same, period, period + same]);
        same = 0;
      }
    }
  }
  return found;
}

const rounds = ([, period, length]) => Math.floor(length / period);

function mostRounds(words) {
  const found = runs(words).map(rounds);
  return found.length ? Math.max(...found) : 1;
}

// Short rounds come first: "ok ok ok ok" is four rounds of one word, not two of two.
const firstLoop = (words, limit) => runs(words).find((run) => rounds(run) >= limit) ?? null;
