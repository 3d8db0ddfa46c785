// A pack and a text → an explanation: the model is run in plain arrays, and every number of it is kept.

import { DhyanError } from "../core/errors.js";
import { strip } from "../core/python-text.js";
import { END, START } from "../core/special-tokens.js";
import { GenerationSettings } from "../generation/settings.js";
import { opened } from "../model/architecture.js";
import { readHeads } from "./address.js";
import { alignment } from "./analyses/head-alignment.js";
import { logitLens } from "./analyses/logit-lens.js";
import { occlude } from "./analyses/occlusion.js";
import { logProbabilities, search } from "./beam-trace.js";
import { Question } from "./explanation.js";
import { InteractiveExplanation } from "./interactive.js";
import { NumpyTransformer } from "./numpy-model.js";
import { readEdits } from "./read-edits.js";
import { Tokens, pieceId, readWords } from "./token-view.js";
import { Trace } from "./trace.js";
import { KnownWords } from "./known-words.js";

export const MOST_TOKENS = 256; // every number of a longer text is more than anybody looks at, and fills the memory
const WRITES = 20; // tokens that a writer goes on with unless asked otherwise
const REMEMBERED = 4; // runs of the encoder and searches that are kept: the next question is often about the same text

/** The last few results. */
class Memory {
  #kept = new Map();

  get(key, compute) {
    const found = this.#kept.has(key) ? this.#kept.get(key) : compute();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    if (this.#kept.size > REMEMBERED) this.#kept.delete(this.#kept.keys().next().value);
    return found;
  }
}

/** Opens a pack up. Keep one for as long as you ask about the same pack: what it has computed it remembers. */
export class Explainer {
  #encoded = new Memory();
  #searches = new Memory();
  #shortest = null;

  constructor(pack) {
    this.pack = pack;
    this.architecture = opened(pack.manifest.architecture);
    this.labelKind = pack.manifest.label_kind;
    this.sourceTokenizer = pack.sourceTokenizer ?? pack.tokenizer; // of the text that is given
    this.targetTokenizer = pack.targetTokenizer ?? pack.tokenizer; // of the text that is written
    this.decoding = new GenerationSettings(pack.manifest.decoding);
  }

  /** Run the model on one text and keep every number. `options` are those of `question`. */
  explain(text, options = {}) {
    return this.answer(this.question(text, options));
  }

