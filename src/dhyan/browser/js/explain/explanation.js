// An explanation: one run of the model with all its numbers, the text around them, and what the model said.
//
// It is a record. What can be found out about it is a function beside it, in `analyses`; how it is shown, in `views`.

import { strip } from "../core/python-text.js";
import { opened } from "../model/architecture.js";
import { headName } from "./address.js";
import { Guess, Step, topK } from "./beam-trace.js";
import { answerAddress, saidOf } from "./label-scores.js";
import { pieceOf } from "./token-view.js";

export const TOP = 5; // candidates per step, unless asked otherwise

/** What was asked of the model, and how the model was changed: enough to ask it again. */
export class Question {
  /**
   * @param {string} text
   * @param {object} [changes]
   * @param {string | null} [changes.target] explain this translation or continuation instead of the model's own
   * @param {number} [changes.beam]
   * @param {number | null} [changes.maxLength]
   * @param {import("./address.js").Head[]} [changes.headsOff]
   * @param {[number, number][]} [changes.force] (step, id), in order of steps
   * @param {number[]} [changes.hide] words of the text that nobody may look at, by number
   * @param {import("./edits.js").Edit[]} [changes.set] numbers by hand; of two for the same cell the later one counts
   */
  constructor(text, changes = {}) {
    const { target = null, beam = 1, maxLength = null, headsOff = [], force = [], hide = [], set = [] } = changes;
    this.text = text;
    this.target = target;
    this.beam = beam;
    this.maxLength = maxLength;
    this.headsOff = headsOff;
    this.force = force;
    this.hide = hide;
    this.set = set;
    Object.freeze(this);
  }

  /** The same question with some of it changed. */
  with(changes) {
    return new Question(this.text, { ...this, ...changes });
  }

  /** The same text, asked of the model as it is. */
  get unchanged() {
    return this.with({ headsOff: [], force: [], hide: [], set: [] });
  }

  /** Whether heads are off, tokens forced, words hidden, numbers set: then there is a before and an after. */
  get changed() {
    return [this.headsOff, this.force, this.hide, this.set].some((changes) => changes.length > 0);
  }

  /** Two questions with the same key are the same. */
  get key() {
    const { text, target, beam, maxLength, headsOff, force, hide } = this;
    return JSON.stringify([text, target, beam, maxLength, headsOff, force, hide, this.set.map((edit) => edit.key)]);
  }
}

/** Every number of one run by address, and the text around it: `explanation.get("enc.0.self.h3.weights")`. */
export class Explanation {
  #found = new Map(); // analysis → what it found
  #text = null;
  #steps = null;

  /**
   * @param {Question} question
   * @param {import("../pack/pack.js").Pack} pack
   * @param {import("./numpy-model.js").NumpyTransformer} model changed as the question says
   * @param {import("./trace.js").Trace} trace
   * @param {object} said
   * @param {import("./token-view.js").Tokens} said.source of the given text
   * @param {import("./token-view.js").Tokens} said.target what the decoder reads, start mark first
   * @param {import("./token-view.js").Tokens} said.predicted what each row of the decoder predicts, row by row
   * @param {import("./token-view.js").Tokens} said.written the part of `predicted` that the model wrote
   * @param {number} said.firstRow the decoder's row that predicts the first written token
   * @param {import("./beam-trace.js").BeamTrace | null} [said.search] null where the target was given; an encoder's too
   */
  constructor(question, pack, model, trace, { source, target, predicted, written, firstRow, search = null }) {
    this.question = question;
    this.pack = pack;
    this.model = model;
    this.trace = trace;
    this.source = source;
    this.target = target;
    this.predicted = predicted;
    this.written = written;
    this.firstRow = firstRow;
    this.search = search;
  }

  // -- numbers by address --------------------------------------------------------------------------------------

  get(address) {
    return this.trace.get(address);
  }

  has(address) {
    return this.trace.has(address);
  }

  [Symbol.iterator]() {
    return this.trace[Symbol.iterator]();
  }

  get length() {
    return this.trace.length;
  }

  /** The array with exactly this name, all heads of it. */
  array(name) {
    return this.trace.array(name);
  }

