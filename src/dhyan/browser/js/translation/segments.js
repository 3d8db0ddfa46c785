// A line as sentences, each with what is known about it before a model sees it.

import { sortedBy } from "../core/comparing.js";
import { substituted } from "../core/patterns.js";
import { characterAt, characterBefore, isAscii, isSpace } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { splitLong, splitSentences } from "../text/sentences.js";
import { tagPairs } from "./inline-marks.js";
import { Case, caseOf, toSentenceCase } from "./letter-case.js";
import { numberSpans } from "./numbers.js";
import { Kind, Span, blankOut, protectedSpans, watchedSpans } from "./protected-spans.js";
import { blanks, hasLetters, isWord } from "./unicode.js";

const keys = new WeakMap(); // of sentences

/**
 * `ordinary` is the source in ordinary case, character for character, with blanks for what is hidden.
 *
 * `hidden` spans never reach the model; `watched` ones do, and are hidden only if it does not keep them. `style` and
 * `context` say how and where the sentence is used, if the caller knows; with another one it is another sentence.
 */
export class Sentence {
  constructor(source, ordinary, letterCase, hidden = [], watched = [], style = null, context = null, language = "") {
    this.source = source;
    this.ordinary = ordinary;
    this.case = letterCase;
    this.hidden = hidden;
    this.watched = watched;
    this.style = style;
    this.context = context;
    this.language = language; // its code, und for unknown; empty where nobody asked
  }

  /** Equal sentences have equal keys. */
  get key() {
    if (!keys.has(this)) keys.set(this, JSON.stringify(Object.values(this)));
    return keys.get(this);
  }

  get hasWords() {
    return hasLetters(this.ordinary);
  }

  /** The source with blanks for what is hidden, but not for words in other scripts. */
  get words() {
    return blankOut(this.source, this.hidden.filter((span) => !isForeign(span.replacement)));
  }

  /** The sentence as it stands, the glossary obeyed. */
  untranslated() {
    let text = "";
    let at = 0;
    for (const span of this.hidden) {
      text += this.source.slice(at, span.start) + span.replacement;
      at = span.end;
    }
    return text + this.source.slice(at);
  }

  /** Its words, cut at these spans, else at everything that can be hidden; the rest as it comes out. */
  fragments(cuts = null) {
    const parts = [];
    let at = 0;
    for (const span of cuts?.length ? cuts : inOrder(this.hidden, this.watched)) {
      parts.push(...fragmentOf(this, at, span.start), span.replacement);
      at = span.end;
    }
    return [...parts, ...fragmentOf(this, at, this.source.length)];
  }
}

/** A part of a sentence with what is kept in it, between the blanks and the punctuation around it. */
function fragmentOf(sentence, start, end) {
  const text = sentence.source;
  const spans = new Set([...sentence.hidden, ...sentence.watched].map((span) => span.start));
  let [first, last] = [start, end];
  while (first < last && !spans.has(first) && !isWord(characterAt(text, first))) first += characterAt(text, first).length;
  while (first < last && isSpace(characterBefore(text, last))) last -= 1;
  const source = text.slice(first, last);
  const ordinary = sentence.ordinary.slice(first, last);
  const [hidden, watched] = [sentence.hidden, sentence.watched].map((several) => inside(several, first, last));
  const part = hasLetters(ordinary) ? replaced(sentence, { source, ordinary, hidden, watched }) : source;
  return [text.slice(start, first), part, text.slice(last, end)];
}

/** A map with sentences as its keys; equal ones are one. */
export class SentenceMap {
  #entries = new Map(); // key → [sentence, value]

  constructor(entries = []) {
    for (const [sentence, value] of entries) this.set(sentence, value);
  }

  has(sentence) {
    return this.#entries.has(sentence.key);
  }

  get(sentence) {
    return this.#entries.get(sentence.key)?.[1];
  }

  set(sentence, value) {
    const known = this.#entries.get(sentence.key);
    if (known) known[1] = value;
    else this.#entries.set(sentence.key, [sentence, value]);
    return this;
  }

  get size() {
    return this.#entries.size;
  }

