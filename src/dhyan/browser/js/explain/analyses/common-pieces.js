// The words that a vocabulary knows as one piece, the commonest first: told from the vocabulary alone.

import { casefold } from "../../core/python-text.js";

export const HEAD_START = 20; // merges: the very first ones are less far apart than 1 / rank says
export const LEAST_LEFT = 0.35; // of a piece's occurrences: of a fragment such as " whe" longer pieces have taken more

/** Ids of at most so many pieces that are whole words, each but once whatever its case.
 *
 * Byte-pair encoding merges the commonest pair first, so the rank of a merge tells how common its piece was then,
 * about 1 / rank; every later merge that the piece goes into takes some of that away. What is left is the word. */
export function commonPieces(tokenizer, most) {
  const left = new Map();
  const taken = new Map();
  tokenizer.merges.forEach(([first, second], rank) => {
    const share = 1 / (rank + HEAD_START);
    left.set(first + second, share);
    for (const part of [first, second]) taken.set(part, (taken.get(part) ?? 0) + share);
  });
  const words = new Map();
  for (const [piece, share] of left) if (isWord(piece)) words.set(piece, share - (taken.get(piece) ?? 0));
  const kept = [...words.keys()].filter((piece) => words.get(piece) > LEAST_LEFT * left.get(piece));
  kept.sort((one, other) => words.get(other) - words.get(one));
  const found = new Map();
  for (const piece of kept.length ? kept : inOrderOfIds(tokenizer)) {
    const number = tokenizer.idOf(piece) ?? tokenizer.idOf(` ${piece}`);
    const folded = casefold(piece);
    if (number !== null && number !== undefined && !found.has(folded)) found.set(folded, number);
  }
  return [...found.values()].slice(0, most);
}

/** A vocabulary without merges (characters, or words as they stood in the text) is in the order of its ids. */
function inOrderOfIds(tokenizer) {
  const found = [];
  for (let number = tokenizer.firstLearned; number < tokenizer.size; number += 1) {
    const piece = tokenizer.piece(number).replace(/^ +| +$/g, "");
    if (isLetters(piece)) found.push(piece);
  }
  return found;
}

/** Begins a word (with its space) and is nothing but letters, two at least. */
const isWord = (piece) => piece.startsWith(" ") && [...piece].length > 2 && isLetters(piece.slice(1));
const isLetters = (text) => /^[\p{L}\p{M}]+$/u.test(text);
