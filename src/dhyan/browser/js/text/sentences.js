// Text to sentences without loss: joined again, the sentences are the text, to the last space.
//
// Rules, not a model: a mark that can end a sentence does end it unless what stands around it says otherwise (an
// abbreviation, an initial, a number, a small letter after it).

import { fullMatch, matchStart, search } from "../core/patterns.js";
import { characterAt, isDecimal, isLower, isUpper, lstripOf, rstrip, split, splitLines, strip } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { allLanguages } from "./languages.js";

const own = (name) => rule("text.sentences", name);
const FAR_AHEAD = 12; // characters
const FAR_BEHIND = 40;

/** The sentences of a text, each with the blanks that follow it; a line break always ends one. */
export function splitSentences(text) {
  const sentences = [];
  let start = 0;
  for (const found of matches(own("_BREAK"), text)) {
    const end = found.index + found[0].length;
    if (end < text.length && ends(text, start, found)) {
      sentences.push(text.slice(start, end));
      start = end;
    }
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Parts of at most `maxWords` words: cut at ; or :, else at a comma, else at a space; never in a word. */
export function splitLong(sentence, maxWords = 100) {
  if (maxWords < 1) throw new RangeError(`max_words = ${maxWords}: a part holds at least one word`);
  // Blanks around the sentence part no words.
  const cuts = matches(own("_CUT"), sentence).filter(
    (found) => found.index > 0 && found.index + found[0].length < sentence.length,
  );
  const offsets = cuts.map((found) => found.index + found[0].length);
  const ranks = cuts.map((found) => rankOf(sentence[found.index - 1]));
  const chosen = [];
  const waiting = [[0, offsets.length]]; // ranges of cuts: a range of n cuts holds n + 1 words
  while (waiting.length) {
    const [first, last] = waiting.pop();
    if (last - first + 1 > maxWords) {
      const cut = bestCut(ranks, first, last);
      chosen.push(offsets[cut]);
      waiting.push([first, cut], [cut + 1, last]);
    }
  }
  const edges = [0, ...chosen.sort((one, other) => one - other), sentence.length];
  return sentence ? edges.slice(1).map((end, place) => sentence.slice(edges[place], end)) : [];
}

/** Does the sentence that began at `start` end here? Blank lines and blanks before a text end none. */
function ends(text, start, found) {
  const { line, mark, blank } = found.groups;
  if (line !== undefined && !strip(text.slice(start, found.index))) return false;
  if (mark === undefined || splitLines(blank)[0] !== blank) return true; // no line break joins
  const end = found.index + found[0].length;
  const following = Array.from(text.slice(end, end + 2 * FAR_AHEAD)).slice(0, FAR_AHEAD).join("");
  const ahead = lstripOf(following, own("_OPENING"));
  if (isLower(characterAt(ahead, 0))) return false;
  return mark !== "." || !isAbbreviation(text, start, found.index, ahead);
}

function isAbbreviation(text, start, dot, ahead) {
  // Words are short; looking back a little way keeps the search linear in text without any blank.
  const behind = Array.from(text.slice(Math.max(start, dot - 2 * FAR_BEHIND), dot)).slice(-FAR_BEHIND).join("");
  const found = search(own("_LAST_WORD"), behind);
  if (found === null) return false;
  const word = found[0];
  const before = rstrip(behind.slice(0, found.index));
  const name = word.toLowerCase();
  const rules = allLanguages();
  if (rules.abbreviations.has(name)) return true;
  if (rules.abbreviationsBeforeNumbers.has(name)) return isDecimal(characterAt(ahead, 0));
  if (isDecimal(word)) return !before; // "1. Introduction" is one line
  if (rules.speltLettersThatAreWords.has(word)) {
    const initial = matchStart(own("_INITIAL_AHEAD"), ahead);
    return initial !== null && (rules.speltLetters.has(initial[1]) || rules.speltLettersThatAreWords.has(initial[1]));
  }
  if (rules.speltLetters.has(word) || fullMatch(own("_LETTERS_WITH_DOTS"), word)) {
    return !["a.m", "p.m"].includes(name) || matchStart(own("_REST_OF_A_TIME"), ahead) !== null;
  }
  if (characterAt(word, 0) === word && isUpper(word)) {
    // "John F. Kennedy", but not "rich in vitamin C. It …".
    const previous = split(before).at(-1);
    return previous === undefined || isUpper(characterAt(lstripOf(previous, own("_OPENING")), 0));
  }
  return false;
}

const rankOf = (before) => (own("_STRONG_MARKS").includes(before) ? 0 : own("_WEAK_MARKS").includes(before) ? 1 : 2);

/** The best mark in the middle half of the range, so that no part is a stump; among equals, the middlemost. */
function bestCut(ranks, first, last) {
  const middle = (first + last - 1) / 2;
  const quarter = Math.floor((last - first) / 4);
  let best = first + quarter;
  for (let cut = best + 1; cut < last - quarter; cut += 1) {
    const nearer = Math.abs(cut - middle) < Math.abs(best - middle);
    if (ranks[cut] < ranks[best] || (ranks[cut] === ranks[best] && nearer)) best = cut;
  }
  return best;
}
