// Another wording of a source that came back wrong: what the model does not understand, said so that it does.
// Times become "9 in the morning", numbers in words become digits; the rules are those of the language's table.

import { expanded, substituted } from "../core/patterns.js";
import { characterBefore } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { folded } from "./checks/spaced.js";

/** A pattern, and what to try in its place, the best first; `kind` is the check that calls for it. */
export class Rewrite {
  constructor(kind, pattern, replacements) {
    this.kind = kind;
    this.pattern = pattern;
    this.replacements = replacements;
  }

  static of(table) {
    return new Rewrite(table.kind, rule("translation.rewrites", "PATTERNS").get(table.pattern), table.replacements);
  }

  applied(text, choice) {
    const replacement = this.replacements[Math.min(choice, this.replacements.length - 1)];
    return substituted(this.pattern, text, (found) => expanded(replacement, found));
  }
}

export class Rewriter {
  constructor(rewrites, numbers) {
    this.rewrites = rewrites;
    this.numbers = numbers;
  }

  static of(tables, numbers) {
    return new Rewriter(tables.map(Rewrite.of), numbers);
  }

  /** Other wordings of a text in which checks of these kinds failed; the best first. */
  rewritten(text, kinds) {
    const asked = new Set(kinds);
    const called = this.rewrites.filter((one) => asked.has(one.kind));
    const choices = called.length ? Math.max(...called.map((one) => one.replacements.length)) : 1;
    const stops = rule("translation.rewrites", "_FULL_STOPS");
    const last = characterBefore(text, text.length);
    const found = new Set();
    for (let choice = 0; choice < choices; choice += 1) {
      let other = asked.has("numbers") ? inDigits(text, this.numbers) : text;
      for (const one of called) other = one.applied(other, choice);
      // The full stop was that of an abbreviation too.
      if (stops.includes(last) && !stops.includes(characterBefore(other, other.length))) other += last;
      found.add(other);
    }
    return [...found].filter((other) => other !== text);
  }
}

/**
 * The text with its longer numbers in words as digits: "two hundred and six" as 206, "six" as it is. So are ordinals:
 * "twenty-third" as 23rd.
 */
export function inDigits(text, numbers) {
  const tokens = matches(rule("translation.checks.spaced", "TOKEN"), text);
  const words = tokens.map((token) => folded(token[0]));
  let result = "";
  let at = 0;
  let copied = 0;
  while (at < tokens.length) {
    const ordinal = numbers.readOrdinal(words, at);
    const digits = ordinal !== null ? numbers.ordinalInDigits(words.slice(at, ordinal.end), ordinal.value) : "";
    if (digits) {
      const last = tokens[ordinal.end - 1];
      result += text.slice(copied, tokens[at].index) + digits;
      copied = last.index + last[0].length;
      at = ordinal.end;
      continue;
    }
    const read = numbers.read(words, at);
    if (read === null || read.end - at < 2 || !numbers.isAmount(words, at, read.end)) {
      at = read === null ? at + 1 : read.end;
      continue;
    }
    const last = tokens[read.end - 1];
    result += text.slice(copied, tokens[at].index) + written(read.value);
    copied = last.index + last[0].length;
    at = read.end;
  }
  return result + text.slice(copied);
}

/** 1234.5 as 1,234.5: ten digits at most. */
function written(value) {
  const short = () => value.toPrecision(10).replace(/\.?0+(?=e|$)/, "");
  const digits = value % 1 ? short() : `${BigInt(value)}`;
  const [whole, ...rest] = digits.split(/(?=[.e])/);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + rest.join("");
}