  /**
   * What is asked, checked: the one place where a question is read.
   *
   * target: explain this translation (or continuation) instead of the model's own. beam: hypotheses kept at each
   * step; unset: as the pack says for a translator, 1 (greedy) for a writer. maxLength: most tokens to write.
   * headsOff: heads whose result counts as zero, such as "enc.2.h5". force: step → the piece (or its id) that is
   * written there, whatever the model would choose; what stands before it stays, what follows is searched anew.
   * hide: words of the text, by number or written out, that nobody may look at, as nobody looks at padding.
   * set: address → a number, an array, or another trace (the same address of it): the model goes on from there.
   *
   * @param {string} text
   * @param {{ target?: string, beam?: number, maxLength?: number, headsOff?: string[], force?: any, hide?: any[],
   *   set?: any }} [options] force and set: a Map or an object
   */
  question(text, options = {}) {
    const { target = null, beam = null, maxLength = null } = options;
    const { headsOff = [], force = null, hide = [], set = null } = options;
    const asked = force === null ? [] : force instanceof Map ? [...force] : Object.entries(force);
    const isForced = asked.length > 0;
    if (!this.architecture.hasDecoder) this.#refuseDecoding({ target, beam, max_length: maxLength, force: isForced });
    if (target !== null && isForced) {
      throw new DhyanError("a target and a forced piece together: give one of them.");
    }
    const given = Object.entries({ beam, maxLength }).filter(([, value]) => value !== null);
    GenerationSettings.checked(Object.fromEntries(given), "explain");
    const chosen = beam || (this.architecture.hasCross ? this.decoding.beam : 1);
    /** @type {[number, number][]} */
    const forced = asked.map(([step, piece]) => [Number(step), pieceId(this.targetTokenizer, piece)]);
    forced.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    const heads = readHeads(this.architecture, headsOff);
    const hidden = hide.length ? readWords(this.#tokens(text), hide) : [];
    const changes = { headsOff: heads, force: forced, hide: hidden, set: this.#edits(text, set) };
    return new Question(text, { target, beam: chosen, maxLength, ...changes });
  }

  /** Run the model on a question that was read already. */
  answer(question) {
    const source = this.#tokens(question.text);
    const model = this.#changedModel(question, source);
    const a = this.architecture;
    const given = a.hasEncoder ? source.ids.slice(0, -1) : source.ids;
    let trace = new Trace(model.weights), memory = null;
    if (a.hasEncoder) {
      const encoded = this.#encode(model, question, source.ids);
      [trace, memory] = [encoded.trace.copy(), encoded.memory];
    }
    let prompt = [], written = [], searched = null;
    if (a.hasDecoder) {
      prompt = memory !== null ? [START] : [START, ...given];
      if (question.target === null) {
        searched = this.#search(model, question, given, prompt, memory);
        written = writtenBy(searched);
      } else {
        written = [...this.targetTokenizer.encode(question.target), END];
        this.#refuseLong(prompt.length + written.length, "the target");
      }
      model.decode(trace, [...prompt, ...written.slice(0, -1)], memory);
    }
    const tokens = (ids) => Tokens.of(this.targetTokenizer, ids);
    const found = new InteractiveExplanation(question, this.pack, model, trace, {
      source,
      target: tokens([...prompt, ...written.slice(0, -1)]),
      predicted: tokens([...prompt.slice(1), ...written]),
      written: tokens(written),
      firstRow: Math.max(0, prompt.length - 1),
      search: searched,
      ask: (other) => this.answer(other),
    });
    addLazyArrays(found);
    return found;
  }

  /** The model with some heads switched off. */
  model(headsOff = []) {
    return this.#transformer(headsOff);
  }

  // -- the runs ------------------------------------------------------------------------------------------------

  /** The model as the question wants it. */
  #changedModel(question, source) {
    const shift = this.architecture.hasEncoder ? 0 : 1; // behind the start mark
    const words = source.words.filter((word) => !word.special);
    const hidden = question.hide.flatMap((number) => {
      const { start, end } = words[number];
      return Array.from({ length: end - start }, (_, at) => shift + start + at);
    });
    const known = this.#knownWords(question.text, source);
    return this.#transformer(question.headsOff, hidden, question.set, known);
  }

  #transformer(headsOff, hidden = [], edits = [], words = null) {
    return new NumpyTransformer(this.architecture, this.pack.learnt, headsOff, hidden, edits, words, this.labelKind);
  }

