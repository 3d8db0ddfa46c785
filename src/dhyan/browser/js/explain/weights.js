// What was learnt, opened up: a matrix is multiplied as it is stored, and made float32 only for whoever looks at it.

import { Matrix, Tensor, sizeOf } from "./arrays.js";

const KEPT = 24 * 2 ** 20; // bytes of float32 matrices that are kept: a tab holds several traces, too

/** The weights of a pack by name. Products take them as they are stored: int8 with a scale for each output. */
export class LearntWeights {
  #stored;
  #names;
  #kept = new Map(); // name → Tensor; the one that was asked for last stands last
  #bytes = 0;
  #scales = new Map(); // name → Float32Array

  /** stored: `pack.weights`, the reader of its file. names: those that the model has; unset: all of them. */
  constructor(stored, names = stored.names) {
    this.#stored = stored;
    this.#names = new Set(names);
  }

  names() {
    return [...this.#names];
  }

  has(name) {
    return this.#names.has(name);
  }

  shape(name) {
    return this.#stored.shape(name);
  }

  /** All numbers of one, as float32. */
  get(name) {
    let found = this.#kept.get(name);
    if (found === undefined) {
      found = new Tensor(this.#stored.float32(name), this.shape(name));
      this.#bytes += found.data.byteLength;
    }
    this.#kept.delete(name);
    this.#kept.set(name, found);
    for (const [oldest, { data }] of this.#kept) {
      if (this.#bytes <= KEPT || oldest === name) break;
      this.#kept.delete(oldest);
      this.#bytes -= data.byteLength;
    }
    return found;
  }

  /** What a vector is multiplied by: a row for each output, whatever the axes. */
  matrix(name) {
    const rows = outputs(name, this.shape(name)), columns = sizeOf(this.shape(name)) / rows;
    if (this.#stored.dtype(name) !== "I8") return new Matrix(this.get(name).data, null, rows, columns);
    if (!this.#scales.has(name)) this.#scales.set(name, this.#stored.scale(name));
    return new Matrix(this.#stored.int8(name), this.#scales.get(name), rows, columns);
  }

  /** (ids, columns): some rows of a table. */
  rows(name, ids) {
    const { numbers, scale, columns } = this.matrix(name);
    const out = new Float32Array(ids.length * columns);
    for (let i = 0, at = 0; i < ids.length; i++) {
      const by = scale === null ? 1 : scale[ids[i]];
      for (let c = 0, from = ids[i] * columns; c < columns; c++, at++, from++) out[at] = numbers[from] * by;
    }
    return new Tensor(out, [ids.length, columns]);
  }
}

/** The same with some of them changed by hand. */
export class ChangedWeights {
  #learnt;
  #changed; // name → Tensor

  constructor(learnt, changed) {
    this.#learnt = learnt;
    this.#changed = changed;
  }

  names() {
    return this.#learnt.names();
  }

  has(name) {
    return this.#learnt.has(name);
  }

  shape(name) {
    return this.#learnt.shape(name);
  }

  get(name) {
    return this.#changed.get(name) ?? this.#learnt.get(name);
  }

  matrix(name) {
    const changed = this.#changed.get(name);
    if (changed === undefined) return this.#learnt.matrix(name);
    const rows = outputs(name, changed.shape);
    return new Matrix(changed.data, null, rows, changed.size / rows);
  }

  rows(name, ids) {
    const changed = this.#changed.get(name);
    if (changed === undefined) return this.#learnt.rows(name, ids);
    const columns = changed.shape.at(-1), out = Tensor.zeros([ids.length, columns]);
    ids.forEach((id, at) => out.data.set(changed.data.subarray(id * columns, (id + 1) * columns), at * columns));
    return out;
  }
}

/** W_O is (d_model, heads, d_head): outputs first. Of all others the last axis is what is summed over. */
const outputs = (name, shape) => (name.endsWith("W_O") ? shape[0] : sizeOf(shape.slice(0, -1)));

const opened = new WeakMap(); // reader of a pack's file → LearntWeights

/** The weights of a pack, opened up; those that are already stay as they are. */
export function openedWeights(weights) {
  if (typeof weights.matrix === "function") return weights;
  if (!opened.has(weights)) opened.set(weights, new LearntWeights(weights));
  return opened.get(weights);
}
