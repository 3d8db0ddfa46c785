// Placeholders: short tokens that a model copies, sent in place of what it must not change.
//
// What stands for a name is like one (X1), what stands for a number is a number: "at 47" would be a time, and
// "X1 apples" would lose its plural. A pair of rare capitals is the second choice for both. A pack that was trained to
// copy characters of its own names them in its manifest, and gets those instead of names. Each is distinct in its
// sentence and absent from it otherwise, so that it can be found again whatever the word order.

import { compare, sortedBy } from "../core/comparing.js";
import { fullMatch, substituted } from "../core/patterns.js";
import { characterAt, characterBefore, isDigit, lstrip, rstrip, split, strip } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { tagPairs } from "./inline-marks.js";
import { Kind, blankOut } from "./protected-spans.js";
import { blanks, inAsciiDigits, inAsciiDigitsInPlace, isWord, someWord } from "./unicode.js";

const of = (name) => rule("translation.placeholders", name);

/** What is sent for a number, and what for everything else. */
export class PlaceholderWords {
  constructor(names, numbers) {
    this.names = names;
    this.numbers = numbers;
  }
}

export const firstChoice = () => new PlaceholderWords(split(of("_NAMES")), split(of("_NUMBERS")));
export const secondChoice = () => new PlaceholderWords(split(of("_CAPITALS")), split(of("_CAPITALS")));

/** The first choice for a pack that was trained to copy these, if any. */
export const placeholderWords = (trained) =>
  trained.length ? new PlaceholderWords([...trained], firstChoice().numbers) : firstChoice();

/** The spans [start, end] of a placeholder in a text, where it is not part of a longer word or number. */
function spansIn({ word }, text) {
  const kind = (one) => (isDigit(one) ? "\\p{Nd}" : "[A-Za-z]");
  const pattern = `(?<!${kind(characterAt(word, 0))})${word}(?!${kind(characterBefore(word, word.length))})`;
  return matches(new RegExp(pattern, "gu"), text).map((found) => [found.index, found.index + word.length]);
}

/** A sentence as the model gets it. */
export class WithPlaceholders {
  /** placeholders: {word, span, gapBefore, gapAfter}, the gaps being blanks that the source does not have. */
  constructor(text, placeholders) {
    this.text = text;
    this.placeholders = placeholders;
  }

  /** The output with everything back in its place; null unless each placeholder is there exactly once. */
  restored(output) {
    const text = inAsciiDigitsInPlace(output);
    const found = this.placeholders.map((placeholder) => [spansIn(placeholder, text), placeholder]);
    if (found.some(([spans]) => spans.length !== 1)) return null;
    const places = new Map(found.map(([spans, placeholder]) => [placeholder.span, spans[0]]));
    if (!tagsAreNested(text, places)) return null;
    let [result, at, trim, replacement] = ["", 0, false, ""];
    for (const [spans, placeholder] of sortedBy(found, ([spans]) => spans)) {
      const [start, end] = spans[0];
      result = joined(result, replacement, output.slice(at, start), trim);
      ({ replacement } = placeholder.span);
      result = placeholder.gapBefore ? rstrip(result) : separated(result, replacement);
      [at, trim] = [end, placeholder.gapAfter];
      result += replacement;
    }
    return joined(result, replacement, output.slice(at), trim);
  }

  /** The placeholders that stand for something that cannot be a time of the day. */
  get noTimes() {
    const isTime = ({ span }) => fullMatch(of("_LIKE_A_TIME"), span.replacement);
    return this.placeholders.filter((one) => !isTime(one)).map((one) => one.word);
  }

  /** The output with blanks in place of whatever stands for something else. */
  withoutPlaceholders(output) {
    const text = inAsciiDigitsInPlace(output);
    for (const placeholder of this.placeholders) {
      for (const [start, end] of spansIn(placeholder, text)) {
        output = output.slice(0, start) + " ".repeat(end - start) + output.slice(end);
      }
    }
    return output;
  }
}

/** Whether the tags stand in each other as before; a pair around words must still have some. */
function tagsAreNested(output, places) {
  const tags = sortedBy([...places.keys()].filter((span) => span.kind === Kind.TAG), (span) => span.start);
  const pairs = tagPairs(tags);
  if (2 * pairs.length !== tags.length) {
    // Some belong to another sentence: these keep their order.
    return tags.every((tag, number) => !number || compare(places.get(tags[number - 1]), places.get(tag)) <= 0);
  }
  const ranges = pairs.map(([a, b]) => [places.get(a)[0], places.get(b)[1], a, b]);
  for (const [number, [start, end, opening, closing]] of ranges.entries()) {
    const words = output.slice(places.get(opening)[1], places.get(closing)[0]);
    if (start > end || (opening.end < closing.start && !someWord(words))) return false;
    for (const [outerStart, outerEnd, outer, outerClosing] of ranges.slice(0, number)) {
      const isInside = outerStart < start && end < outerEnd;
      const isApart = end <= outerStart || outerEnd <= start;
      const wasInside = outer.start < opening.start && opening.start < outerClosing.start;
      if (!(wasInside ? isInside : isApart)) return false;
    }
  }
  return true;
}

/** The text with placeholders for the spans; null when there are too many of them. */
export function withPlaceholders(text, spans, words) {
  const plain = inAsciiDigits(blankOut(text, spans)).toUpperCase();
  const [names, numbers] = [words.names, words.numbers].map((several) => several.filter((one) => !plain.includes(one)));
  if (spans.length > Math.min(of("_MOST"), names.length, numbers.length)) return null;
  let sent = "";
  let at = 0;
  const placeholders = [];
  const taken = new Set(); // in the second choice names and numbers are the same words
  for (const [index, span] of spans.entries()) {
    const word = (span.kind === Kind.NUMBER ? numbers : names).find((one) => !taken.has(one));
    taken.add(word);
    sent += text.slice(at, span.start);
    const gapBefore = isWord(characterBefore(sent, sent.length));
    const isFollowed = index + 1 < spans.length && spans[index + 1].start === span.end;
    const gapAfter = isFollowed || isWord(characterAt(text, span.end));
    sent += (gapBefore ? " " : "") + word + (gapAfter ? " " : "");
    placeholders.push({ word, span, gapBefore, gapAfter });
    at = span.end;
  }
  return new WithPlaceholders(strip(substituted(blanks(), sent + text.slice(at), () => " ")), placeholders);
}

const meet = (before, after) => isWord(characterBefore(before, before.length)) && isWord(characterAt(after, 0));

function joined(result, replacement, following, trim) {
  if (trim) return result + lstrip(following);
  return meet(replacement, following) ? `${result} ${following}` : result + following;
}

/** A model may glue a word to a placeholder; an address or a name must not end up in the middle of a word. */
const separated = (result, replacement) => (meet(result, replacement) ? `${result} ` : result);
