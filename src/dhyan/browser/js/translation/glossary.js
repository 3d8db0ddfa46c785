// The user's own terms: how each is to be translated, or that it is not to be translated.
//
// A term without capitals is found in any case ("bank" in "Bank" and "BANK"). A term with capitals is found as it is
// written or in capitals throughout ("Apple" in "Apple" and "APPLE", not in "apple"). Only whole words are found, the
// longest term first, except in scripts without spaces between words.
//
// A noun is found in its other forms too ("order" in "orders"), but not in a fixed phrase ("in order to"). A verb form
// ("ordered") is left to the model, because a noun in its place would leave the sentence without a verb.

import { DhyanError } from "../core/errors.js";
import { substituted } from "../core/patterns.js";
import { isAscii, isUpper, split, strip } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { matches, rule } from "../rules.js";
import { Form, formsOfTerm, plural } from "../text/inflection.js";
import { scriptOf } from "../text/scripts.js";
import { FixedPhrases } from "./fixed-phrases.js";
import { Kind, Span } from "./protected-spans.js";
import { blanks, isWord } from "./unicode.js";

const own = (name) => rule("translation.glossary", name);

/** A term of the glossary; translation null: it stays as it stands in the text; form: where it is not as written. */
class Entry {
  constructor(term, translation, form = null) {
    this.term = term;
    this.translation = translation;
    this.form = form;
    Object.freeze(this);
  }
}

/** A term in a text, in whatever form. leftAlone: why the term is not used here; empty where it is. */
export class Found {
  constructor(start, end, term, translation, leftAlone = "", form = null) {
    this.start = start;
    this.end = end;
    this.term = term;
    this.translation = translation;
    this.leftAlone = leftAlone;
    this.form = form;
    Object.freeze(this);
  }
}

/**
 * Terms and their translations (a Map or an object); null, or the term itself: it stays as it stands in the text.
 * phrases: those whose words are left alone, besides the language's own.
 */
export class Glossary {
  #asWritten = new Map();
  #inAnyCase = new Map();
  #longest = 0;
  #phrases;

  constructor(terms, phrases = []) {
    const pairs = terms instanceof Map ? [...terms] : Object.entries(terms);
    const entries = pairs.map(([term, translation]) => checked(term, translation));
    for (const entry of entries) this.#add(entry.term, entry);
    for (const entry of entries) {
      // What is written in the glossary goes before forms that are made here.
      for (const [form, kind] of formsOfTerm(entry.term)) this.#add(form, inflected(entry, kind), false);
    }
    for (const key of [...this.#asWritten.keys(), ...this.#inAnyCase.keys()]) {
      this.#longest = Math.max(this.#longest, key.length);
    }
    this.#phrases = new FixedPhrases(
      phrases,
      entries.flatMap((entry) => split(entry.term)),
    );
  }

  #add(written, entry, replaces = true) {
    for (const form of spellings(written)) {
      const isSmall = form === form.toLowerCase();
      const table = isSmall ? this.#inAnyCase : this.#asWritten;
      const key = isSmall ? folded(form) : form;
      if (replaces || !table.has(key)) table.set(key, entry);
      if (!isSmall && !isUpper(entry.term) && !table.has(form.toUpperCase())) table.set(form.toUpperCase(), entry);
    }
  }

  /**
   * The text of a glossary file: lines of `term<TAB>translation`, or `term` alone; empty lines and `#` comments are
   * skipped. A line that begins with "! " names a phrase in which no term is replaced. path: for messages.
   */
  static read(path, text) {
    const [terms, phrases] = [new Map(), []];
    const lines = text.replace(/^\ufeff/, "").split("\n");
    for (const [number, raw] of lines.entries()) {
      const line = raw.replace(/\r$/, "");
      const where = `${path}, line ${number + 1}`;
      if (strip(line) === "" || line.startsWith("#")) continue;
      if (line.startsWith(own("_PHRASE"))) {
        phrases.push(phraseOf(where, line.slice(own("_PHRASE").length)));
        continue;
      }
      const [term, translation] = entryOf(where, line);
      if (!terms.has(term)) terms.set(term, translation);
      else if (terms.get(term) !== translation) {
        throw new DhyanError(`${where}: '${term}' has another translation further up; keep one of them.`);
      }
    }
    return new Glossary(terms, phrases);
  }

  /** Where terms stand in the text, and what is to stand there; they do not overlap. */
  spans(text) {
    const used = this.find(text).filter((one) => !one.leftAlone);
    return used.map(
      (one) => new Span(one.start, one.end, Kind.TERM, one.translation || text.slice(one.start, one.end)),
    );
  }

  /** Every term in the text, with the reason where it is not to be used. */
  find(text) {
    if (this.#longest === 0) return [];
    const [plain, offsets] = plainWithOffsets(text);
    const small = folded(plain);
    const edges = edgesOf(plain);
    const found = [];
    let free = 0; // where the term before ends
    edges.forEach((start, number) => {
      const [end, entry] = start >= free ? this.#termAt(plain, small, edges, number) : [0, null];
      if (entry === null) return;
      const why = this.#reason(entry, small, start, end);
      found.push(new Found(offsets[start], offsets[end - 1] + 1, entry.term, entry.translation, why, entry.form));
      free = end;
    });
    return found;
  }

  /** Why a term that stands here is not used; empty if it is. */
  #reason(entry, small, start, end) {
    const phrase = this.#phrases.around(small, start, end);
    if (phrase) return `is not replaced in the phrase '${phrase}'`;
    return entry.form === Form.VERB ? `is left to the model: a verb form of '${entry.term}'` : "";
  }

  /** The longest term that begins at an edge of a word and ends at one: where it ends, and what it is. */
  #termAt(plain, small, edges, number) {
    const start = edges[number];
    let last = number + 1;
    while (last < edges.length && edges[last] <= start + this.#longest) last += 1;
    for (let place = last - 1; place > number; place -= 1) {
      const end = edges[place];
      const entry = this.#asWritten.get(plain.slice(start, end)) ?? this.#inAnyCase.get(small.slice(start, end));
      if (entry !== undefined) return [end, entry];
    }
    return [0, null];
  }
}

