// What a decoder is used for: going on with a text.

import { END } from "../core/special-tokens.js";
import { GenerationSettings } from "../generation/settings.js";
import { IncrementalDecoder } from "../text/incremental-decoder.js";
import { LoadedModel, checkText, checkTexts } from "./loaded-model.js";

/** Some more of a text that is being written. tokens: written so far, the end mark not counted. finish: of the last
 * piece; it came to an end, or to the length limit.
 * @typedef {{ text: string, tokens: number, finish: "stop" | "length" | null }} Piece */

/** Continues a text: the whole continuation, or piece by piece as it is written. */
export class Writer extends LoadedModel {
  static task = "write";
  static shipped = "writer";

  /** The continuation alone. `settings`: maxLength, temperature, topK, topP, seed, sample, stop. */
  write(prompt = "", settings = {}) {
    return [...this.stream(prompt, settings)].join("");
  }

  /** The same, piece by piece. What is longer than the window is continued from its end. */
  *stream(prompt = "", settings = {}) {
    for (const { text } of this.pieces(prompt, settings)) if (text) yield text;
  }

  /** The same, with the tokens counted, and at last why it ended.
   *
   * stop: texts that end it; none of them is part of the continuation. Who reads no further stops the writing.
   * @returns {Generator<Piece>} */
  *pieces(prompt = "", { stop = [], ...settings } = {}) {
    const given = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
    const own = new GenerationSettings(this.pack.manifest.decoding);
    const generation = GenerationSettings.checked({ ...own, ...Object.fromEntries(given) }, "write");
    const stops = new StopTexts(checkTexts(stop));
    const ids = this.pack.tokenizer.encode(checkText(prompt)).slice(-this.longestPrompt);
    const decoder = new IncrementalDecoder(this.pack.tokenizer, ids);
    let tokens = 0;
    let hasEnded = false;
    for (const id of this.engine.write(ids, generation)) {
      hasEnded = id === END;
      if (hasEnded) break;
      tokens += 1;
      const text = stops.add(decoder.add(id));
      if (stops.isFound) {
        yield { text, tokens, finish: "stop" };
        return;
      }
      if (text) yield { text, tokens, finish: null };
    }
    const rest = stops.add(decoder.end()) + stops.end();
    yield { text: rest, tokens, finish: hasEnded || stops.isFound ? "stop" : "length" };
  }

  /** In tokens. The other half of the window is for what follows. */
  get longestPrompt() {
    return Math.floor(this.pack.manifest.architecture.max_positions / 2);
  }
}

/** Looks for texts that end a text that comes piece by piece; what may be the beginning of one waits. */
export class StopTexts {
  #stops;
  #waiting = "";
  isFound = false;

  constructor(stops) {
    this.#stops = stops.filter(Boolean);
  }

  /** What stands in front of a stop, or is certainly no part of one. */
  add(text) {
    this.#waiting += text;
    const begins = this.#stops.map((stop) => this.#waiting.indexOf(stop)).filter((at) => at >= 0);
    this.isFound = begins.length > 0;
    const cut = this.isFound ? Math.min(...begins) : this.#firstBeginning();
    const certain = this.#waiting.slice(0, cut);
    this.#waiting = this.isFound ? "" : this.#waiting.slice(cut);
    return certain;
  }

  /** What waited in vain. */
  end() {
    const rest = this.#waiting;
    this.#waiting = "";
    return rest;
  }

  /** Where the rest may be the beginning of a stop; at the end if nowhere. */
  #firstBeginning() {
    const { length } = this.#waiting;
    const longest = this.#stops.reduce((most, stop) => Math.max(most, stop.length), 1);
    for (let at = Math.max(0, length - longest + 1); at < length; at += 1)
      if (this.#stops.some((stop) => stop.startsWith(this.#waiting.slice(at)))) return at;
    return length;
  }
}
