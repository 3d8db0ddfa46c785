// Codes of languages: two letters (ISO 639-1) and three (ISO 639-3), with or without a country behind them.

import { fullMatch } from "../core/patterns.js";
import { strip } from "../core/python-text.js";
import { lazy, rule } from "../rules.js";

const pairs = lazy(() => rule("text.language_codes", "_BOTH").match(/\S+ \S+/g).map((pair) => pair.split(" ")));
const threeOf = lazy(() => new Map(pairs()));
const twoOf = lazy(() => new Map(pairs().map(([two, three]) => [three, two])));

/** hin for hi; a code that is not known stays. */
export const threeLetters = (code) => threeOf().get(code) ?? code;

/** hi for hin; a code that is not known stays. */
export const twoLetters = (code) => twoOf().get(code) ?? code;

/** The language as it is usually written: en for EN_US, hi for hin-IN. A script stays: hi-latn is not hi. */
export function withoutCountry(code) {
  const written = strip(code).toLowerCase().replaceAll("_", "-");
  const found = fullMatch(rule("text.language_codes", "_WITH_COUNTRY"), written);
  return found ? twoLetters(found[1]) : code;
}
