// Months, days of the week, units, "No. 5": what has a fixed name in each language.

import { search } from "../../core/patterns.js";
import { matches, rule } from "../../rules.js";
import { anyOf, pattern } from "./spaced.js";

/** Meaning → its names in one language; `stated` finds those that a translation must have too. */
export class Names {
  constructor(stated, accepted) {
    this.stated = stated;
    this.accepted = accepted;
    Object.freeze(this);
  }

  /** also: what is accepted for a meaning besides its names. */
  static of(table, also, { measured }) {
    const groups = Object.entries(table).map(([meaning, names]) => `(?<${meaning}>${anyOf(names)})`);
    const before = rule("translation.checks.named", measured ? "_MEASURED" : "_ANYWHERE");
    const stated = new RegExp(`${before}(?:${groups.join("|") || "(?!)"})(?= )`, "gu");
    const accepted = new Map();
    for (const [meaning, names] of Object.entries(table)) {
      accepted.set(meaning, pattern([...names, ...(also[meaning] ?? [])]));
    }
    return new Names(stated, accepted);
  }
}

export class NameCheck {
  constructor(source, target) {
    this.source = source;
    this.target = target;
  }

  notes(source, target) {
    const stated = new Map();
    for (const found of matches(this.source.stated, source)) {
      const [meaning] = Object.entries(found.groups).find(([, words]) => words !== undefined);
      stated.set(meaning, found[0]);
    }
    return [...stated]
      .filter(([meaning, words]) => !this.#isThere(meaning, words, target))
      .map(([, words]) => `"${words}" may be wrong or missing`);
  }

  /** By a name of the target language, or as it was: "300 mph" may stay. */
  #isThere(meaning, words, target) {
    const accepted = this.target.accepted.get(meaning);
    return accepted === undefined || search(accepted, target) !== null || target.includes(` ${words} `);
  }
}
