// How the next token is chosen, as settings: greedy, beam, or by chance; and what comes of it.

import { DhyanError } from "../core/errors.js";
import { END } from "../core/special-tokens.js";

// name → the default, and what is allowed
const FIELDS = {
  beam: { value: 4, whole: true, least: 1, most: 64 },
  lengthPenalty: { value: 1.0, least: 0, most: 5 },
  lengthOffset: { value: 0, whole: true, least: 0, most: 100 },
  alternatives: { value: 1, whole: true, least: 1, most: 64 },
  maxLength: { value: null, whole: true, least: 1 },
  sample: { value: false, isSwitch: true },
  temperature: { value: 1.0, above: 0, most: 100 },
  topK: { value: 0, whole: true, least: 0 },
  topP: { value: 1.0, above: 0, most: 1 },
  seed: { value: 0, whole: true, least: 0, below: 2 ** 32 },
};

const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Beam search unless `sample` is set; a beam of 1 is greedy. */
export class GenerationSettings {
  /** @param {object} values by the names of this class or of pack.json; what is not given has its default. */
  constructor(values = {}) {
    this.beam = FIELDS.beam.value; // hypotheses kept at each step; 1 is greedy
    this.lengthPenalty = FIELDS.lengthPenalty.value; // scores are divided by length to this power
    this.lengthOffset = FIELDS.lengthOffset.value; // added to the length first: more is gentler on short texts
    this.alternatives = FIELDS.alternatives.value; // how many results to return, best first
    this.maxLength = FIELDS.maxLength.value; // most tokens to generate; null: from the input's length
    this.sample = FIELDS.sample.value; // sample tokens instead of beam search
    this.temperature = FIELDS.temperature.value; // below 1 favours probable tokens, above 1 evens them out
    this.topK = FIELDS.topK.value; // sample among the k most probable tokens; 0 for all
    this.topP = FIELDS.topP.value; // sample among the most probable tokens that add up to p
    this.seed = FIELDS.seed.value; // the same seed samples the same tokens
    for (const [name, value] of Object.entries(values)) this[camelCase(name)] = value;
    Object.freeze(this);
  }

  /** Built of plain values; a wrong one throws a DhyanError of one line that names `where` and the setting. */
  static checked(values, where) {
    const problems = Object.entries(values).map(([name, value]) => problemOf(name, value));
    const found = problems.filter(Boolean);
    if (found.length) throw new DhyanError(`${where}: ${[...new Set(found)].join("; ")}.`);
    return new GenerationSettings(values);
  }

  /** The same settings with some of them changed. */
  modelCopy({ update }) {
    return new GenerationSettings({ ...this, ...update });
  }

  /** What the log-probability of so many tokens is divided by; one token's by 1.
   *
   * A power of the bare length makes two tokens so much better than one that single words grow. With an offset of 5
   * it is the penalty of Wu et al., 2016. */
  divisor(length) {
    return ((length + this.lengthOffset) / (1 + this.lengthOffset)) ** this.lengthPenalty;
  }

  /** The power of the length by which `beam` of all that ended are kept, before the score ranks them. */
  get keptBy() {
    return this.lengthOffset ? 1.0 : this.lengthPenalty;
  }

  divisorInWords(length) {
    const added = this.lengthOffset;
    const power = String(Number(this.lengthPenalty.toPrecision(6)));
    return added ? `((${length} + ${added}) / ${1 + added})^${power}` : `${length}^${power}`;
  }

  /** Of all its tokens together: the division undone. */
  logProbability(hypothesis) {
    return hypothesis.score * this.divisor(hypothesis.length);
  }
}

function problemOf(name, value) {
  const key = snakeCase(camelCase(name));
  const field = FIELDS[camelCase(name)];
  if (!field) return `'${key}' is not a setting`;
  if (field.value === null && value === null) return null;
  const shown = typeof value === "string" ? `'${value.slice(0, 99)}'` : String(value);
  const wrong = (what) => `${key} = ${shown}: input should be ${what}`;
  if (field.isSwitch) return typeof value === "boolean" ? null : wrong("a valid boolean");
  if (typeof value !== "number" || !Number.isFinite(value)) {
    return wrong(field.whole ? "a valid integer" : "a valid number");
  }
  if (field.whole && !Number.isInteger(value)) return wrong("a valid integer");
  if (value < field.least) return wrong(`greater than or equal to ${field.least}`);
  if (value <= field.above) return wrong(`greater than ${field.above}`);
  if (value > field.most) return wrong(`less than or equal to ${field.most}`);
  if (value >= field.below) return wrong(`less than ${field.below}`);
  return null;
}

/** One possible result of a generation. */
export class Hypothesis {
  /**
   * @param {number[]} ids without start and end
   * @param {number} score log-probability, divided by the length's divisor; the end mark counts as a token
   * @param {boolean} ended by its end mark; false: cut off at the length limit
   */
  constructor(ids, score, ended) {
    this.ids = ids;
    this.score = score;
    this.ended = ended;
  }

  /** tokens: all that were written, the end mark last if there is one. */
  static of(tokens, score) {
    const ended = tokens.at(-1) === END;
    return new Hypothesis(ended ? tokens.slice(0, -1) : tokens, score, ended);
  }

  /** The tokens that the score is made of; one at least, also of what was cut off at once. */
  get length() {
    return Math.max(1, this.ids.length + (this.ended ? 1 : 0));
  }
}
