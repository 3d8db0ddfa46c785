import { closestMatch } from "./sequence-matcher.js";

/** What a person can cause: one clear sentence that says what to do. */
export class DhyanError extends Error {
  constructor(message, httpStatus = 400) {
    super(message);
    this.name = "DhyanError";
    this.httpStatus = httpStatus;
  }
}

/** ` (did you mean 'heads'?)` when something allowed is close to what was found, else nothing. */
export function didYouMean(found, allowed) {
  const byLower = new Map(Array.from(allowed, (name) => [name.toLowerCase(), name]));
  const close = closestMatch(shortened(found).toLowerCase(), byLower.keys());
  return close === null ? "" : ` (did you mean '${byLower.get(close)}'?)`;
}

/** A name out of a file as it can stand in a message: on one line, not too long, no control characters. */
export function shortened(text, most = 100) {
  const characters = Array.from(text);
  const cut = characters.length <= most ? characters : [...characters.slice(0, most - 1), "…"];
  const isShown = (one) => /^[^\p{C}\p{Z}]$|^[ \u200c\u200d]$/u.test(one);
  const escape = (one) => `\\x${one.codePointAt(0).toString(16).padStart(2, "0")}`;
  return cut.map((one) => (isShown(one) ? one : escape(one))).join("");
}
