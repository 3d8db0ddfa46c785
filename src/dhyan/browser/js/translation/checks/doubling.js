// A phrase that is said twice in a row, as models do when they lose the thread: "in the in the".

import { search } from "../../core/patterns.js";
import { rule } from "../../rules.js";
import { pattern } from "./spaced.js";

export class DoublingCheck {
  /** setPhrases: those of the target language in which words come again: कम से कम. */
  constructor(setPhrases) {
    this.setPhrases = pattern(setPhrases);
  }

  notes(source, target) {
    const repeated = rule("translation.checks.doubling", "_TWICE");
    const twice = search(repeated, target.replace(this.setPhrases, "…"));
    return twice && !search(repeated, source) ? [`"${twice[1]}" is said twice`] : [];
  }
}