  #knownWords(text, source) {
    return this.pack.wordsHead ? new KnownWords(this.pack.wordsHead, text, source) : null;
  }

  /** Which arrays there are: of the shortest text, as quickly as can be. */
  get #shortestRun() {
    const { hasEncoder, hasDecoder } = this.architecture;
    if (this.#shortest === null) {
      const model = this.model();
      model.words = this.#knownWords("", Tokens.of(this.sourceTokenizer, [END]));
      this.#shortest = model.trace(hasEncoder ? [END] : null, hasDecoder ? [START] : null);
    }
    return this.#shortest;
  }

  #edits(text, asked) {
    const isAsked = asked !== null && (asked instanceof Map ? asked.size : Object.keys(asked).length) > 0;
    if (!isAsked) return [];
    const source = this.#tokens(text);
    const known = this.#knownWords(text, source)?.words.length ?? 0;
    return readEdits(asked, this.#shortestRun, source.length, known);
  }

  #encode(model, question, ids) {
    const text = model.words ? question.text : ""; // texts of the same ids may be of different words
    return this.#encoded.get(JSON.stringify([text, ids, changesOf(question)]), () => {
      const trace = new Trace(model.weights);
      const memory = model.encode(trace, ids);
      model.headsOnTop(trace, memory);
      return { trace, memory };
    });
  }

  #search(model, question, given, prompt, memory) {
    const limit = this.#limit(question, given, prompt), { beam } = question;
    const run = (prefix) =>
      this.#searches.get(JSON.stringify([given, changesOf(question), beam, limit, prefix]), () =>
        search(model, memory, prompt, prefix, beam, this.decoding, limit),
      );
    let found = run([]);
    for (const [step, forced] of question.force) {
      const written = writtenBy(found);
      if (!(step >= 0 && step < written.length)) {
        throw new DhyanError(`there is no step ${step} to force: the steps are 0 to ${written.length - 1}.`);
      }
      found = run([...written.slice(0, step), forced]);
    }
    return found;
  }

  /** The most tokens that may be written: as the engines have it. */
  #limit(question, given, prompt) {
    const a = this.architecture;
    const asked = question.maxLength || this.decoding.maxLength;
    const own = a.hasCross ? 2 * (given.length + 1) + 20 : WRITES;
    const room = a.positions === "learned" ? a.maxPositions : 2 * MOST_TOKENS + 20;
    return Math.max(1, Math.min(asked || own, room - prompt.length));
  }

  // -- refusals ------------------------------------------------------------------------------------------------

  /** Of the given text, with its end mark where there is an encoder. */
  #tokens(text) {
    if (!strip(text)) throw new DhyanError("there is no text to explain; write at least one word.");
    const { hasEncoder } = this.architecture;
    const ids = this.sourceTokenizer.encode(hasEncoder ? strip(text) : text);
    this.#refuseLong(ids.length + 1, "the text");
    return Tokens.of(this.sourceTokenizer, hasEncoder ? [...ids, END] : [...ids]);
  }

  #refuseLong(tokens, what) {
    const a = this.architecture;
    const room = a.positions === "learned" ? Math.min(MOST_TOKENS, a.maxPositions) : MOST_TOKENS;
    if (tokens <= room) return;
    throw new DhyanError(
      `${what} is ${tokens} tokens long, marks included; at most ${room} can be opened up: give one sentence.`,
    );
  }

  #refuseDecoding(asked) {
    for (const [name, value] of Object.entries(asked)) {
      if (value) throw new DhyanError(`${this.pack.name} is an encoder and writes nothing: leave ${name} out.`);
    }
  }
}

const writtenBy = ({ best }) => (best.ended ? [...best.ids, END] : [...best.ids]);
const changesOf = ({ headsOff, hide, set }) => [headsOff, hide, set.map((edit) => edit.key)];

/** The addresses whose numbers are computed when somebody asks for them. */
export function addLazyArrays(explanation) {
  const a = explanation.architecture, { trace, source, written } = explanation;
  const real = (tokens) => tokens.words.filter((word) => !word.special).length;
  if (a.hasDecoder) {
    const logits = explanation.array("dec.out.logits");
    trace.recordWhenAsked("dec.out.logprobs", logits.shape, () => logProbabilities(logits));
    trace.recordWhenAsked("dec.lens.probs", [a.decoderLayers + 1, ...logits.shape], () => logitLens(explanation));
  } else if (a.labels) {
    trace.recordWhenAsked("enc.lens.probs", [a.encoderLayers + 1, a.labels], () => logitLens(explanation));
  }
  const rows = a.hasDecoder ? written.words.length : a.labels || 1;
  trace.recordWhenAsked("occlusion", [rows, real(source)], () => explanation.once(occlude).change);
  if (a.hasCross) {
    trace.recordWhenAsked("alignment", [real(written), real(source)], () => explanation.once(alignment).weights);
  }
}