  /** What an analysis finds, such as `explanation.once(occlude)`: computed when first asked for, then kept. */
  once(analysis) {
    if (!this.#found.has(analysis)) this.#found.set(analysis, analysis(this));
    return this.#found.get(analysis);
  }

  /** What an analysis has found already: `once` gives it from now on. */
  keep(analysis, found) {
    this.#found.set(analysis, found);
  }

  // -- the model and its vocabularies --------------------------------------------------------------------------

  get architecture() {
    return opened(this.pack.manifest.architecture);
  }

  get headsOff() {
    return this.question.headsOff.map(headName);
  }

  get hiddenWords() {
    const words = this.source.words.filter((word) => !word.special);
    return this.question.hide.map((number) => words[number].text);
  }

  /** Of the text that is given. */
  get sourceTokenizer() {
    return this.pack.sourceTokenizer ?? this.pack.tokenizer;
  }

  /** Of the text that is written. */
  get targetTokenizer() {
    return this.pack.targetTokenizer ?? this.pack.tokenizer;
  }

  sourcePiece(id) {
    return pieceOf(this.sourceTokenizer, id);
  }

  piece(id) {
    return pieceOf(this.targetTokenizer, id);
  }

  // -- what the model said -------------------------------------------------------------------------------------

  /** The translation, the continuation, the label; empty for an embedder. */
  get text() {
    this.#text ??= this.#said();
    return this.#text;
  }

  #said() {
    const { hasDecoder, hasCross, labels } = this.architecture;
    if (hasDecoder) {
      const said = this.targetTokenizer.decode(this.written.ids);
      return hasCross ? strip(said) : this.#continuation(said);
    }
    return labels ? saidOf(this.labelKind, this.#labelled()) : "";
  }

  /** What was written as it stands behind the prompt: a text that is decoded alone has no space in front. */
  #continuation(said) {
    const given = this.targetTokenizer.decode(this.source.ids);
    const whole = this.targetTokenizer.decode([...this.source.ids, ...this.written.ids]);
    return whole.startsWith(given) ? whole.slice(given.length) : said;
  }

  /** A classifier's labels and their probabilities; or the number that it says, under its name. */
  get labels() {
    return Object.fromEntries(this.#labelled());
  }

  /** The same in the order of the labels, which an object does not keep for names such as "5".
   * @returns {[string, number][]} */
  #labelled() {
    const names = this.pack.manifest.labels;
    if (!names.length) return [];
    const found = this.array(answerAddress(this.labelKind)).data;
    return names.map((name, number) => [name, found[number]]);
  }

  /** @returns {import("../core/label-kind.js").LabelKind} */
  get labelKind() {
    return this.pack.manifest.label_kind;
  }

  /** The sum of the written tokens' log-probabilities. */
  get score() {
    return this.steps.reduce((sum, step) => sum + step.logProbability, 0);
  }

  /** The decoder's steps, one per written token, with the top candidates of each. */
  get steps() {
    this.#steps ??= [...this.written.tokens.keys()].map((step) => this.guessed(step));
    return this.#steps;
  }

  /** One step with so many candidates. */
  guessed(step, top = TOP) {
    const row = this.firstRow + step;
    const logprobs = this.array("dec.out.logprobs").row(row); // (vocabulary,)
    const chosen = this.written.at(step).id;
    const forced = this.question.force.some(([at, id]) => at === step && id === chosen);
    const guesses = topK(logprobs, top).map((id) => this.#guess(row, id));
    return new Step(step, row, this.#guess(row, chosen), logprobs.at(chosen), forced, guesses);
  }

  #guess(row, id) {
    return new Guess(id, this.piece(id), this.array("dec.out.probs").at(row, id), `dec.out.probs[${row},${id}]`);
  }

  // -- showing itself ------------------------------------------------------------------------------------------

  /** A summary for JSON, in the server's words: tokens, words, output, steps, every address with its shape. */
  asDict(top = TOP) {
    const a = this.architecture;
    const found = {
      pack: this.pack.manifest.name,
      shape: a.shape,
      layers: {
        encoder: a.hasEncoder ? a.encoderLayers : 0,
        decoder: a.hasDecoder ? a.decoderLayers : 0,
      },
      heads: a.heads,
      d_model: a.dModel,
      asked: this.question.text,
      text: this.text,
      heads_off: this.headsOff,
      hide: this.question.hide,
      set: this.question.set.map((edit) => edit.said),
      source: tokensAsDict(this.source),
    };
    if (a.hasDecoder) {
      Object.assign(found, {
        beam: this.question.beam,
        score: this.score,
        target: tokensAsDict(this.target),
        predicted: tokensAsDict(this.predicted),
        first_row: this.firstRow,
        steps: [...this.written.tokens.keys()].map((step) => this.guessed(step, top).asDict()),
      });
    }
    if (Object.keys(this.labels).length) found.labels = this.labels;
    if (this.model.words) found.words_head = { words: this.model.words.words, rows: this.model.words.rows };
    return { ...found, addresses: this.trace.shapes() };
  }
}

export function tokensAsDict(tokens) {
  return {
    tokens: tokens.tokens.map(({ id, piece, text, word, special }) => ({ id, piece, text, word, special })),
    words: tokens.words.map(({ text, start, end, special }) => ({ text, start, end, special })),
  };
}
