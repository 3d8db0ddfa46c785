// A trace: every number that one run of the model computed, each under its address.

import { DhyanError, didYouMean } from "../core/errors.js";
import { Address } from "./address.js";
import { cellsOf, selected, transposed } from "./arrays.js";
import { openedWeights } from "./weights.js";

// Arrays that a part records once for all heads; their first axis is the head.
const LOOKED_AT = ["query", "key", "value", "turned_query", "turned_key"];
export const PER_HEAD = new Set([...LOOKED_AT, "scores", "scaled", "masked", "weights", "mixed", "share"]);
export const PER_HEAD_WEIGHTS = new Set(["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"]);

export const lastPart = (name) => name.slice(name.lastIndexOf(".") + 1);

/** `trace.get("enc.0.self.h3.weights")`, `trace.get("enc.0.self.weights[3, 2, :]")`; iterating gives the names. */
export class Trace {
  #arrays = new Map(); // name → Tensor
  #whenAsked = new Map(); // name → {shape, compute}
  #weights;

  /** weights: the model's own, which have addresses too; iterating gives only what the run computed. */
  constructor(weights = null) {
    this.#weights = weights === null ? NO_WEIGHTS : openedWeights(weights);
  }

  /**
   * Keep an array under its name and hand it on, so that recording never interrupts a formula.
   *
   * What is recorded stays as it was computed: others may be shown the same array.
   */
  record(name, array) {
    this.#arrays.set(name, array);
    return array;
  }

  /** An address whose numbers take a while: they are computed when somebody looks, once. */
  recordWhenAsked(name, shape, compute) {
    this.#whenAsked.set(name, { shape, compute });
  }

  /** What nobody has asked for until now is gone. */
  computeNoMore() {
    this.#whenAsked.clear();
  }

  /** A trace of its own with the same arrays, to record more into. */
  copy() {
    const other = new Trace(this.#weights);
    for (const [name, array] of this.#arrays) other.record(name, array);
    return other;
  }

  /** The numbers at an address, as a Tensor; it may share its memory with the trace: do not write into it. */
  get(text) {
    const address = Address.parse(text);
    return select(this.array(address.name), address, text);
  }

  /** The array with exactly this name, all heads of it. */
  array(name) {
    if (!this.#arrays.has(name) && this.#whenAsked.has(name)) {
      this.#arrays.set(name, this.#whenAsked.get(name).compute());
    }
    if (this.#arrays.has(name)) return this.#arrays.get(name);
    if (this.#weights.has(name)) return this.#weights.get(name);
    throw new DhyanError(this.#unknown(name));
  }

  [Symbol.iterator]() {
    return this.names()[Symbol.iterator]();
  }

  /** Of all that the run computed, or computes when asked. */
  names() {
    return [...new Set([...this.#arrays.keys(), ...this.#whenAsked.keys()])];
  }

  get length() {
    return this.names().length;
  }

  /** Whether there is such a number; nothing is computed to find out. */
  has(text) {
    try {
      const address = Address.parse(text);
      const shape = this.shapes(address.name, true)[address.name];
      return shape !== undefined && cellsOf(headShape(shape, address, text), address.index) !== null;
    } catch (error) {
      if (error instanceof DhyanError) return false;
      throw error;
    }
  }

  /** The names whose numbers are there by now; those that are computed when asked for are left out. */
  recorded() {
    return [...this.#arrays.keys()];
  }

  /** Every address below `under` (all of them if empty) with its shape; with `weights`, the model's own too. */
  shapes(under = "", weights = false) {
    const inside = under.replace(/\.+$/, "");
    const found = {};
    const add = (name, shape) => {
      if (!inside || name === inside || name.startsWith(`${inside}.`)) found[name] = shape;
    };
    for (const [name, array] of this.#arrays) add(name, array.shape);
    for (const [name, { shape }] of this.#whenAsked) if (!(name in found)) add(name, shape);
    if (weights) for (const name of this.#weights.names()) add(name, this.#weights.shape(name));
    return found;
  }

  /** Every address with its shape, each head on its own too. */
  addresses(weights = false) {
    const found = {};
    for (const [name, shape] of Object.entries(this.shapes("", weights))) {
      found[name] = shape;
      const last = lastPart(name);
      if (!PER_HEAD.has(last)) continue;
      const part = name.slice(0, -last.length - 1);
      for (let head = 0; head < shape[0]; head++) found[`${part}.h${head}.${last}`] = shape.slice(1);
    }
    return found;
  }

  /** Addresses of all attention weights, head by head; kind: "enc", "dec", "cross", "dec.1.self", … */
  heads(kind = "") {
    const found = [];
    for (const [name, array] of this.#arrays) {
      if (!name.endsWith(".weights") || !(name.startsWith(kind) || name.includes(`.${kind}.`))) continue;
      const part = name.slice(0, -".weights".length);
      for (let head = 0; head < array.shape[0]; head++) found.push(`${part}.h${head}.weights`);
    }
    return found;
  }

  /** What the recorded arrays take in memory; several may share it. */
  get bytes() {
    const buffers = new Set([...this.#arrays.values()].map(({ data }) => data.buffer));
    return [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
  }

  #unknown(name) {
    const below = Object.keys(this.shapes(name, true));
    if (below.length) {
      const some = below.slice(0, 6);
      const more = below.length > some.length ? ` and ${below.length - some.length} more` : "";
      return `'${name}' is a part, not an array: below it are ${some.join(", ")}${more}.`;
    }
    const nearest = didYouMean(name, [...this.names(), ...this.#weights.names()]);
    return `there is no '${name}' in this trace${nearest}.`;
  }
}

const NO_WEIGHTS = { has: () => false, get: () => null, names: () => [], shape: () => null, matrix: () => null };

/** For a run whose numbers nobody will ask for. */
class Unrecorded extends Trace {
  record(_, array) {
    return array;
  }
}

export const UNRECORDED = new Unrecorded();

/** The head and the cells of an array that an address asks for. */
function select(array, address, text) {
  const shape = headShape(array.shape, address, text);
  const found = selected(address.head === null ? array : headOf(array, address), address.index);
  if (found !== null) return found;
  throw new DhyanError(`'${text}' points outside of ${address.name}, which is ${shape.join(" × ")}.`);
}

/** The sizes that are left once the head is chosen; an error where there is no such head. */
function headShape(shape, { name, head }, text) {
  if (head === null) return shape;
  const last = lastPart(name);
  if (last !== "W_O" && !PER_HEAD.has(last) && !PER_HEAD_WEIGHTS.has(last)) {
    throw new DhyanError(`'${name}' is one array for all heads; ask for it without '.h${head}'.`);
  }
  const axis = last === "W_O" ? 1 : 0; // (d_model, heads, d_head): the head's share of the last projection
  if (head >= shape[axis]) {
    throw new DhyanError(`'${text}' asks for head ${head}; the heads here are h0 to h${shape[axis] - 1}.`);
  }
  return shape.toSpliced(axis, 1);
}

function headOf(array, { name, head }) {
  return (lastPart(name) === "W_O" ? transposed(array, [1, 0, 2]) : array).row(head);
}
