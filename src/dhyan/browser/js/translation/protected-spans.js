// The parts of a text that are not language: addresses, code, formulas, foreign scripts, prices, tags, emoji.
// Each has a kind that says how it is kept.

import { escaped, fullMatch, search } from "../core/patterns.js";
import { countOf } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { formulaRanges } from "./bare-formulas.js";

const own = (name) => rule("translation.protected_spans", name);

export const Kind = Object.freeze({
  BREAK: "BREAK", // a tab, a wide gap, a block tag: what stands on its two sides is translated apart
  TAG: "TAG", // an inline tag or half of a link: keeps its order, and at an edge the model never sees it
  FIXED: "FIXED", // an address, code, a formula, a word in a foreign script: of the sentence, but not of the language
  TERM: "TERM", // a term of the glossary
  LITERAL: "LITERAL", // a price, a measure, a sign: left to the model, if it keeps it character for character
  SYMBOL: "SYMBOL", // an emoji, a star of emphasis, a control character: left to the model, if it keeps it
  NUMBER: "NUMBER", // digits: left to the model, if it keeps them
});

/** Characters `start` to `end` of a text, which `replacement` replaces in the output. */
export class Span {
  constructor(start, end, kind, replacement) {
    this.start = start;
    this.end = end;
    this.kind = kind;
    this.replacement = replacement;
    Object.freeze(this);
  }

  shifted(by) {
    return new Span(this.start + by, this.end + by, this.kind, this.replacement);
  }
}

const isPlain = (text) => fullMatch(own("_PLAIN"), text) !== null;

/** What must not reach the model: breaks, tags and fixed parts, in order. */
export const protectedSpans = (text) => (isPlain(text) ? [] : withFormulas(text, spansOf(own("_HIDDEN"), text)));

/** What the model must keep, or it is hidden from it: symbols, prices, measures, signs. */
export const watchedSpans = (text) => (isPlain(text) ? [] : spansOf(own("_WATCHED"), text));

export const symbolSpans = (text) => spansOf(own("_SYMBOL"), text);

/** The text with every character of the spans turned into `filler`: offsets stay the same. */
export function blankOut(text, spans, filler = " ") {
  const pieces = [];
  let at = 0;
  for (const span of spans) {
    pieces.push(text.slice(at, span.start), filler.repeat(span.end - span.start));
    at = span.end;
  }
  return pieces.join("") + text.slice(at);
}

/** Whether each literal is in the output as often as in the source. */
export function keepsLiterals(spans, source, output) {
  const literals = new Set([...spans].filter((span) => span.kind === Kind.LITERAL).map((span) => span.replacement));
  const [before, after] = [source, output].map((text) => text.replaceAll("\u00a0", " "));
  return [...literals].every((literal) => occurrences(literal, before) === occurrences(literal, after));
}

function occurrences(literal, text) {
  if (!search(own("_ENDS_IN_WORD"), literal)) return countOf(text, literal);
  // €5 is not in €50, nor 5 m² in 15 m².
  const whole = `(?<![0-9A-Za-z])${escaped(literal)}(?![0-9A-Za-z]|[.,]\\p{Nd})`;
  return matches(new RegExp(whole, "gu"), text).length;
}

function spansOf(pattern, text) {
  return matches(pattern, text)
    .filter((found) => found[0] !== "")
    .map((found) => new Span(found.index, found.index + found[0].length, kindOf(found), found[0]));
}

function kindOf(found) {
  for (const kind in Kind) if (found.groups[kind] !== undefined) return kind;
  return null;
}

/** A formula may hold fixed parts, as `\alpha + {x} = 1` does, and is then one span in place of them. */
function withFormulas(text, spans) {
  const isFixed = (span) => span.kind === Kind.FIXED;
  const opaque = blankOut(text, spans.filter(isFixed), rule("translation.bare_formulas", "OPAQUE"));
  const between = blankOut(
    opaque,
    spans.filter((span) => !isFixed(span)),
    "\n",
  );
  const formulas = formulaRanges(between).map(
    ([start, end]) => new Span(start, end, Kind.FIXED, text.slice(start, end)),
  );
  if (formulas.length === 0) return spans;
  const inside = blankOut(" ".repeat(text.length), formulas, "x");
  const apart = spans.filter((span) => inside[span.start] === " ");
  return [...apart, ...formulas].sort((one, other) => one.start - other.start);
}
