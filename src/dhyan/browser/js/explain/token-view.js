// A sequence of tokens as a person reads it: pieces, and whole words above them.

import { DhyanError, didYouMean, shortened } from "../core/errors.js";
import { casefold, strip } from "../core/python-text.js";
import { END, NEVER_WRITTEN, SPECIAL } from "../core/special-tokens.js";
import { withDottedCircle } from "../text/tokenizer.js";
import { Tensor, sizeOf } from "./arrays.js";

/** One piece. `text` is the piece as it can stand alone: without its space, with ◌ under a lone vowel sign. */
export class Token {
  /**
   * @param {number} id
   * @param {string} piece as stored: a piece that starts a word has its leading space
   * @param {string} text
   * @param {number} word number of the word that it belongs to
   */
  constructor(id, piece, text, word) {
    this.id = id;
    this.piece = piece;
    this.text = text;
    this.word = word;
  }

  get special() {
    return this.id < SPECIAL.length;
  }
}

/** A whole word, and which tokens it is made of: tokens[start:end]. A special token is a word of its own. */
export class Word {
  constructor(text, start, end, special = false) {
    this.text = text;
    this.start = start;
    this.end = end;
    this.special = special;
  }
}

/** A row of tokens with the words above them. */
export class Tokens {
  constructor(tokens, words) {
    this.tokens = tokens;
    this.words = words;
  }

  static of(tokenizer, ids) {
    const isSpecial = (at) => ids[at] < SPECIAL.length;
    const starts = [...ids.keys()].filter(
      (at) => at === 0 || isSpecial(at) || isSpecial(at - 1) || tokenizer.startsWord(ids[at]),
    );
    const words = starts.map((start, number) => {
      const end = starts[number + 1] ?? ids.length;
      const text = isSpecial(start) ? SPECIAL[ids[start]] : tokenizer.decode(ids.slice(start, end));
      return new Word(strip(text) || blankSign(text), start, end, isSpecial(start));
    });
    const tokens = words.flatMap(({ start, end }, number) =>
      ids.slice(start, end).map((id) => {
        const piece = id < SPECIAL.length ? SPECIAL[id] : tokenizer.piece(id);
        return new Token(id, piece, pieceOf(tokenizer, id), number);
      }),
    );
    return new Tokens(tokens, words);
  }

  get ids() {
    return this.tokens.map((token) => token.id);
  }

  get texts() {
    return this.tokens.map((token) => token.text);
  }

  get length() {
    return this.tokens.length;
  }

  [Symbol.iterator]() {
    return this.tokens[Symbol.iterator]();
  }

  at(index) {
    return this.tokens[index];
  }
}

/** A piece as it can stand alone on a page. */
export function pieceOf(tokenizer, id) {
  if (id < SPECIAL.length) return SPECIAL[id];
  return strip(withDottedCircle(tokenizer.piece(id))) || blankSign(tokenizer.piece(id));
}

/** What shows a piece of nothing but blanks: ␣, or ↵ where it begins a new line. */
function blankSign(blanks) {
  return blanks.includes("\n") ? "↵" : "␣";
}

/** A piece that can be written, by id, as it is stored, or as a person writes it (with or without its space). */
export function pieceId(tokenizer, piece) {
  if (typeof piece === "number") {
    if (NEVER_WRITTEN.includes(piece) || !(piece >= 0 && piece < tokenizer.size)) {
      throw new DhyanError(`there is no piece ${piece} to force: ids go from 3 to ${tokenizer.size - 1}.`);
    }
    return piece;
  }
  for (const form of [piece, ` ${piece}`, piece.replaceAll("◌", "")]) {
    const found = tokenizer.idOf(form) ?? null;
    if (found !== null && !NEVER_WRITTEN.includes(found)) return found;
  }
  const ids = tokenizer.encode(piece);
  if (ids.length === 1) return ids[0];
  const parts = ids.map((id) => `'${tokenizer.piece(id)}'`).join(", ");
  const hint = ids.length ? `; it is made of ${parts}: force the first, then the next` : "";
  const known = [SPECIAL[END]];
  for (let id = SPECIAL.length; id < tokenizer.size; id++) known.push(tokenizer.piece(id));
  throw new DhyanError(`'${piece}' is not one piece of the vocabulary${didYouMean(piece, known)}${hint}.`);
}

/** A word as it is asked for in a URL: a number where it looks like one. */
export function wordAsked(text) {
  return /^\p{Nd}{1,9}$/u.test(text) ? readNumber(text) : text;
}

/** Digits of any script, as Python's `int` reads them: in Unicode each script's ten stand in a row from a zero. */
export function readNumber(text) {
  const digits = Array.from(text, (digit) => {
    let zero = digit.codePointAt(0);
    while (digit.codePointAt(0) - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return /[0-9]/.test(digit) ? digit : digit.codePointAt(0) - zero;
  });
  return Number(digits.join(""));
}

/** Words by number (marks are not counted), each once and in order; one that is written out means all like it. */
export function readWords(tokens, asked) {
  const words = tokens.words.filter((word) => !word.special).map((word) => word.text);
  const found = new Set();
  for (const one of asked) {
    if (typeof one === "string") {
      const wanted = casefold(strip(one));
      const alike = [...words.keys()].filter((number) => casefold(words[number]) === wanted);
      if (!alike.length) {
        throw new DhyanError(`'${shortened(one)}' is not a word of the text${didYouMean(one, words)}.`);
      }
      alike.forEach((number) => found.add(number));
    } else if (one >= 0 && one < words.length) {
      found.add(one);
    } else {
      throw new DhyanError(`there is no word ${one}: the words of the text are numbered 0 to ${words.length - 1}.`);
    }
  }
  return [...found].sort((one, other) => one - other);
}

/** (…, tokens) → (…, words): what goes *to* a word's pieces adds up. */
export function mergeColumns(array, words) {
  const columns = array.shape.at(-1), rows = sizeOf(array.shape.slice(0, -1));
  const out = Tensor.zeros([...array.shape.slice(0, -1), words.length]);
  for (let row = 0, at = 0; row < rows; row++) {
    for (const { start, end } of words) {
      let sum = 0;
      for (let i = row * columns + start; i < row * columns + end; i++) sum += array.data[i];
      out.data[at++] = sum;
    }
  }
  return out;
}

/**
 * (…, tokens, columns) → (…, words, columns): what comes *from* a word's pieces is averaged.
 *
 * So a row that summed to 1 still does.
 */
export function mergeRows(array, words) {
  const [rows, columns] = array.shape.slice(-2), front = array.shape.slice(0, -2);
  const out = Tensor.zeros([...front, words.length, columns]);
  for (let block = 0, at = 0; block < sizeOf(front); block++) {
    for (const { start, end } of words) {
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (let row = start; row < end; row++) sum += array.data[(block * rows + row) * columns + column];
        out.data[at++] = sum / (end - start);
      }
    }
  }
  return out;
}
