// Short forms of messages, spelt out before the model reads them: "idk where u r" as "I don't know where you are".
// What the model has not learnt it guesses at, and may say the opposite. The forms are those of the language's table.

import { substituted } from "../core/patterns.js";
import { matches, rule } from "../rules.js";
import { Rewrite } from "./rewrites.js";
import { Spelling } from "./spelling.js";

export class ShortForms {
  /**
   * words: in small letters, with what each stands for. amongOthers: the same, of those that are short forms only where
   * there are others. shouted: those that mean it in capitals, too. symbolBehind: words behind which one is a symbol.
   */
  constructor(words, amongOthers, shouted, symbolBehind, rewrites, rewritesAmongOthers, spelling) {
    this.words = words;
    this.amongOthers = amongOthers;
    this.shouted = shouted;
    this.symbolBehind = symbolBehind;
    this.rewrites = rewrites; // of words that are short forms beside certain others
    this.rewritesAmongOthers = rewritesAmongOthers;
    this.spelling = spelling; // what is put right in any text
  }

  static of(table) {
    const every = table.rewrites ?? [];
    const [alone, together] = [false, true].map((among) =>
      every.filter((one) => (one.among_others ?? false) === among).map((one) => Rewrite.of({ kind: "short forms", ...one })),
    );
    const [words, amongOthers] = [table.words, table.among_others].map((some) => new Map(Object.entries(some ?? {})));
    const spelling = Spelling.of(table.spelling ?? {});
    const symbols = table.symbol_behind ?? {};
    return new ShortForms(words, amongOthers, new Set(table.shouted ?? []), symbols, alone, together, spelling);
  }

  /** Unchanged where there is none, and nothing is misspelt. */
  speltOut(given) {
    const text = this.spelling.corrected(given);
    let other = this.#with(text, this.rewrites, this.words);
    if (other !== text || this.#doubtful(text) >= rule("translation.short_forms", "ENOUGH_TOGETHER")) {
      other = this.#with(text, this.rewritesAmongOthers, this.amongOthers);
      other = this.#with(other, this.rewrites, this.words);
    }
    const first = given.slice(0, 1);
    const isCapital = first !== first.toLowerCase();
    return other === given || !isCapital ? other : other.slice(0, 1).toUpperCase() + other.slice(1);
  }

  #with(text, rewrites, words) {
    for (const one of rewrites) text = one.applied(text, 0);
    const spell = ([word, ...found]) => {
      const at = found.at(-2);
      return this.#speltOutWord(word, text.slice(0, at), text.slice(at + word.length), words);
    };
    return substituted(rule("translation.short_forms", "WORD"), text, spell);
  }

  /** How many different words are short forms only where there are others. */
  #doubtful(text) {
    const found = new Set(matches(rule("translation.short_forms", "WORD"), text).map(([word]) => word));
    return [...found].filter((word) => this.amongOthers.has(word)).length;
  }

  /** With a capital it may be a name: RN, IMO, Ur; but not where a sentence begins. */
  #speltOutWord(word, before, behind, words) {
    const small = word.toLowerCase();
    const capital = small.slice(0, 1).toUpperCase() + small.slice(1);
    const begins = !before && word.length > rule("translation.short_forms", "SHORTEST_AT_BEGINNING") && word === capital;
    const shouted = word === small.toUpperCase() && this.shouted.has(small);
    if (word !== small && !begins && !shouted) return word;
    const names = Object.hasOwn(this.symbolBehind, small) ? this.symbolBehind[small] : [];
    const last = before.trim().split(/\s+/).at(-1) ?? "";
    if (names.includes(last.toLowerCase())) return word;
    const spelt = words.get(small) ?? word;
    return behind.startsWith(" ") ? spelt : spelt.replace(/,+$/, ""); // where nothing follows, a comma is too much
  }
}
