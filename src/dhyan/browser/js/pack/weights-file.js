// Weights as bytes: float32, bfloat16, float16, or int8 with one scale per row, in a safetensors file.

import { DhyanError } from "../core/errors.js";

export const SCALE = ".scale"; // enc.0.self.W_Q is stored beside enc.0.self.W_Q.scale
const BYTES = { F64: 8, F32: 4, F16: 2, BF16: 2, I8: 1 };
const MAX_HEADER_BYTES = 16_000_000; // of names and shapes: a thousand layers take 4 MB

/** The numbers of a pack, read where they lie: nothing is copied before it is asked for. */
export class Weights {
  /**
   * @param {Uint8Array} bytes the whole file
   * @param {string} path what to call it in a message
   */
  constructor(bytes, path = "model.safetensors") {
    this.bytes = bytes;
    this.entries = readHeader(bytes, path);
    for (const [name, { dtype, shape }] of this.entries) {
      if (!(dtype in BYTES)) {
        throw new DhyanError(`${path}: ${name} is stored as ${dtype}; a pack holds float32, bfloat16 or int8.`);
      }
      const scale = this.entries.get(name + SCALE);
      const expected = scaleShape(name, shape).join();
      if (dtype === "I8" && (scale?.dtype !== "F32" || scale.shape.join() !== expected)) {
        throw new DhyanError(`${path}: ${name} is int8 without a scale per row; copy the pack again.`);
      }
    }
  }

  /** Of every weight; scales are parts of theirs. */
  get names() {
    return [...this.entries.keys()].filter((name) => !name.endsWith(SCALE)).sort();
  }

  has(name) {
    return this.entries.has(name);
  }

  shape(name) {
    return this._entry(name).shape;
  }

  /** As safetensors calls it: F32, BF16, F16, F64 or I8. */
  dtype(name) {
    return this._entry(name).dtype;
  }

  /** Every number of a weight as float32, whatever it was stored as. A new array each time. */
  float32(name) {
    const { dtype, shape } = this._entry(name);
    const data = this._data(name);
    if (dtype === "F32") return new Float32Array(aligned(data));
    if (dtype === "F64") return Float32Array.from(new Float64Array(aligned(data)));
    if (dtype === "BF16") return fromBfloat16(new Uint16Array(aligned(data)));
    if (dtype === "F16") return fromFloat16(new Uint16Array(aligned(data)));
    return dequantize(this.int8(name), this.scale(name), this.perRow(name), shape);
  }

  /** The whole numbers of an int8 weight, as they are stored. */
  int8(name) {
    const data = this._data(name);
    return new Int8Array(data.buffer, data.byteOffset, data.byteLength);
  }

  /** One float32 for each row of an int8 weight. */
  scale(name) {
    return new Float32Array(aligned(this._data(name + SCALE)));
  }

  /** How many numbers share a scale: the inputs of an output. */
  perRow(name) {
    const { shape } = this._entry(name);
    return summedAxes(name, shape.length).reduce((count, axis) => count * shape[axis], 1);
  }

  _entry(name) {
    const entry = this.entries.get(name);
    if (!entry) throw new DhyanError(`the pack has no weight '${name}'.`);
    return entry;
  }

  _data(name) {
    const { begin, end } = this._entry(name);
    return this.bytes.subarray(begin, end);
  }
}

/** A copy that typed arrays of any kind can look at. */
const aligned = (data) => new Uint8Array(data).buffer;

const incomplete = (path) =>
  new DhyanError(`${path} is not a whole safetensors file; copy the pack again or train it again.`);

/** name → {dtype, shape, begin, end}; the shapes must account for every byte of the file. */
function readHeader(bytes, path) {
  if (bytes.length < 8) throw incomplete(path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const first = 8 + length;
  if (length > MAX_HEADER_BYTES || first > bytes.length) throw incomplete(path);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, first)));
  } catch {
    throw incomplete(path);
  }
  const entries = new Map();
  const extents = [];
  for (const [name, entry] of Object.entries(header ?? {})) {
    if (name === "__metadata__") continue;
    const { dtype, shape, data_offsets: offsets } = entry ?? {};
    if (!Array.isArray(shape) || !Array.isArray(offsets) || ![...shape, ...offsets].every(isCount)) {
      throw incomplete(path);
    }
    const [begin, end] = offsets;
    const count = shape.reduce((product, size) => product * size, 1);
    if (dtype in BYTES && count * BYTES[dtype] !== end - begin) throw incomplete(path);
    entries.set(name, { dtype, shape, begin: first + begin, end: first + end });
    extents.push([begin, end]);
  }
  let reached = 0;
  for (const [begin, end] of extents.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (begin !== reached || end < begin) throw incomplete(path);
    reached = end;
  }
  if (first + reached !== bytes.length) throw incomplete(path);
  return entries;
}

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** The axes that a product sums over: all but the outputs. W_O is (d_model, heads, d_head): outputs first. */
function summedAxes(name, axes) {
  return name.endsWith("W_O") ? Array.from({ length: axes - 1 }, (_, at) => at + 1) : [axes - 1];
}

function scaleShape(name, shape) {
  const summed = summedAxes(name, shape.length);
  return shape.map((length, axis) => (summed.includes(axis) ? 1 : length));
}

function dequantize(numbers, scale, perRow, shape) {
  const found = new Float32Array(shape.reduce((product, size) => product * size, 1));
  for (let row = 0, at = 0; row < scale.length; row += 1) {
    const one = scale[row];
    for (const end = at + perRow; at < end; at += 1) found[at] = numbers[at] * one;
  }
  return found;
}

function fromBfloat16(halves) {
  const bits = new Uint32Array(halves.length);
  for (let at = 0; at < halves.length; at += 1) bits[at] = halves[at] << 16;
  return new Float32Array(bits.buffer);
}

/** sign, 5 bits of exponent, 10 of fraction */
function fromFloat16(halves) {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}
