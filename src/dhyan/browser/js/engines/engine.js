// Ids in, ids or numbers out: the engine of a browser tab, int8 like CTranslate2's, with the same searches.

import { DhyanError } from "../core/errors.js";
import { END, NEVER_WRITTEN, START } from "../core/special-tokens.js";
import { alternatives, ranked, search } from "../generation/beam-search.js";
import { drawToken, randomNumbers } from "../generation/sampling.js";
import { DecoderState, Transformer, tableLength } from "./transformer.js";

const TOGETHER = 16; // positions whose logits are computed at once, where all are wanted

/** Sequences of ids, without start; `sources` and `rows` without end too: the engine adds what it needs. */
export class Engine {
  #head = null; // of the classifier

  device = "browser";
  compute = "int8";
  threads = 1;

  constructor(pack, transformer) {
    this.pack = pack;
    this.architecture = pack.manifest.architecture;
    this.transformer = transformer;
    this.maxTokens = tableLength(this.architecture);
  }

  /** For each source its hypotheses, best first. noRepeatNgram: n-grams of this length occur only once. */
  translate(sources, settings, noRepeatNgram = 0) {
    const longest = Math.max(0, ...sources.map((source) => source.length));
    if (longest >= this.maxTokens) {
      throw new DhyanError(
        `a sentence of ${longest} tokens is too long for this pack (${this.maxTokens - 1} at most); split it.`,
      );
    }
    return sources.map((source) => {
      const limit = this._limit(source.length, settings);
      return this._with(source, settings.beam, limit + 2, 1, (state) => {
        const found = search(state, [START], settings, limit, { noRepeatNgram });
        return ranked(found, settings).slice(0, settings.alternatives);
      });
    });
  }

  /** Translations that begin with the prefix, each going on with another of the most probable tokens. */
  continuations(source, prefix, settings, count) {
    const limit = this._limit(source.length, settings);
    if (source.length >= this.maxTokens || prefix.length >= limit) return [];
    const prompt = [START, ...prefix];
    return this._with(source, settings.beam, limit + 3, prompt.length, (state) =>
      alternatives(state, prompt, settings, limit, count),
    );
  }

  /** For each row its tokens' vectors in context, the end mark's last: (positions, d_model). */
  encode(rows) {
    const { transformer } = this;
    const { top } = transformer.kernels;
    return rows.map((row) => {
      try {
        return transformer.readRows(transformer.encode([...row, END]), row.length + 1);
      } finally {
        transformer.kernels.release(top);
      }
    });
  }

  /** Sentence vectors, an array of them → (labels,) logits of each. */
  classify(vectors) {
    if (!this.pack.weights.has("cls.W")) throw new DhyanError("this encoder has no classifier on top.");
    const { d_model: size, labels } = this.architecture;
    this.#head ??= { weight: this.pack.weights.float32("cls.W"), bias: this.pack.weights.float32("cls.b") };
    const { weight, bias } = this.#head;
    return vectors.map((vector) =>
      Float32Array.from({ length: labels }, (_, label) => {
        let sum = 0;
        for (let at = 0; at < size; at += 1) sum += weight[label * size + at] * vector[at];
        return sum + bias[label];
      }),
    );
  }

  /** The ids that continue the prompt, one by one; the end mark last, unless it ends at the length limit.
   *
   * Who reads no further stops the writing. */
  *write(prompt, settings) {
    const longest = settings.maxLength !== null ? this.maxTokens : this.architecture.max_positions;
    const limit = Math.max(1, Math.min(settings.maxLength ?? longest, longest - prompt.length - 1));
    const read = [START, ...prompt];
    const random = randomNumbers(settings.seed);
    // The memory is given back as it was taken, so a text that is being written has a transformer to itself.
    const state = new DecoderState(this.transformer, null, 1, read.length + limit + 1, read.length);
    try {
      state.read(read);
      state.predict(read.length - 1, 1);
      for (let written = 1; ; written += 1) {
        state.ban(0, NEVER_WRITTEN);
        const token = settings.sample ? drawToken(state.logitsOf(0), settings, random) : state.best(0, 1).ids[0];
        yield token;
        if (token === END || written === limit) return;
        state.advance([token]);
        state.predict(0, 1);
      }
    } finally {
      state.end();
    }
  }

  /** For each target the log-probability of each of its tokens, and of its end: (positions + 1,) or without. */
  logProbabilities(sources, targets, { withEnd = true } = {}) {
    return targets.map((target, number) => {
      const right = withEnd ? [...target, END] : [...target];
      const found = new Float32Array(right.length);
      if (!right.length) return found;
      const read = [START, ...right.slice(0, -1)];
      this._with(sources === null ? null : sources[number], 1, read.length, read.length, (state) => {
        state.read(read);
        for (let first = 0; first < read.length; first += TOGETHER) {
          const count = Math.min(TOGETHER, read.length - first);
          state.predict(first, count);
          for (let row = 0; row < count; row += 1) {
            found[first + row] = state.logProbability(row, right[first + row]);
          }
        }
      });
      return found;
    });
  }

  /** Use a state and give its memory back. */
  _with(source, beam, longest, together, use) {
    const ids = source === null ? null : [...source, END];
    const { top } = this.transformer.kernels;
    try {
      return use(new DecoderState(this.transformer, ids, beam, longest, together));
    } finally {
      this.transformer.kernels.release(top);
    }
  }

  /** The most tokens that a source of this length may become. */
  _limit(length, settings) {
    return Math.min(settings.maxLength ?? lengthLimit(length), this.maxTokens - 1);
  }
}

/** The most tokens that a source may become: twice as many and some, its end mark counted. */
export function lengthLimit(sourceLength) {
  return 2 * (sourceLength + 1) + 20;
}

/** The engine for a pack. */
export async function startEngine(pack) {
  return new Engine(pack, await Transformer.of(pack));
}
