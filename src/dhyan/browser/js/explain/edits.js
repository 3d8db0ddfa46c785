// The address turned round: numbers that were set by hand take the place of computed ones, and the model goes on.

import { DhyanError } from "../core/errors.js";
import { general } from "../core/format-number.js";
import { Tensor, sizeOf } from "./arrays.js";
import { LOOKING } from "./layout.js";
import { Trace, lastPart } from "./trace.js";

export const OPEN = Number.MAX_SAFE_INTEGER; // the end of an axis that goes on for as long as the text does

/** Numbers for some cells of one array. It can be compared by its key: a question is made of such things. */
export class Edit {
  /**
   * @param {string} address as it was asked for
   * @param {string} name of the array, all heads of it
   * @param {[number, number][]} where on each axis the first cell, and the one behind the last
   * @param {number[]} shape of the numbers; on each axis 1 (the same all along), or as many as there are cells
   * @param {Float32Array} numbers
   */
  constructor(address, name, where, shape, numbers) {
    this.address = address;
    this.name = name;
    this.where = where;
    this.shape = shape;
    this.numbers = numbers;
  }

  get value() {
    return new Tensor(this.numbers, this.shape);
  }

  /** `enc.2.output[3] = 0` */
  get said() {
    const { address, numbers } = this;
    return `${address} = ${numbers.length === 1 ? general(numbers[0], 6) : `${numbers.length} numbers`}`;
  }

  /** Two edits with the same key are the same. */
  get key() {
    const halves = new Uint16Array(this.numbers.slice().buffer);
    let numbers = "";
    for (let i = 0; i < halves.length; i += 8192) numbers += String.fromCharCode(...halves.subarray(i, i + 8192));
    return JSON.stringify([this.address, this.name, this.where, this.shape]) + numbers;
  }

  /**
   * The array with these numbers in it, as far as it has such cells.
   *
   * firstRow: which row (of the last axis but one) the array begins with. A decoder that takes one step after
   * the other computes a row at a time, and each is changed when its turn comes.
   */
  put(array, firstRow = 0) {
    const axes = this.where.length, shape = array.shape.slice(array.ndim - axes);
    const cells = [];
    for (const [axis, [first, end]] of this.where.entries()) {
      const begins = axis === axes - 2 ? firstRow : 0;
      const start = Math.max(first, begins), stop = Math.min(end, begins + shape[axis]);
      if (start >= stop) return array;
      const step = this.shape[axis] > 1 ? 1 : 0; // 0: the same number all along
      cells.push({ start: start - begins, stop: stop - begins, from: step * (start - first), step });
    }
    const changed = new Tensor(array.data.slice(), array.shape);
    const back = looksBack(this.name); // what is yet to be written is not there when a row is computed
    let isLowest = false;
    const fill = (axis, at, from, row) => {
      if (axis === axes) {
        changed.data[at] = this.numbers[from];
        isLowest ||= this.numbers[from] === -Infinity;
        return;
      }
      const { start, stop, from: own, step } = cells[axis];
      const end = back && axis === axes - 1 ? Math.min(stop, firstRow + row + 1) : stop;
      for (let i = start, value = own; i < end; i++, value += step) {
        fill(axis + 1, at * shape[axis] + i, from * this.shape[axis] + value, axis === axes - 2 ? i : row);
      }
    };
    const block = sizeOf(shape);
    for (let front = 0; front < array.size / block; front++) fill(0, front, 0, 0);
    if (isLowest && hasRowOfMinusInfinity(changed)) {
      throw new DhyanError(`${this.said}: then a row of ${this.name} has nothing left to look at.`);
    }
    return changed;
  }
}

function hasRowOfMinusInfinity(x) {
  const length = x.shape.at(-1);
  for (let first = 0; first < x.size; first += length) {
    if (x.data.subarray(first, first + length).every((one) => one === -Infinity)) return true;
  }
  return false;
}

/** Whether an array says how a decoder looks at its own tokens: at itself and at what came before. */
export const looksBack = (name) => name.startsWith("dec.") && name.includes(".self.") && LOOKING.has(lastPart(name));

/** All that was set by hand in one run, by the name of the array. */
export class Edits {
  #of = new Map(); // name → Edit[]

  constructor(edits) {
    for (const edit of edits) this.#of.set(edit.name, [...(this.#of.get(edit.name) ?? []), edit]);
  }

  get any() {
    return this.#of.size > 0;
  }

  put(name, array, firstRow = 0) {
    return (this.#of.get(name) ?? []).reduce((found, edit) => edit.put(found, firstRow), array);
  }

  /** The learnt arrays that are changed, as they are then: name → Tensor. */
  ofWeights(weights) {
    const names = [...this.#of.keys()].filter((name) => weights.has(name));
    return new Map(names.map((name) => [name, this.put(name, weights.get(name))]));
  }
}

/** What a run records into: every number passes through here before the model goes on with it. */
export class EditedTrace extends Trace {
  #trace;
  #edits;
  #firstRow;

  constructor(trace, edits, firstRow) {
    super();
    this.#trace = trace;
    this.#edits = edits;
    this.#firstRow = firstRow;
  }

  record(name, array) {
    return this.#trace.record(name, this.#edits.put(name, array, this.#firstRow));
  }
}

export const numbersIn = (edits) => edits.reduce((sum, edit) => sum + edit.numbers.length, 0);
