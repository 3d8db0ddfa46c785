// Marks inside a sentence, such as emphasis and links: on the translation of the same words afterwards.
//
// The sentence is translated without its marks, so that they do not change it. Word alignment says which words of the
// translation come from the marked ones. Where that is not clear, there is no answer, and the caller finds another way.

import { sortedBy } from "../core/comparing.js";
import { DhyanError } from "../core/errors.js";
import { fullMatch } from "../core/patterns.js";
import { characterAt, characterBefore, countOf, replaceEvery, replaceFirst } from "../core/python-text.js";
import { rule } from "../rules.js";
import { Kind } from "./protected-spans.js";
import { isWord, someWord } from "./unicode.js";

const of = (name) => rule("translation.inline_marks", name);

/** The tags that open something, each with the one that closes it. */
export function tagPairs(spans) {
  const pairs = [];
  const begun = [];
  for (const span of spans) {
    if (span.kind !== Kind.TAG) continue;
    const [name, opens] = nameOf(span.replacement);
    if (opens) begun.push([name, span]);
    else if (begun.length && begun.at(-1)[0] === name) pairs.push([begun.pop()[1], span]);
  }
  return sortedBy(pairs, ([opening, closing]) => [opening.start, -closing.end]);
}

/** What a tag is called, and whether it opens something. */
function nameOf(tag) {
  const found = fullMatch(of("_TAG"), tag);
  if (found) return [found[2], !found[1] && !found[3]];
  return ["[", tag.endsWith("[")]; // half of a link: [ or ](address)
}

/** A sentence without its marks, and the marks: {opening, closing, start, end}, an outer one before those inside. */
export class MarkedSentence {
  constructor(bare, marks) {
    this.bare = bare;
    this.marks = marks;
  }

  /** Null if there are no marks, or some whose other half is in another sentence. */
  static of(source, hidden) {
    const tags = hidden.filter((span) => span.kind === Kind.TAG);
    const pairs = tagPairs(tags);
    if (!tags.length || 2 * pairs.length !== tags.length) return null;
    let bare = "";
    const offsets = new Map();
    let at = 0;
    for (const tag of tags) {
      bare += source.slice(at, tag.start);
      offsets.set(tag.start, bare.length);
      at = tag.end;
    }
    const marks = pairs.map(([a, b]) => ({
      opening: a.replacement,
      closing: b.replacement,
      start: offsets.get(a.start),
      end: offsets.get(b.start),
    }));
    return new MarkedSentence(bare + source.slice(at), marks);
  }

  /** The translation of `bare` with the marks on the right words. `kept`: parts that are in both as they are. */
  carried(translation, kept, align) {
    let { bare: source, marks } = this;
    const words = unusedWords(source + translation, kept.length);
    for (const [number, part] of kept.entries()) {
      // The alignment sees names, as the model did.
      if (!source.includes(part) || countOf(translation, part) !== 1) return null;
      const word = words[number];
      const at = source.indexOf(part);
      source = replaceFirst(source, part, word);
      translation = replaceEvery(translation, part, word);
      marks = marks.map((mark) => shifted(mark, at, part.length, word.length));
    }
    const carried = carriedMarks(source, translation, marks, align);
    if (carried === null) return null;
    return kept.reduce((text, part, number) => replaceFirst(text, words[number], part), carried);
  }
}

function unusedWords(text, count) {
  const candidates = [..."XYZWVUQ"].flatMap((letter) => [..."123456789"].map((digit) => letter + digit));
  return candidates.filter((word) => !text.includes(word)).slice(0, count);
}

/** A mark where so many characters from `at` on were replaced by others. */
function shifted(mark, at, before, after) {
  const moved = (offset) => (offset <= at ? offset : Math.max(at, offset - before + after));
  return { ...mark, start: moved(mark.start), end: moved(mark.end) };
}

function carriedMarks(source, translation, marks, align) {
  let found;
  try {
    found = align(source, translation);
  } catch (error) {
    if (error instanceof DhyanError) return null; // too long to be aligned
    throw error;
  }
  const given = wordSpans(source, found.source);
  const written = wordSpans(translation, found.target);
  if (!given?.length || !written?.length) return null;
  const weights = found.weights.toList?.() ?? found.weights; // rows: target words × source words
  const ranges = [];
  for (const mark of marks) {
    const hasWords = mark.start !== mark.end && someWord(source.slice(mark.start, mark.end));
    const place = (hasWords ? aroundWords : afterWord)(source, translation, mark, weights, given, written);
    if (place === null) return null;
    ranges.push([...place, mark]);
  }
  return withMarks(translation, ranges);
}

