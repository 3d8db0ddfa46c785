// Amounts: the values of numbers in digits and in words. 150,000 is "one hundred and fifty thousand" is डेढ़ लाख.

import { sortedBy } from "../../core/comparing.js";
import { fullMatch } from "../../core/patterns.js";
import { characterAt, isDigit, split } from "../../core/python-text.js";
import { rule } from "../../rules.js";
import { folded } from "./spaced.js";

const own = (name) => rule("translation.checks.amounts", name);
const beginsWithDigit = (text) => isDigit(characterAt(text, 0));

/**
 * How a language says numbers. Maps are word → value; sets are of words:
 * - scales multiply what stands before them
 * - articles: one, before a scale
 * - joining: between a scale and what is added to it
 * - addedBefore: साढ़े तीन is three and a half, and so is "half past three", of the clock; addedAfter: two "and a half"
 * - endsNoAmount: "thirds" of "two thirds"; ordinalEndings, a list: of 1st, 2nd, 3rd and the others
 * - ordinals: a map, too
 *
 * An amount is {value, words, certain, isOrdinal}: its words as they stand in the text; not certain where they may mean
 * something else, as "one" does, or are vague: "several hundred"; an ordinal is one in words.
 */
export class NumberWords {
  constructor(words, scales, articles, joining, addedBefore, addedAfter, endsNoAmount, ordinalEndings, uncertain, ordinals) {
    this.words = words;
    this.scales = scales;
    this.articles = articles;
    this.joining = joining;
    this.addedBefore = addedBefore;
    this.addedAfter = addedAfter;
    this.endsNoAmount = endsNoAmount;
    this.ordinalEndings = ordinalEndings;
    this.uncertain = uncertain;
    this.ordinals = ordinals;
    Object.freeze(this);
  }

  static of(table) {
    const values = (name) => new Map(wordsAndValues(table[name] ?? {}));
    const set = (name) => new Set((table[name] ?? []).map(folded));
    const words = values("words");
    const ordinals = values("ordinals");
    for (const suffix of (table.ordinal_suffixes ?? []).map(folded)) {
      for (const [word, value] of words) ordinals.set(word + suffix, value);
    }
    return new NumberWords(
      words,
      values("scales"),
      set("articles"),
      set("joining"),
      values("added_before"),
      values("added_after"),
      set("ends_no_amount"),
      (table.ordinal_endings ?? []).map(folded),
      set("uncertain"),
      ordinals,
    );
  }

  /** Those of a spaced text and its ordinals, in order; a fraction ("two thirds") is none. */
  amounts(text) {
    const tokens = split(text);
    const found = [];
    let at = 0;
    while (at < tokens.length) {
      const ordinal = this.readOrdinal(tokens, at);
      const read = ordinal ?? this.read(tokens, at);
      if (ordinal !== null) {
        const words = tokens.slice(at, ordinal.end);
        const certain = ordinal.value >= own("_LEAST_ORDINAL") && !this.uncertain.has(words.at(-1));
        found.push({ value: ordinal.value, words: words.join(" "), certain, isOrdinal: true });
        if (!certain && words.length > 1) {
          // "A twenty-second delay".
          found.push({ value: this.words.get(words[0]), words: words[0], certain, isOrdinal: true });
        }
      } else if (read !== null) {
        if (this.isAmount(tokens, at, read.end)) {
          const words = tokens.slice(at, read.end);
          found.push({ value: read.value, words: words.join(" "), certain: this.#isCertain(words, tokens[read.end]) });
        }
      } else if (this.scales.has(tokens[at])) {
        found.push({ value: this.scales.get(tokens[at]), words: tokens[at], certain: false });
      }
      at = read !== null ? read.end : at + 1;
    }
    return found;
  }

  #isCertain(words, following) {
    if (this.articles.has(words[0])) return false; // "a thousand words"
    // साढ़े दस is also half past ten
    if (words.length > 1) return this.#added(words, 0) === null || this.scales.has(words.at(-1));
    return !this.uncertain.has(words[0]) && !this.ordinalEndings.includes(following);
  }

  /** Whether the number there is one, and not part of a fraction or an ordinal. */
  isAmount(tokens, start, end) {
    const after = end + Number(tokens[end] === "-");
    return beginsWithDigit(tokens[start]) || !this.endsNoAmount.has(tokens[after]);
  }

  /** In words: "third", "twenty-third"; {value, end} as of `read`, or null. */
  readOrdinal(tokens, at) {
    if (this.ordinals.has(tokens[at])) return { value: this.ordinals.get(tokens[at]), end: at + 1 };
    const tens = this.words.get(tokens[at]) ?? 0;
    const after = at + 1 + Number(tokens[at + 1] === "-");
    const ones = this.ordinals.get(tokens[after]) ?? 0;
    const isOne = tens >= 20 && tens % 10 === 0 && ones > 0 && ones < 10;
    return isOne ? { value: tens + ones, end: after + 1 } : null;
  }

  /** 23rd, for "twenty-third"; nothing for what may mean something else. */
  ordinalInDigits(words, value) {
    const endings = this.ordinalEndings;
    if (value < own("_LEAST_ORDINAL") || this.uncertain.has(words.at(-1)) || endings.length === 0) return "";
    const last = value > 20 ? value % 10 : 0;
    return `${value}${endings.at(last > 0 && last <= 3 ? last - 1 : -1)}`;
  }

  /**
   * Groups such as "two hundred" "thousand", each smaller than the scale of the one before: {value, end}, `end` being
   * the token after it; or null.
   */
  read(tokens, start) {
    let [total, end, limit] = [0, start, Infinity];
    while (limit > 1) {
      const begin = end + Number(end > start && this.joining.has(tokens[end]));
      const read = this.#belowThousand(tokens, begin);
      if (read === null) break;
      let [after, scale] = [read.end, 1];
      while ((this.scales.get(tokens[after]) ?? 0) > own("_HUNDRED")) {
        scale *= this.scales.get(tokens[after]);
        after += 1;
      }
      if (read.value * scale >= limit) break;
      [total, end, limit] = [total + read.value * scale, after, scale];
    }
    return end > start ? { value: total, end } : null;
  }

  #belowThousand(tokens, start) {
    const read = this.#small(tokens, start);
    if (read === null) return null;
    const at = read.end + Number(tokens[read.end] === "-"); // two-dozen
    const scale = this.scales.get(tokens[at]) ?? 0;
    if (!(scale > 0 && scale <= own("_HUNDRED"))) return read;
    const [value, end] = [read.value * scale, at + 1];
    const rest = this.#small(tokens, end + Number(this.joining.has(tokens[end])));
    if (rest === null || rest.value >= scale || beginsWithDigit(tokens[rest.end - 1])) return { value, end };
    if (this.scales.get(tokens[rest.end]) === scale) return { value, end }; // "between one hundred and two hundred"
    return { value: value + rest.value, end: rest.end };
  }