  keys() {
    return [...this.#entries.values()].map(([sentence]) => sentence);
  }

  values() {
    return [...this.#entries.values()].map(([, value]) => value);
  }

  [Symbol.iterator]() {
    return this.#entries.values();
  }
}

/**
 * The sentences of a line and, as plain strings, what stands between them; nothing is lost.
 *
 * hasCase: whether capitals in a text can be more than names.
 */
export function* splitLine(line, glossary, maxWords, hasCase, foreignSpans = null) {
  let hidden = hiddenSpans(line, glossary);
  const literals = watchedSpans(blankOut(line, hidden));
  if (foreignSpans !== null) {
    // What is hidden or watched ends a phrase: an emoji between two foreign words stays where it is.
    hidden = inOrder(hidden, foreignSpans(blankOut(line, inOrder(hidden, literals), "\n")));
  }
  const watched = inOrder(literals, numberSpans(blankOut(line, inOrder(hidden, literals))));
  // In the search for sentence ends a hidden span is a name; a tag, like a bracket, may follow a full stop.
  const isTag = (span) => span.kind === Kind.TAG;
  const named = blankOut(line, hidden.filter((span) => !isTag(span)), "X");
  const masked = blankOut(named, hidden.filter(isTag), ")");

  let at = 0;
  const end = new Span(line.length, line.length, Kind.BREAK, "");
  for (const gap of [...hidden.filter((span) => span.kind === Kind.BREAK), end]) {
    for (const sentence of splitSentences(masked.slice(at, gap.start))) {
      for (const part of splitLong(sentence, maxWords)) {
        const next = at + part.length;
        yield* trimmed(line.slice(at, next), within(hidden, at, next), within(watched, at, next), hasCase);
        at = next;
      }
    }
    yield gap.replacement;
    at = gap.end;
  }
}

/** Spans and terms together. A term inside an address or code is part of that; a term that holds one wins. */
function hiddenSpans(line, glossary) {
  const terms = glossary.spans(line);
  const nothing = " ".repeat(line.length);
  const inTerms = blankOut(nothing, terms, "x");
  const spans = protectedSpans(line).filter((span) => inTerms.slice(span.start, span.end).includes(" "));
  const inSpans = blankOut(nothing, spans, "x");
  return inOrder(spans, terms.filter((term) => !inSpans.slice(term.start, term.end).includes("x")));
}

/** The sentence without what stands at its edges and needs no model: blanks, tags, emoji. */
function* trimmed(text, hidden, watched, hasCase) {
  const edging = inOrder(hidden, watched).filter((span) => span.kind === Kind.TAG || span.kind === Kind.SYMBOL);
  // What can be peeled turns into blanks, which show how far to go from either side.
  const bare = substituted(blanks(), blankOut(text, edging), ([blank]) => " ".repeat(blank.length));
  let first = bare.length - bare.replace(/^ +/, "").length;
  let last = bare.length;
  while (last > first && bare[last - 1] === " ") last -= 1;
  for (const [opening, closing] of tagPairs(hidden).reverse()) {
    // Two halves of a pair stay on one side.
    if (opening.end <= first && first < closing.end && closing.end <= last) first = opening.start;
    else if (first <= opening.start && opening.start < last && last <= closing.start) last = closing.end;
  }
  yield text.slice(0, first);
  if (first < last) {
    const inner = within(hidden, first, last);
    const source = text.slice(first, last);
    const plain = blankOut(source, inner);
    const letterCase = hasCase(plain) ? caseOf(plain) : Case.ORDINARY;
    const shown = within(watched, first, last);
    yield new Sentence(source, withLiterals(toSentenceCase(plain, letterCase), shown), letterCase, inner, shown);
  }
  yield text.slice(last);
}

/** The sentence in ordinary case, but its literals as they are written: 5 GB is no 5 gb. */
function withLiterals(ordinary, watched) {
  for (const span of watched) {
    if (span.kind === Kind.LITERAL) {
      ordinary = ordinary.slice(0, span.start) + span.replacement + ordinary.slice(span.end);
    }
  }
  return ordinary;
}

const isForeign = (text) => !isAscii(text) && !/[0-9A-Za-z]/.test(text);

const inside = (spans, start, end) =>
  spans.filter((span) => start <= span.start && span.end <= end).map((span) => span.shifted(-start));

/** The spans between two offsets, shifted so that the first is 0. */
function within(spans, start, end) {
  return spans.slice(firstFrom(spans, start), firstFrom(spans, end)).map((span) => span.shifted(-start));
}

/** The number of the first span that begins at an offset or after it. */
function firstFrom(spans, offset) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

const inOrder = (...several) => sortedBy(several.flat(), (span) => span.start);
