// What a model's `explain` gives: an explanation with the analyses as methods.

import { readHeads } from "./address.js";
import { compare } from "./analyses/ablation-diff.js";
import { alignment } from "./analyses/head-alignment.js";
import { headStats } from "./analyses/head-stats.js";
import { lensByStep } from "./analyses/logit-lens.js";
import { occlude } from "./analyses/occlusion.js";
import { axesOf, byWords } from "./axes.js";
import { Explanation, TOP } from "./explanation.js";
import { readEdits } from "./read-edits.js";
import { pieceId, readWords } from "./token-view.js";

/** Nothing is computed here: each method hands the record to the function that does. */
export class InteractiveExplanation extends Explanation {
  #ask;
  #before = null;

  /** said.ask: question → InteractiveExplanation */
  constructor(question, pack, model, trace, said) {
    super(question, pack, model, trace, said);
    this.#ask = said.ask;
  }

  /** What each axis of `get(address)` stands for, with a label for each index where there is one. */
  axes(address) {
    return axesOf(this, address);
  }

  /** Word mode: the pieces of each word merged. */
  byWords(address) {
    return byWords(this, address);
  }

  /** Every address below `under` (all of them if empty) with its shape; with `weights`, the model's own too. */
  shapes(under = "", weights = false) {
    return this.trace.shapes(under, weights);
  }

  /** Every address with its shape, each head on its own too. */
  addresses(weights = false) {
    return this.trace.addresses(weights);
  }

  /** Addresses of all attention weights, head by head; kind: "enc", "dec", "cross", "dec.1.self", … */
  heads(kind = "") {
    return this.trace.heads(kind);
  }

  /** What each written word loses when a given word is hidden. */
  get occlusion() {
    return this.once(occlude);
  }

  /** The cross-attention head that agrees best with occlusion, and the links that it draws. */
  get alignment() {
    return this.once(alignment);
  }

  /** The logit lens: for each written token, what each layer would have said, the first layer first. */
  lens(top = TOP) {
    return lensByStep(this, top);
  }

  /** What each head does: where it looks, how it agrees with occlusion, what switching it off costs. */
  headStats() {
    return headStats(this);
  }

  /** The same question with more heads switched off. */
  without(...heads) {
    return this.#ask(this.question.with({ headsOff: readHeads(this.architecture, [...this.headsOff, ...heads]) }));
  }

  /** The same question with a piece forced at a step: later forced ones are dropped, for they may not fit. */
  forcing(step, piece) {
    const earlier = this.question.force.filter(([at]) => at < step);
    return this.#ask(this.question.with({ force: [...earlier, [step, pieceId(this.targetTokenizer, piece)]] }));
  }

  /** The same question with more words of the text hidden, by number or as they are written. */
  hiding(...words) {
    return this.#ask(this.question.with({ hide: readWords(this.source, [...this.question.hide, ...words]) }));
  }

  /** The same question with more numbers set by hand, by address. */
  setting(numbers) {
    const edits = readEdits(numbers, this.before.trace, this.source.length);
    return this.#ask(this.question.with({ set: [...this.question.set, ...edits] }));
  }

  /** The same text with all heads on, nothing forced, hidden or set. */
  get before() {
    if (!this.question.changed) return this;
    this.#before ??= this.#ask(this.question.unchanged);
    return this.#before;
  }

  /** What switching heads off, forcing, hiding or setting has changed. */
  get change() {
    return compare(this.before, this);
  }

  /** What is in memory with it: itself and, once it was compared, what it was compared with. */
  held() {
    return this.#before === null ? [this] : [this, this.#before];
  }

  /** To be called when nobody will ask any more, by whoever keeps many. */
  letGo() {
    for (const one of this.held()) one.trace.computeNoMore();
    this.#before = null;
  }
}