  /** Digits, or words below a hundred. */
  #small(tokens, at) {
    if (at >= tokens.length) return null;
    const [word, following] = [tokens[at], tokens[at + 1] ?? ""];
    if (beginsWithDigit(word)) {
      const value = digitsValue(word);
      return value === null ? null : { value, end: at + 1 };
    }
    if (this.articles.has(word) && this.scales.has(following)) return { value: 1, end: at + 1 };
    const added = this.#added(tokens, at);
    if (added !== null) return this.#withAdded(tokens, added.value, added.end);
    if (!this.words.has(word)) return null;
    let [value, end] = [this.words.get(word), at + 1];
    const after = end + Number(following === "-");
    const ones = this.words.get(tokens[after]) ?? 0;
    if (value >= 20 && value % 10 === 0 && ones > 0 && ones < 10) [value, end] = [value + ones, after + 1];
    for (const [phrase, more] of this.addedAfter) {
      const length = split(phrase).length;
      if (tokens.slice(end, end + length).join(" ") === phrase) return { value: value + more, end: end + length };
    }
    return { value, end };
  }

  /** What is added to the number that follows, where there is such a phrase. */
  #added(tokens, at) {
    for (const [phrase, value] of this.addedBefore) {
      const end = at + split(phrase).length;
      if (tokens.slice(at, end).join(" ") === phrase) return { value, end };
    }
    return null;
  }

  #withAdded(tokens, more, at) {
    const following = tokens[at] ?? "";
    const value = beginsWithDigit(following) ? digitsValue(following) : (this.words.get(following) ?? null);
    if (value !== null) return { value: value + more, end: at + 1 };
    return this.scales.has(following) ? { value: 1 + more, end: at } : null;
  }
}

/** @returns {Generator<[string, number]>} */
function* wordsAndValues(table) {
  for (const [value, listed] of Object.entries(table)) for (const word of listed) yield [folded(word), Number(value)];
}

/** The value of 1,50,000 or 3.5 or 3,5; null for a time, a date or a version. */
export function digitsValue(token) {
  if (fullMatch(own("_GROUPED"), token)) return Number(token.replaceAll(",", ""));
  return fullMatch(own("_PLAIN"), token) ? Number(token.replaceAll(",", ".")) : null;
}

/** Every amount of one side must be on the other, in whatever words. */
export class AmountCheck {
  constructor(source, target) {
    this.source = source;
    this.target = target;
  }

  notes(source, target) {
    const [there, here] = [this.source.amounts(source), this.target.amounts(target)];
    const lost = without(there, here).filter((one) => one.certain);
    if (lost.length > 0) return lost.map((one) => `the number "${one.words}" may be wrong`);
    return without(here, there)
      .filter((one) => one.certain && (one.value >= own("_LEAST_ADDED") || beginsWithDigit(one.words)))
      .map((one) => `the number "${one.words}" is not in the source`);
  }

  /** Whether the amounts are the same to the last, but for ordinals in words, and times and dates as well. */
  same(source, target) {
    const [there, here] = [this.source.amounts(source), this.target.amounts(target)];
    if (![...without(there, here), ...without(here, there)].every((one) => one.isOrdinal)) return false;
    return otherDigits(source) === otherDigits(target);
  }
}

/** Those of `some` that have no equal among `others`, which the certain ones take first. */
function without(some, others) {
  const values = others.map((one) => one.value);
  return [...some]
    .sort((one, other) => Number(other.certain) - Number(one.certain))
    .filter((one) => {
      const at = values.indexOf(one.value);
      if (at >= 0) values.splice(at, 1);
      return at < 0;
    });
}

function otherDigits(text) {
  const others = split(text).filter((token) => beginsWithDigit(token) && digitsValue(token) === null);
  return sortedBy(others).join(" ");
}