function wordSpans(text, words) {
  const spans = [];
  let at = 0;
  for (const word of words) {
    const start = text.indexOf(word, at);
    if (start < 0) return null;
    at = start + word.length;
    spans.push([start, at]);
  }
  return spans;
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const argmax = (numbers) => numbers.indexOf(Math.max(...numbers));

function aroundWords(source, translation, mark, raw, given, written) {
  const marked = [...given.keys()].filter((word) => given[word][0] < mark.end && given[word][1] > mark.start);
  if (!marked.length) return null;
  const weights = raw.map((row) => row.map((one) => one / Math.max(1e-9, sum(row))));
  const share = weights.map((row) => sum(marked.map((word) => row[word]))); // one per target word
  const hits = weights.map((row) => marked.includes(argmax(row)));
  for (let word = 1; word < hits.length - 1; word += 1) {
    // A word between two marked ones that looks at the same words.
    hits[word] ||= hits[word - 1] && hits[word + 1] && share[word] > of("_PART_OF_THE_SPAN");
  }
  const runs = [[]];
  for (const [word, hit] of hits.entries()) {
    if (hit) runs.at(-1).push(word);
    else if (runs.at(-1).length) runs.push([]);
  }
  const shareOf = (run) => sum(run.map((word) => share[word]));
  let best = runs.reduce((most, run) => (shareOf(run) > shareOf(most) ? run : most));
  // Words such as "do not" go into others: the one that looks at them most.
  if (!best.length) best = [argmax(share.slice(0, Math.max(1, share.length - 1)))];
  const highest = () => Math.max(...best.map((word) => share[word]));
  while (share[best[0]] < of("_AT_THE_EDGE") * highest()) best = best.slice(1);
  const least = (word) => (word === share.length - 1 ? of("_AT_THE_END") : of("_AT_THE_EDGE"));
  while (share[best.at(-1)] < least(best.at(-1)) * highest()) best = best.slice(0, -1);
  let [start, end] = [written[best[0]][0], written[best.at(-1)][1]];
  // Punctuation at the edges is marked if it was so in the source.
  if (!isWord(characterBefore(source, mark.end))) return [start, end];
  while (end > start + 1 && !isWord(characterBefore(translation, end))) end -= characterBefore(translation, end).length;
  while (start < end - 1 && !isWord(characterAt(translation, start)) && isWord(characterAt(source, mark.start))) {
    start += characterAt(translation, start).length;
  }
  return [start, end];
}

/** Where a footnote's number goes: after the word that it stood after. */
function afterWord(source, translation, mark, weights, given, written) {
  const before = [...given.keys()].filter((word) => given[word][0] < mark.start);
  if (!before.length) return [0, 0];
  let end = written[argmax(weights.map((row) => row[before.at(-1)]))][1];
  if (mark.start && isWord(characterBefore(source, mark.start))) {
    while (end && !isWord(characterBefore(translation, end))) end -= characterBefore(translation, end).length;
  }
  return [end, end];
}

/** The marks put in; null if two of them would cross, or stand in each other where they did not before. */
function withMarks(translation, ranges) {
  const placed = [];
  for (const [start, end, mark] of ranges) {
    for (const [outerStart, outerEnd, outer] of placed) {
      const wasInside = outer.start <= mark.start && mark.end <= outer.end && outer.start < outer.end;
      const isInside = outerStart <= start && end <= outerEnd;
      const isApart = end <= outerStart || start >= outerEnd;
      if (!(wasInside ? isInside : isApart)) return null;
    }
    placed.push([start, end, mark]);
  }
  const pieces = placed.flatMap(([start, end, mark], number) =>
    // At one offset: first what ends there, the inner one first, then what begins, the outer one first.
    start === end
      ? [[start, 1, number, mark.opening + mark.closing]]
      : [[start, 2, number, mark.opening], [end, 0, -number, mark.closing]],
  );
  let result = "";
  let at = 0;
  for (const [offset, , , tag] of sortedBy(pieces)) {
    result += translation.slice(at, offset) + tag;
    at = offset;
  }
  return result + translation.slice(at);
}
