// Rising and falling: "by 20% to 5 million" is not from 20% to 5 million.

import { sortedBy } from "../../core/comparing.js";
import { search } from "../../core/patterns.js";
import { matches, rule } from "../../rules.js";
import { pattern } from "./spaced.js";

const own = (name) => rule("translation.checks.changes", name);
// What a number is in the translation when it must not be: its role in the source → roles that say something else.
const contrary = () => [...own("_CONTRARY")];

/** verbs: a pattern; roles: from, to, by → patterns with a group `number`. */
export class ChangeWords {
  constructor(verbs, roles) {
    this.verbs = verbs;
    this.roles = roles;
    Object.freeze(this);
  }

  /** units: patterns of what may follow a number and belong to it. */
  static of(table, units) {
    const number = `${own("_NUMBER").replace("(?P<", "(?<")}(?: (?:${[...units].join("|")}))*`;
    const verbs = table.verbs ?? [];
    const verb = `(?:${verbs.join("|")})`;
    const filled = (one) => pattern([one.replaceAll("{n}", number).replaceAll("{verb}", verb)]);
    const roles = new Map();
    for (const [role] of contrary()) roles.set(role, (table[role] ?? []).map(filled));
    return new ChangeWords(pattern(verbs), roles);
  }

  /** Role → the numbers of a spaced text that have it. */
  rolesOfNumbers(text) {
    const numbers = (patterns) => patterns.flatMap((one) => matches(one, text).map((found) => found.groups.number));
    return new Map([...this.roles].map(([role, patterns]) => [role, new Set(numbers(patterns))]));
  }
}

/** Where something rises or falls, each number keeps its role. */
export class ChangeCheck {
  constructor(source, target) {
    this.source = source;
    this.target = target;
  }

  notes(source, target) {
    if (!search(this.source.verbs, source)) return [];
    const there = this.source.rolesOfNumbers(source);
    // A single number cannot be mistaken for another: 20% से बढ़ना is to rise by 20%.
    if ([...there.values()].filter((numbers) => numbers.size > 0).length < 2) return [];
    const here = this.target.rolesOfNumbers(target);
    const wrong = new Set();
    for (const [role, others] of contrary()) {
      for (const other of others) {
        if (role === "by" && other === "to" && there.get("to").size === 0) continue; // by 10 to 20 percent
        const mistaken = [...there.get(role)].filter((one) => here.get(other).has(one) && !there.get(other).has(one));
        for (const number of sortedBy(mistaken)) wrong.add(number);
      }
    }
    return [...wrong].map((number) => `what changes by, from or to "${number}" may be wrong`);
  }
}
