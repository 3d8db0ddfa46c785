// The numbers of a text: which there are, whatever the script of their digits, and where.

import { counted } from "../core/comparing.js";
import { substituted } from "../core/patterns.js";
import { matches, rule } from "../rules.js";
import { Kind, Span } from "./protected-spans.js";
import { inAsciiDigits } from "./unicode.js";

/** How often each number occurs, with its sign and in the digits 0 to 9. */
export function numbersIn(text) {
  const grouped = rule("translation.numbers", "_GROUPED");
  const plain = substituted(grouped, inAsciiDigits(text), (found) => found[0].replaceAll(",", ""));
  const found = matches(rule("translation.numbers", "_NUMBER"), plain);
  return counted(found.map((one) => one[0].replaceAll("−", "-")));
}

export function numberSpans(text) {
  const found = matches(rule("translation.numbers", "_WITH_SURROUNDINGS"), text);
  return found.map((one) => new Span(one.index, one.index + one[0].length, Kind.NUMBER, one[0]));
}
