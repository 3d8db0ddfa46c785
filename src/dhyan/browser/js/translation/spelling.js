// Misspelt and stretched words, abbreviations and set phrases, put right before the model reads them: thier, Pvt. Ltd.
// A model that has not learnt them guesses at them. The forms are those of the language's table.

import { search, substituted } from "../core/patterns.js";
import { rule } from "../rules.js";
import { Rewrite } from "./rewrites.js";

const own = (name) => rule("translation.spelling", name);
const single = (word) => substituted(own("DOUBLED"), word, (found) => found[1]);

export class Spelling {
  /** misspelt: as it is written → as it should be. stretched: without doubled letters → as it should be. */
  constructor(misspelt, stretched, rewrites) {
    this.misspelt = misspelt;
    this.stretched = stretched;
    this.rewrites = rewrites;
  }

  static of(table) {
    const misspelt = Object.entries(table.misspelt ?? {}).flatMap(([right, wrong]) => wrong.map((one) => [one, right]));
    const stretched = (table.stretched ?? []).map((word) => [single(word), word]);
    return new Spelling(new Map(misspelt), new Map(stretched), (table.rewrites ?? []).map(Rewrite.of));
  }

  corrected(text) {
    for (const one of this.rewrites) text = one.applied(text, 0);
    return substituted(own("WORD"), text, ([word, ...found]) => this.#correctedWord(word, found.at(-2) > 0));
  }

  #correctedWord(word, standsInside) {
    const small = word.toLowerCase();
    const isStretched = !this.misspelt.has(small) && search(own("STRETCHED"), small) !== null;
    const right = isStretched ? this.stretched.get(single(small)) : this.misspelt.get(small);
    if (right === undefined || word === small) return right ?? word;
    if (word === word.toUpperCase()) return right.toUpperCase();
    const mayBeAName = standsInside && word.length < own("SHORTEST_WITH_CAPITAL");
    return mayBeAName ? word : right.slice(0, 1).toUpperCase() + right.slice(1);
  }
}
