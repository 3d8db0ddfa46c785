// Strings as Python sees them, where JavaScript sees them otherwise: blanks, letters, lines, case, characters.

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BLANK = new RegExp(`^[${SPACE}]$`, "u");
const NOT_BLANK = new RegExp(`[^${SPACE}]+`, "gu");
const BEFORE = new RegExp(`^[${SPACE}]+`, "u");
const LINE = /[^\n-\r\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029])|[^\n-\r\x1c-\x1e\x85\u2028\u2029]+/gu;
// Digits that are no decimals: superscripts, circled ones.
const OTHER_DIGIT =
  /^[\xb2\xb3\xb9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]$/u;

const all = (pattern) => (text) => pattern.test(text);

export const isAscii = (text) => !/[^\0-\x7f]/.test(text);
export const isAlpha = all(/^\p{L}+$/u);
export const isAlnum = all(/^[\p{L}\p{N}]+$/u);
export const isDecimal = all(/^\p{Nd}+$/u);
export const isSpace = (text) => text !== "" && strip(text) === "";
export const isUpper = (text) => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
export const isLower = (text) => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);

/** Superscripts and circled digits are digits too, though no decimals. */
export const isDigit = (text) =>
  text !== "" && [...text].every((one) => /\p{Nd}/u.test(one) || OTHER_DIGIT.test(one));

/** The words between blanks. */
export const split = (text) => text.match(NOT_BLANK) ?? [];

export const lstrip = (text) => text.replace(BEFORE, "");

export function rstrip(text) {
  let end = text.length;
  while (end > 0 && BLANK.test(text[end - 1])) end -= 1; // every blank is one unit
  return text.slice(0, end);
}

export const strip = (text) => lstrip(rstrip(text));

/** Without any of these characters at the beginning. */
export function lstripOf(text, characters) {
  let start = 0;
  while (start < text.length && characters.includes(characterAt(text, start))) start += characterAt(text, start).length;
  return text.slice(start);
}

/** Without any of these characters at the end. */
export function rstripOf(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(characterBefore(text, end))) end -= characterBefore(text, end).length;
  return text.slice(0, end);
}

/** The lines of a text, with the marks that end them where they are kept. */
export function splitLines(text, keepEnds = false) {
  const lines = text.match(LINE) ?? [];
  return keepEnds ? lines : lines.map((line) => line.replace(/(?:\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029])$/u, ""));
}

/** The text with differences of case removed: ß is ss. */
export function casefold(text) {
  if (isAscii(text)) return text.toLowerCase();
  return Array.from(text, foldedCharacter).join("");
}

function foldedCharacter(one) {
  if (one === "ı") return one;
  if (one === "ẞ") return "ss";
  if (/[\u13a0-\u13fd\uab70-\uabbf]/u.test(one)) return one.toUpperCase(); // Cherokee folds to capitals
  return Array.from(one.toUpperCase(), (upper) => upper.toLowerCase()).join("");
}

/** How many characters: an emoji is one, though JavaScript counts two. */
export function characterCount(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The character that begins at an offset; empty at the end. */
export const characterAt = (text, offset) =>
  offset < text.length ? String.fromCodePoint(text.codePointAt(offset)) : "";

/** The character that ends at an offset; empty at the beginning. */
export function characterBefore(text, offset) {
  if (offset <= 0) return "";
  const unit = text.charCodeAt(offset - 1);
  const isSecond = unit >= 0xdc00 && unit < 0xe000 && offset > 1;
  const whole = isSecond ? text.codePointAt(offset - 2) : unit;
  return whole > 0xffff ? String.fromCodePoint(whole) : text[offset - 1];
}

/** How often a part occurs. */
export function countOf(text, part) {
  return part ? text.split(part).length - 1 : characterCount(text) + 1;
}

export const replaceFirst = (text, part, other) => text.replace(part, () => other);
export const replaceEvery = (text, part, other) => text.replaceAll(part, () => other);

export const removePrefix = (text, prefix) => (text.startsWith(prefix) ? text.slice(prefix.length) : text);
export const removeSuffix = (text, suffix) =>
  suffix && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