function checked(written, translation) {
  const term = plainOf(written);
  if (!term) throw new DhyanError("A glossary has an empty term; name the words to be found.");
  const stays = translation === null || translation === undefined || plainOf(translation) === term;
  return new Entry(term, stays ? null : translation);
}

/** The entry for another form of its term: English has a plural for a plural, other languages stay as given. */
function inflected(entry, form) {
  const isEnglish = entry.translation && !isAscii(entry.term) && isAscii(entry.translation);
  if (form === Form.PLURAL && isEnglish) {
    return replaced(entry, { translation: plural(entry.translation, "en"), form });
  }
  return replaced(entry, { form });
}

function entryOf(where, line) {
  const cells = line.split("\t").map(strip);
  if (cells.length > 2) {
    throw new DhyanError(`${where}: ${cells.length} columns where two are expected, a term and its translation.`);
  }
  if (!cells[0]) throw new DhyanError(`${where}: the term is empty; write it in front of the tab.`);
  if (cells.length === 2 && !cells[1]) {
    throw new DhyanError(
      `${where}: '${cells[0]}' has an empty translation; fill it in, or remove the tab to keep it.`,
    );
  }
  return [cells[0], cells[1] ?? null];
}

function phraseOf(where, text) {
  if (!strip(text) || text.includes("\t")) {
    throw new DhyanError(`${where}: write one phrase to leave alone behind the '!', and no translation.`);
  }
  return strip(text);
}

/** A letter with its mark may be written as one character or as two; ड़ is one in some texts, two in others. */
function spellings(term) {
  const composed = term.normalize("NFC");
  return new Set([composed, term.normalize("NFD"), withNuktaLetters(composed)]);
}

function withNuktaLetters(text) {
  for (let code = 0x0958; code < 0x0960; code += 1) {
    const letter = String.fromCodePoint(code);
    text = text.replaceAll(letter.normalize("NFD"), letter);
  }
  return text;
}

/** Where a term may begin or end: every offset that is not inside a word. */
function edgesOf(text) {
  const edges = [];
  let before = "";
  let at = 0;
  for (const character of text) {
    if (!insideWord(before, character)) edges.push(at);
    before = character;
    at += character.length;
  }
  return [...edges, at];
}

/** Do these two neighbours belong to one word? */
function insideWord(before, behind) {
  if (!before || !isWord(before) || !isWord(behind)) return false;
  const without = own("_WITHOUT_BLANKS");
  return !without.has(scriptOf(before)) && !without.has(scriptOf(behind));
}

const plainOf = (text) => strip(substituted(blanks(), text, () => " "));

/** The text with one space for every run of blanks, and the offset of each of its units in `text`. */
function plainWithOffsets(text) {
  const offsets = [];
  const range = (start, end) => {
    for (let offset = start; offset < end; offset += 1) offsets.push(offset);
  };
  let at = 0;
  for (const blank of matches(blanks(), text)) {
    range(at, blank.index + 1);
    at = blank.index + blank[0].length;
  }
  range(at, text.length);
  return [substituted(blanks(), text, () => " "), offsets];
}

/** Letter by letter, and only where one letter stays one, so that offsets do not change. */
const folded = (text) =>
  Array.from(text, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join("");
