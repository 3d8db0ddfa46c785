// Text to ids and back, without loss: for every text, `decode(encode(text))` is the text in NFC.

import { category } from "../core/characters.js";
import { DhyanError } from "../core/errors.js";
import { isSpace } from "../core/python-text.js";
import { rule } from "../rules.js";
import { MergedPieces, ProbablePieces } from "./pieces.js";
import { parseTokenizer } from "./tokenizer-file.js";

const KEPT = 20_000; // words whose pieces are remembered: most of a text is made of few words
const LONGEST_KEPT = 40; // units of UTF-16
const HALF = /\p{Cs}/u;

/**
 * Cuts text into pieces and knows each piece by its id; ids 0 to 4 are the special tokens.
 *
 * Pieces hold real spaces: a piece that starts with one starts a word. Special tokens exist only as ids: `<end>` inside
 * a text is five ordinary characters.
 */
export class Tokenizer {
  #ids = new Map(); // piece → id
  #pieces = []; // id → piece
  #cutter; // words → pieces
  #words = null; // a pattern that finds them; null: a text is not cut into words
  #lowercase;
  #special;
  #front; // special tokens and bytes
  #kept = new Map(); // word → ids

  /** document: what parseTokenizer gives. */
  constructor(document) {
    const { vocab, merges } = document.model;
    const entries = Array.isArray(vocab) ? vocab.map(([piece], id) => [piece, id]) : Object.entries(vocab);
    for (const [piece, id] of entries) {
      this.#ids.set(piece, id);
      this.#pieces[id] = piece;
    }
    this.#special = rule("core.special_tokens", "SPECIAL").length;
    this.#front = rule("core.special_tokens", "FRONT").length;
    this.#cutter = Array.isArray(vocab)
      ? new ProbablePieces(this.#ids, vocab, this.#special)
      : new MergedPieces(this.#ids, merges.map(parts), this.#special);
    this.#lowercase = document.normalizer.normalizers.some(({ type }) => type === "Lowercase");
    if (document.pre_tokenizer) this.#words = inJavaScript(document.pre_tokenizer.pattern.Regex);
  }

  static fromJson(text, where = "The tokenizer") {
    let document;
    try {
      document = parseTokenizer(text);
    } catch (error) {
      throw new DhyanError(`${where} is broken (${error.message}); copy or train it again.`);
    }
    const tokenizer = new Tokenizer(document);
    const front = rule("core.special_tokens", "FRONT");
    if (front.some((piece, id) => tokenizer.#pieces[id] !== piece)) {
      const special = rule("core.special_tokens", "SPECIAL").join(", ");
      throw new DhyanError(`${where} does not begin with ${special} and the bytes; use one that Dhyan trained.`);
    }
    return tokenizer;
  }

  /** Entries in the vocabulary, special tokens and bytes included. */
  get size() {
    return this.#pieces.length;
  }

  /** The id of the first piece behind the special tokens and the bytes. */
  get firstLearned() {
    return this.#front;
  }

  /** The pairs of pieces that are merged, in the order in which they were learned. */
  get merges() {
    return ("pairs" in this.#cutter ? this.#cutter.pairs : []).map((pair) => pair.map((id) => this.#pieces[id]));
  }

  /** The ids of a text; no special id is added. */
  encode(text) {
    const ids = [];
    for (const word of this.#wordsOf(this.#prepared(composed(text)))) {
      for (const id of this.#idsOf(word)) ids.push(id);
    }
    return ids;
  }

  encodeBatch(texts) {
    return Array.from(texts, (text) => this.encode(text));
  }

  /** The text of ids; special ids are skipped. */
  decode(ids) {
    let text = "";
    let bytes = [];
    const flush = () => {
      if (bytes.length) text += textOf(bytes);
      bytes = [];
    };
    for (const id of ids) {
      if (id < this.#special || id >= this.size) continue;
      if (id < this.#front) {
        bytes.push(id - this.#special);
      } else {
        flush();
        text += this.#pieces[id];
      }
    }
    flush();
    return this.#prepends && text.startsWith(" ") ? text.slice(1) : text;
  }

  decodeBatch(batch) {
    return Array.from(batch, (ids) => this.decode(ids));
  }

  /** The text as pieces see it: in NFC, and in lower case where the settings say so. */
  normalised(text) {
    return this.#normalised(composed(text));
  }

  /**
   * Where each piece begins and ends in `normalised(text)`, without the space that stands for its start. The bytes of a
   * character all have the span of that character.
   */
  spans(text) {
    const before = this.#prepends ? 1 : 0;
    const spans = [];
    let at = -before;
    for (const word of this.#wordsOf(this.#prepared(this.normalised(text)))) {
      for (const [, start, end] of this.#cutter.cut(word)) spans.push([Math.max(0, at + start), Math.max(0, at + end)]);
      at += word.length;
    }
    return spans;
  }

  /** The piece with this id as it is stored: with its leading space; a byte reads `<0xE0>`. */
  piece(number) {
    const piece = this.#pieces[number];
    if (piece === undefined) throw new DhyanError(`There is no piece ${number}: ids go from 0 to ${this.size - 1}.`);
    return piece;
  }

  /** The id of a piece as it is stored; null where there is no such piece. */
  idOf(piece) {
    return this.#ids.get(piece) ?? null;
  }

  startsWord(number) {
    return isSpace(this.piece(number).slice(0, 1));
  }

  /** Only a tokenizer of whole words cuts text before it looks for pieces; that of characters does not. */
  get #prepends() {
    return this.#words !== null;
  }

  #normalised(text) {
    // Letter by letter: no context such as a final sigma.
    return this.#lowercase ? Array.from(text, (character) => character.toLowerCase()).join("") : text;
  }

  /** A word at the start of a text has the same piece as inside it. */
  #prepared(text) {
    return (this.#prepends && text ? " " : "") + this.#normalised(text);
  }

  #wordsOf(text) {
    return this.#words ? (text.match(this.#words) ?? []) : text ? [text] : [];
  }

  #idsOf(word) {
    let ids = this.#kept.get(word);
    if (ids) return ids;
    ids = this.#cutter.cut(word).map(([id]) => id);
    if (this.#kept.size >= KEPT) this.#kept.clear();
    if (word.length <= LONGEST_KEPT) this.#kept.set(word, ids);
    return ids;
  }
}

/** The piece as it can stand alone on a page: a vowel sign or other mark gets a ◌ to sit on. */
export function withDottedCircle(piece) {
  const bare = piece.replace(/^ +/, "");
  if (!bare || !category(String.fromCodePoint(bare.codePointAt(0))).startsWith("M")) return piece;
  return `${piece.slice(0, piece.length - bare.length)}◌${bare}`;
}

/** A merge is written as two pieces; older files have them in one text, which no piece of ours with a space allows. */
const parts = (merge) => (Array.isArray(merge) ? merge : merge.split(" "));

/** The pattern of the file, which is written for another library: its \s is what Unicode calls white space. */
const inJavaScript = (pattern) =>
  new RegExp(
    pattern.replaceAll("\\x{", "\\u{").replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}"),
    "gu",
  );

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of bytes; where they are none, a mark for each of them. */
function textOf(bytes) {
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return "\ufffd".repeat(bytes.length);
  }
}

/** The text in NFC. */
function composed(text) {
  const half = HALF.exec(text);
  if (half) {
    const position = Array.from(text.slice(0, half.index)).length + 1;
    throw new DhyanError(
      `The text holds half of a character ('\\u${half[0].charCodeAt(0).toString(16)}' at position ${position}), ` +
        "which no text may hold; write the whole character.",
    );
  }
  return text.normalize("NFC");
}
