// Traces that were asked for lately, so that the next number of the same trace is there at once.

export const MOST_TRACES = 24;
export const MOST_BYTES = 48 * 2 ** 20; // a tab on a phone has little memory

/** A bounded cache: the trace that was longest not asked for goes first. */
export class TraceCache {
  #kept = new Map(); // key → explanation, what was asked for last at the end
  #numbers = new WeakMap(); // model → its number: a pack that is loaded again is another one
  #count = 0;

  constructor(mostTraces = MOST_TRACES, mostBytes = MOST_BYTES) {
    this.mostTraces = mostTraces;
    this.mostBytes = mostBytes;
  }

  /** The trace of a question to a model. */
  using(served, question) {
    const key = `${this.#numberOf(served)} ${question.key}`;
    const explanation = this.#kept.get(key) ?? served.explainer.answer(question);
    this.#kept.delete(key);
    this.#kept.set(key, explanation);
    this.#sweep();
    return explanation;
  }

  get length() {
    return this.#kept.size;
  }

  get bytes() {
    return [...this.#kept.values()].reduce((sum, one) => sum + bytesOf(one), 0);
  }

  #numberOf(served) {
    if (!this.#numbers.has(served)) this.#numbers.set(served, (this.#count += 1));
    return this.#numbers.get(served);
  }

  /** Whoever still looks at one that goes holds it by himself. */
  #sweep() {
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= 1 || (this.#kept.size <= this.mostTraces && this.bytes <= this.mostBytes)) return;
      this.#kept.delete(key);
    }
  }
}

const bytesOf = (explanation) => explanation.held().reduce((sum, one) => sum + one.trace.bytes, 0);
