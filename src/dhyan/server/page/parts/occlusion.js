// Occlusion as it arrives: hiding every word takes a while, so a few are asked for at a time, and what is known is shown.
// Once all are there it is also known which cross-attention head agrees best with it.

import { keep, recall } from "./storage.js";

const AT_ONCE = 8; // words

const known = new WeakMap(); // trace → what has arrived of its occlusion

export class Occlusion {
  columns = []; // source word → what hiding it changes about each target word; a word that has not arrived is missing
  best = ""; // the head that agrees best: dec.1.cross.h3

  static of(trace) {
    if (!known.has(trace)) known.set(trace, new Occlusion(trace));
    return known.get(trace);
  }

  constructor(trace) {
    this.trace = trace;
    this.words = trace.info.source.words.filter((word) => !word.special).length;
  }

  get arrived() {
    return Object.keys(this.columns).length;
  }

  get isComplete() {
    return this.best !== "";
  }

  /** The head that agreed best with this pack's occlusion when it was last looked at: a good guess until it is known. */
  get usual() {
    const head = recall(`links-${this.trace.model.name}`) ?? "";
    return this.trace.crossHeads.includes(head) ? head : "";
  }

  /** Ask for what is missing, and call `show` after each part, as long as it is wanted. */
  async arrive(isWanted, show) {
    for (let first = 0; first < this.words; first += AT_ONCE) {
      if (this.columns[first]) continue;
      const part = await this.trace.ask("occlusion", { first, count: AT_ONCE });
      part.change[0].forEach((_, column) => {
        this.columns[first + column] = part.change.map((row) => row[column]);
      });
      if (!isWanted()) return;
      show();
    }
    this.best = (await this.trace.ask("alignment")).head;
    keep(`links-${this.trace.model.name}`, this.best);
  }
}
