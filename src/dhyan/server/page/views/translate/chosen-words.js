// Words that a reader has chosen, sentence by sentence: how a sentence begins, and what the model said behind that. In the
// URL they are `said`: a line for each such sentence, its number and its first words.

export class ChosenWords {
  #chosen = new Map(); // sentence → { begun, text, notes, confidence, roman }
  inUrl = ""; // what of the URL is in here

  get some() {
    return this.#chosen.size > 0;
  }

  clear() {
    this.#chosen.clear();
    this.inUrl = "";
  }

  /** A sentence as it is now: the model's own, or with the words that were chosen. */
  of(sentence, number) {
    return { ...sentence, ...this.#chosen.get(number) };
  }

  /** The URL's `said` with one more choice. */
  take(number, begun, one) {
    this.#put(number, begun, one);
    return [...this.#chosen].map(([at, { begun: words }]) => `${at}:${words}`).join("\n");
  }

  /** What the URL says: what is not known of it is asked for. The numbers of the sentences that have chosen words. */
  async restore(said, sentences, ask) {
    this.inUrl = said;
    const wanted = new Map(
      said
        .split("\n")
        .map((line) => /^(\d{1,6}):(.+)$/u.exec(line))
        .filter((one) => one && Number(one[1]) < sentences)
        .map(([, number, begun]) => [Number(number), begun]),
    );
    for (const number of this.#chosen.keys()) if (!wanted.has(number)) this.#chosen.delete(number);
    for (const [number, begun] of wanted) {
      if (this.#chosen.get(number)?.begun === begun) continue;
      const [one] = await ask(number, begun);
      if (one) this.#put(number, begun, one);
    }
    return [...wanted.keys()];
  }

  #put(number, begun, { text, notes, confidence, roman }) {
    this.#chosen.set(number, { begun, text, notes, confidence, roman });
  }
}
