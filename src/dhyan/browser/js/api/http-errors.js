// What is said no to: one sentence, and the HTTP status that fits it.

import { DhyanError } from "../core/errors.js";
import { MAX_CHARACTERS, MAX_TEXTS } from "./settings.js";

/** A request that cannot be answered; the page shows the sentence. */
export class HttpError extends DhyanError {
  constructor(status, message) {
    super(message, status);
    this.name = "HttpError";
  }
}

/** 12345 → 12,345 */
export const withCommas = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

export function checkText(text, most, what = "the text") {
  if (!text.trim()) throw new HttpError(400, `${what} is empty: write at least one word.`);
  const length = [...text].length;
  if (length > most)
    throw new HttpError(
      413,
      `${what} is ${withCommas(length)} characters long; at most ${withCommas(most)} are taken here.`,
    );
  checkWhole(text, what);
}

export function checkWhole(text, what) {
  const half = /\p{Surrogate}/u.exec(text);
  if (!half) return;
  const position = [...text.slice(0, half.index)].length + 1;
  const where = `'\\u${half[0].charCodeAt(0).toString(16)}' at position ${position}`;
  throw new HttpError(400, `${what} holds half of a character (${where}), which no text may; send the whole one.`);
}

export function checkTexts(texts) {
  if (!texts.length) throw new HttpError(400, "there are no texts: give at least one.");
  if (texts.length > MAX_TEXTS) {
    const [given, most] = [texts.length, MAX_TEXTS].map(withCommas);
    throw new HttpError(413, `there are ${given} texts; at most ${most} are taken at once.`);
  }
  texts.forEach((text, number) => checkText(text, MAX_CHARACTERS, `text ${number + 1}`));
}
