// The parameters of a URL, read as the server reads them; what is wrong with them is told in one sentence.

import { HttpError } from "./http-errors.js";

const WHOLE = /^\s*[+-]?\d+(?:\.0*)?\s*$/;
const YES = ["1", "true", "t", "on", "yes", "y"];
const NO = ["0", "false", "f", "off", "no", "n"];

/** Ask for each parameter, then `check`: all problems are told together. */
export class Parameters {
  #problems = [];

  /** @param {URLSearchParams} query */
  constructor(query) {
    this.query = query;
  }

  /** A text; without a fallback, one that has to be given. */
  text(name, fallback = undefined) {
    const given = this.query.getAll(name).at(-1);
    if (given === undefined && fallback === undefined) this.#refuse(name, "field required");
    return given ?? fallback ?? null;
  }

  /** All that were given under a name; a name may be given often. */
  texts(name, most = Infinity) {
    const given = this.query.getAll(name);
    if (given.length > most)
      this.#refuse(name, `list should have at most ${most} items after validation, not ${given.length}`);
    return given;
  }

  /** A whole number from `least` to `most`. */
  whole(name, { least = -Infinity, most = Infinity, fallback = null } = {}) {
    const given = this.query.getAll(name).at(-1);
    return given === undefined ? fallback : this.#whole(name, given, least, most);
  }

  wholes(name) {
    return this.query.getAll(name).map((given, at) => this.#whole(`${name}.${at}`, given, -Infinity, Infinity));
  }

  /** A part of the path that has to be a whole number. */
  wholePart(name, given) {
    return this.#whole(name, given, -Infinity, Infinity);
  }

  isSet(name) {
    const given = this.query.getAll(name).at(-1)?.toLowerCase();
    if (given === undefined || NO.includes(given)) return false;
    if (!YES.includes(given)) this.#refuse(name, "input should be a valid boolean, unable to interpret input");
    return true;
  }

  oneOf(name, allowed, fallback) {
    const given = this.query.getAll(name).at(-1) ?? fallback;
    const quoted = allowed.map((one) => `'${one}'`);
    if (!allowed.includes(given))
      this.#refuse(name, `input should be ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`);
    return given;
  }

  check() {
    if (this.#problems.length) throw new HttpError(422, `${this.#problems.join("; ")}.`);
  }

  #whole(name, given, least, most) {
    const number = Number(given);
    if (!WHOLE.test(given)) {
      this.#refuse(name, "input should be a valid integer, unable to parse string as an integer");
    } else if (number < least) this.#refuse(name, `input should be greater than or equal to ${least}`);
    else if (number > most) this.#refuse(name, `input should be less than or equal to ${most}`);
    return number;
  }

  #refuse(name, message) {
    this.#problems.push(`${name}: ${message}`);
  }
}
