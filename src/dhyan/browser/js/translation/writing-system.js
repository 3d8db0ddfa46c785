// How a language is written, as far as the vocabulary of a pack shows.

import { counted } from "../core/comparing.js";
import { characterAt, isAlpha, strip } from "../core/python-text.js";
import { rule } from "../rules.js";
import { scriptOf } from "../text/scripts.js";

/** script: of most words; scripts: a Set of all that are no rarity; hasCase: whether they have capitals. */
export class WritingSystem {
  constructor(script, scripts, hasCase) {
    this.script = script;
    this.scripts = scripts;
    this.hasCase = hasCase;
    Object.freeze(this);
  }

  static of(tokenizer) {
    const learnt = Math.max(0, tokenizer.size - tokenizer.firstLearned);
    const step = Math.max(1, Math.floor(learnt / 1000)); // a thousand pieces are enough
    const letters = [];
    for (let number = tokenizer.firstLearned; number < tokenizer.size; number += step) {
      const first = characterAt(strip(tokenizer.piece(number)), 0);
      if (isAlpha(first)) letters.push(first);
    }
    const scripts = counted(letters.map(scriptOf).filter((script) => script !== null));
    const cased = letters.filter((letter) => letter.toLowerCase() !== letter.toUpperCase()).length;
    const enough = rule("translation.writing_system", "_NO_RARITY") * letters.length;
    const most = Math.max(...scripts.values());
    const [script] = [...scripts].find(([, count]) => count === most) ?? [null];
    const learntWell = [...scripts].filter(([, count]) => count >= enough).map(([one]) => one);
    return new WritingSystem(script, new Set(learntWell), 2 * cased > letters.length);
  }
}
