// Negation: a source that denies has a translation that denies, and the other way round.

import { search } from "../../core/patterns.js";
import { pattern } from "./spaced.js";

/**
 * How a language denies:
 * - mayDeny: enough to answer a denial of the other language
 * - neutral: phrases that deny nothing, though a word in them does
 * - saidNotTo: "told him not to go"; notSaid: "did not tell him to go"
 */
export class NegationWords {
  constructor(denies, mayDeny, neutral, saidNotTo, notSaid) {
    this.denies = denies;
    this.mayDeny = mayDeny;
    this.neutral = neutral;
    this.saidNotTo = saidNotTo;
    this.notSaid = notSaid;
    Object.freeze(this);
  }

  static of(table) {
    const names = ["denies", "may_deny", "neutral", "said_not_to", "not_said"];
    return new NegationWords(...names.map((name) => pattern(table[name] ?? [])));
  }

  /** Whether a denial of the other side may be in it after all, in other words or in a neutral phrase. */
  answers(text, withoutNeutral) {
    return search(this.mayDeny, withoutNeutral) !== null || search(this.denies, text) !== null;
  }
}

export class NegationCheck {
  constructor(source, target) {
    this.source = source;
    this.target = target;
  }

  notes(source, target) {
    const [there, here] = [source.replace(this.source.neutral, "…"), target.replace(this.target.neutral, "…")];
    const [denied, denies] = [search(this.source.denies, there), search(this.target.denies, here)];
    if (denied && !denies && !this.target.answers(target, here)) {
      return [`the source denies something ("${denied[0]}") that the translation may not`];
    }
    if (denies && !denied && !this.source.answers(source, there)) {
      return [`the translation denies something ("${denies[0]}") that the source may not`];
    }
    const saidNotTo = search(this.source.saidNotTo, there) && !search(this.source.notSaid, there);
    if (saidNotTo && search(this.target.notSaid, here)) {
      return ["what is denied may be wrong: that something was said, or what was said"];
    }
    return [];
  }
}
