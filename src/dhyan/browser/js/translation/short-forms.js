// Short forms of messages, spelt out before the model reads them: "idk where u r" as "I don't know where you are".
// What the model has not learnt it guesses at, and may say the opposite. The forms are those of the language's table.

import { substituted } from "../core/patterns.js";
import { rule } from "../rules.js";
import { Rewrite } from "./rewrites.js";

export class ShortForms {
  /**
   * words: in small letters, with what each stands for. shouted: those that mean it in capitals, too. symbolBehind:
   * words behind which one of them is a symbol.
   */
  constructor(words, shouted, symbolBehind, rewrites) {
    this.words = words;
    this.shouted = shouted;
    this.symbolBehind = symbolBehind;
    this.rewrites = rewrites; // of words that are short forms beside certain others
  }

  static of(table) {
    const rewrites = (table.rewrites ?? []).map((one) => Rewrite.of({ kind: "short forms", ...one }));
    return new ShortForms(new Map(Object.entries(table.words ?? {})), new Set(table.shouted ?? []), table.symbol_behind ?? {}, rewrites);
  }

  /** Unchanged where there is none. */
  speltOut(text) {
    let other = text;
    for (const one of this.rewrites) other = one.applied(other, 0);
    const before = other;
    const spell = (found) => this.#speltOutWord(found[0], before.slice(0, found.at(-2)));
    other = substituted(rule("translation.short_forms", "WORD"), other, spell);
    const first = text.slice(0, 1);
    const isCapital = first !== first.toLowerCase();
    return other === text || !isCapital ? other : other.slice(0, 1).toUpperCase() + other.slice(1);
  }

  /** With a capital it may be a name: RN, IMO, Ur; but not where a sentence begins. */
  #speltOutWord(word, before) {
    const small = word.toLowerCase();
    const capital = small.slice(0, 1).toUpperCase() + small.slice(1);
    const begins = !before && word.length > rule("translation.short_forms", "SHORTEST_AT_BEGINNING") && word === capital;
    const shouted = word === small.toUpperCase() && this.shouted.has(small);
    if (word !== small && !begins && !shouted) return word;
    const names = Object.hasOwn(this.symbolBehind, small) ? this.symbolBehind[small] : [];
    const last = before.trim().split(/\s+/).at(-1) ?? "";
    return names.includes(last.toLowerCase()) ? word : (this.words.get(small) ?? word);
  }
}
