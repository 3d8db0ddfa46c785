// Arrays of numbers with a shape, and the few things that a Transformer does with them. Rows lie one behind the other.

/** Numbers (Float32Array, or Uint8Array for a mask) and the sizes of their axes, the last one innermost. */
export class Tensor {
  constructor(data, shape) {
    this.data = data;
    this.shape = shape;
  }

  static zeros(shape) {
    return new Tensor(new Float32Array(sizeOf(shape)), shape);
  }

  /** From a number or nested lists of numbers. */
  static from(nested) {
    const shape = [];
    for (let one = nested; Array.isArray(one); one = one[0]) shape.push(one.length);
    return new Tensor(Float32Array.from([nested].flat(Infinity)), shape);
  }

  get ndim() {
    return this.shape.length;
  }

  get size() {
    return this.data.length;
  }

  /** One number: `x.at(3, 1)`. */
  at(...index) {
    let offset = 0;
    index.forEach((one, axis) => (offset = offset * this.shape[axis] + one));
    return this.data[offset];
  }

  /** The part behind one index of the first axis: the same numbers, not a copy. */
  row(index) {
    const size = this.size / this.shape[0];
    return new Tensor(this.data.subarray(index * size, (index + 1) * size), this.shape.slice(1));
  }

  /** Some parts in a row, as `x[first:end]`: not a copy. */
  rows(first, end = this.shape[0]) {
    const size = sizeOf(this.shape.slice(1));
    return new Tensor(this.data.subarray(first * size, end * size), [end - first, ...this.shape.slice(1)]);
  }

  reshape(...shape) {
    return new Tensor(this.data, shape);
  }

  /** Nested lists; a number where there is no axis. */
  toList() {
    if (!this.ndim) return this.data[0];
    if (this.ndim === 1) return Array.from(this.data);
    return Array.from({ length: this.shape[0] }, (_, index) => this.row(index).toList());
  }
}

export const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

// -- products: the one seam -----------------------------------------------------------------------------------

/**
 * @typedef {object} Product what is multiplied: out[i, j] = scale[j] · Σ_c a[i, c] · b[j, c]
 * @property {Float32Array} out
 * @property {Float32Array} a
 * @property {Float32Array | Int8Array} b
 * @property {Float32Array | null} scale one for each row of b, or none
 * @property {number} rows of a
 * @property {number} columns of out: rows of b
 * @property {number} inner numbers that are added up
 * @property {number} [aAt] where a begins, [aStride] how far apart its rows are; the same for b and out
 */

/** Every large product goes through here: plain JavaScript, or a kernel that does the same faster. */
let kernel = plainProduct;

/** A kernel says false where it leaves a product to plain JavaScript; null: no kernel at all. */
export function useKernel(faster) {
  kernel = faster === null ? plainProduct : (product) => faster(product) === false && plainProduct(product);
}

/** Four rows at a time share each number of b that is read. Sums are kept in double precision. */
function plainProduct(product) {
  const { out, a, b, scale, rows, columns, inner } = product;
  const { aAt, aStride, bAt, bStride, outAt, outStride } = product;
  for (let i = 0; i < rows; i += 4) {
    const [a0, a1, a2, a3] = [0, 1, 2, 3].map((one) => aAt + Math.min(i + one, rows - 1) * aStride);
    const some = Math.min(4, rows - i);
    for (let j = 0; j < columns; j++) {
      const bj = bAt + j * bStride;
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      if (some === 1) {
        for (let c = 0; c < inner; c++) s0 += a[a0 + c] * b[bj + c];
      } else {
        for (let c = 0; c < inner; c++) {
          const one = b[bj + c];
          s0 += a[a0 + c] * one;
          s1 += a[a1 + c] * one;
          s2 += a[a2 + c] * one;
          s3 += a[a3 + c] * one;
        }
      }
      const by = scale === null ? 1 : scale[j], at = outAt + i * outStride + j;
      out[at] = s0 * by;
      if (some > 1) out[at + outStride] = s1 * by;
      if (some > 2) out[at + 2 * outStride] = s2 * by;
      if (some > 3) out[at + 3 * outStride] = s3 * by;
    }
  }
}

/** A learnt matrix: one output for each row. Its numbers are float32, or int8 with a scale for each row. */
export class Matrix {
  constructor(numbers, scale, rows, columns) {
    this.numbers = numbers;
    this.scale = scale;
    this.rows = rows;
    this.columns = columns;
  }
}

/** (…, columns) → (…, rows): x Wᵀ + b. bias: (rows,) or null. */
export function linear(x, matrix, bias) {
  const { rows: columns, columns: inner } = matrix;
  const rows = x.data.length / inner;
  const out = new Float32Array(rows * columns);
  const from = { aAt: 0, aStride: inner, bAt: 0, bStride: inner, outAt: 0, outStride: columns };
  kernel({ out, a: x.data, b: matrix.numbers, scale: matrix.scale, rows, columns, inner, ...from });
  if (bias) {
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j < columns; j++, at++) out[at] += bias.data[j];
  }
  return new Tensor(out, [...x.shape.slice(0, -1), columns]);
}

/** (…, heads, rows, d_head) → (…, heads, rows, outputs): each head by its own columns of a matrix, W[:, h]ᵀ. */
export function linearByHead(x, matrix) {
  const [heads, rows, inner] = x.shape.slice(-3), columns = matrix.rows;
  const out = Tensor.zeros([...x.shape.slice(0, -1), columns]);
  for (let block = 0; block < x.data.length / (rows * inner); block++) {
    const from = {
      aAt: block * rows * inner,
      aStride: inner,
      bAt: (block % heads) * inner,
      bStride: heads * inner,
      outAt: block * rows * columns,
      outStride: columns,
    };
    kernel({ out: out.data, a: x.data, b: matrix.numbers, scale: matrix.scale, rows, columns, inner, ...from });
  }
  return out;
}

/** (…, m, k) and (…, n, k) → (…, m, n): a bᵀ; axes in front of them are matched as in `combine`. */
export function timesTransposed(a, b) {
  const [m, k] = a.shape.slice(-2), n = b.shape.at(-2);
  return blockwise(a, b, m, n, (aAt, bAt, outAt, out) => {
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let c = 0, p = aAt + i * k, q = bAt + j * k; c < k; c++) sum += a.data[p + c] * b.data[q + c];
        out[outAt + i * n + j] = sum;
      }
    }
  });
}

/** (…, m, k) and (…, k, n) → (…, m, n). */
export function times(a, b) {
  const [m, k] = a.shape.slice(-2), n = b.shape.at(-1);
  const sums = new Float64Array(n);
  return blockwise(a, b, m, n, (aAt, bAt, outAt, out) => {
    for (let i = 0; i < m; i++) {
      sums.fill(0);
      for (let c = 0; c < k; c++) {
        const one = a.data[aAt + i * k + c];
        for (let j = 0, q = bAt + c * n; j < n; j++) sums[j] += one * b.data[q + j];
      }
      out.set(sums, outAt + i * n);
    }
  });
}

function blockwise(a, b, m, n, multiply) {
  const front = broadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const out = Tensor.zeros([...front, m, n]);
  const [aBlock, bBlock] = [a, b].map((one) => one.shape.at(-2) * one.shape.at(-1));
  const [aFronts, bFronts] = [a, b].map((one) => offsets(one.shape.slice(0, -2), front));
  for (let block = 0; block < sizeOf(front); block++) {
    multiply(aFronts[block] * aBlock, bFronts[block] * bBlock, block * m * n, out.data);
  }
  return out;
}

// -- number by number -----------------------------------------------------------------------------------------

export function map(x, change) {
  const out = new Float32Array(x.data.length);
  for (let i = 0; i < out.length; i++) out[i] = change(x.data[i]);
  return new Tensor(out, x.shape);
}

/** Two arrays, number by number; an axis that is 1 or missing on one side is repeated. Kind: of the result. */
export function combine(a, b, change, Kind = /** @type {any} */ (Float32Array)) {
  const shape = broadcastShape(a.shape, b.shape);
  const out = new Kind(sizeOf(shape));
  if (a.data.length === out.length && b.data.length === out.length) {
    for (let i = 0; i < out.length; i++) out[i] = change(a.data[i], b.data[i]);
    return new Tensor(out, shape);
  }
  const last = shape.at(-1) ?? 1, front = shape.slice(0, -1);
  const [aFronts, bFronts] = [a, b].map((one) => offsets(one.shape.slice(0, -1), front));
  const [aLast, bLast] = [a, b].map((one) => one.shape.at(-1) ?? 1);
  const [aStep, bStep] = [Number(aLast > 1), Number(bLast > 1)];
  for (let row = 0, at = 0; at < out.length; row++) {
    let p = aFronts[row] * aLast, q = bFronts[row] * bLast;
    for (let i = 0; i < last; i++, at++, p += aStep, q += bStep) out[at] = change(a.data[p], b.data[q]);
  }
  return new Tensor(out, shape);
}

export const add = (a, b) => combine(a, b, (one, other) => one + other);
export const subtract = (a, b) => combine(a, b, (one, other) => one - other);
export const multiply = (a, b) => combine(a, b, (one, other) => one * other);

/** The numbers where the mask is 1, and `other` elsewhere. */
export const where = (mask, x, other) => combine(mask, x, (yes, one) => (yes ? one : other));
/** Of two masks, what both allow. */
export const both = (a, b) => combine(a, b, (one, other) => one & other, Uint8Array);

function broadcastShape(a, b) {
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, axis) => {
    const one = a[axis - length + a.length] ?? 1, other = b[axis - length + b.length] ?? 1;
    return one === 1 ? other : one;
  });
}

/** For each cell of `wide`, in order, the number of the cell of `shape` that it repeats. */
function offsets(shape, wide) {
  let found = [0], size = 1;
  const strides = wide.map((_, axis) => {
    const own = axis - wide.length + shape.length;
    return own < 0 || shape[own] === 1 ? 0 : sizeOf(shape.slice(own + 1));
  });
  for (let axis = 0; axis < wide.length; axis++) {
    const next = new Array(size * wide[axis]);
    for (let one = 0, at = 0; one < size; one++) {
      for (let i = 0; i < wide[axis]; i++, at++) next[at] = found[one] + i * strides[axis];
    }
    [found, size] = [next, size * wide[axis]];
  }
  return found;
}

// -- along an axis --------------------------------------------------------------------------------------------

/** For each row of the last axis: change(numbers, first, end, out), which fills out[first:end]. */
export function byRow(x, change) {
  const out = new Float32Array(x.data.length), length = x.shape.at(-1);
  for (let first = 0; length && first < x.data.length; first += length) change(x.data, first, first + length, out);
  return new Tensor(out, x.shape);
}

/** Numbers added up along an axis, which is gone then; a negative axis counts from the last. */
export function sum(x, axis) {
  const at = axis < 0 ? x.shape.length + axis : axis;
  const outer = sizeOf(x.shape.slice(0, at)), inner = sizeOf(x.shape.slice(at + 1)), count = x.shape[at];
  const sums = new Float64Array(inner), out = new Float32Array(outer * inner);
  for (let one = 0; one < outer; one++) {
    sums.fill(0);
    for (let i = 0, from = one * count * inner; i < count; i++) {
      for (let j = 0; j < inner; j++, from++) sums[j] += x.data[from];
    }
    out.set(sums, one * inner);
  }
  return new Tensor(out, x.shape.toSpliced(at, 1));
}

export function mean(x, axis) {
  const count = x.shape.at(axis);
  return map(sum(x, axis), (one) => one / count);
}

/** The axes in another order, as NumPy's transpose has it: axis i of the result is axis order[i] of x. */
export function transposed(x, order) {
  const shape = order.map((axis) => x.shape[axis]);
  const strides = order.map((axis) => sizeOf(x.shape.slice(axis + 1)));
  const out = new x.data.constructor(x.data.length);
  let at = 0;
  const fill = (axis, from) => {
    if (axis === shape.length) return void (out[at++] = x.data[from]);
    for (let i = 0; i < shape[axis]; i++, from += strides[axis]) fill(axis + 1, from);
  };
  fill(0, 0);
  return new Tensor(out, shape);
}

/** (…, positions, heads · size) → (…, heads, positions, size). */
export function splitHeads(x, heads) {
  const [positions, width] = x.shape.slice(-2), size = width / heads;
  const out = new Float32Array(x.data.length);
  for (let block = 0; block < x.data.length / (positions * width); block++) {
    for (let position = 0; position < positions; position++) {
      for (let head = 0; head < heads; head++) {
        const from = (block * positions + position) * width + head * size;
        out.set(x.data.subarray(from, from + size), ((block * heads + head) * positions + position) * size);
      }
    }
  }
  return new Tensor(out, [...x.shape.slice(0, -2), heads, positions, size]);
}

/** Two arrays one behind the other along an axis. */
export function concatenated(a, b, axis) {
  const at = axis < 0 ? a.shape.length + axis : axis;
  const outer = sizeOf(a.shape.slice(0, at)), [p, q] = [a.data.length / outer, b.data.length / outer];
  const out = new Float32Array(a.data.length + b.data.length);
  for (let one = 0; one < outer; one++) {
    out.set(a.data.subarray(one * p, (one + 1) * p), one * (p + q));
    out.set(b.data.subarray(one * q, (one + 1) * q), one * (p + q) + p);
  }
  return new Tensor(out, a.shape.with(at, a.shape[at] + b.shape[at]));
}

/** Arrays of one shape on top of each other: a new first axis. */
export function stacked(arrays) {
  const size = arrays[0].data.length, out = new Float32Array(arrays.length * size);
  arrays.forEach((one, index) => out.set(one.data, index * size));
  return new Tensor(out, [arrays.length, ...arrays[0].shape]);
}

/** Some parts of the first axis, in this order. */
export function taken(x, indices) {
  const size = x.data.length / x.shape[0];
  const out = new x.data.constructor(indices.length * size);
  indices.forEach((index, at) => out.set(x.data.subarray(index * size, (index + 1) * size), at * size));
  return new Tensor(out, [indices.length, ...x.shape.slice(1)]);
}

const rowsOf = (x, first, end) => {
  const size = sizeOf(x.shape.slice(1));
  return x.data.subarray(first * size, end * size);
};

// -- cells ----------------------------------------------------------------------------------------------------

/** @typedef {{start: number | null, stop: number | null}} Slice of an axis, as Python's start:stop */

/** The first cell of a slice and the one behind its last, on an axis of this size: as Python's slice.indices. */
export function bounds({ start, stop }, size) {
  const inside = (one) => Math.min(Math.max(one < 0 ? one + size : one, 0), size);
  return [start === null ? 0 : inside(start), stop === null ? size : inside(stop)];
}

/** `x[2, :, 1:3]`: index is a number or a slice for each of the first axes. null: it points outside. */
export function selected(x, index) {
  const cells = cellsOf(x.shape, index);
  if (cells === null) return null;
  const { shape, ranges } = cells;
  if (ranges.slice(1).every(([first, end], axis) => first === 0 && end === x.shape[axis + 1]) && x.shape.length) {
    return new Tensor(rowsOf(x, ...ranges[0]), shape); // whole rows: no copy
  }
  const out = new x.data.constructor(sizeOf(shape));
  let at = 0;
  const fill = (axis, from) => {
    if (axis === x.shape.length) return void (out[at++] = x.data[from]);
    for (let i = ranges[axis][0]; i < ranges[axis][1]; i++) fill(axis + 1, from * x.shape[axis] + i);
  };
  fill(0, 0);
  return new Tensor(out, shape);
}

/** The shape that is left, and on each axis the first cell and the one behind the last; null: outside. */
export function cellsOf(shape, index) {
  if (index.length > shape.length) return null;
  const left = [], ranges = [];
  for (const [axis, size] of shape.entries()) {
    const cell = index[axis] ?? { start: null, stop: null };
    if (typeof cell === "number") {
      const first = cell < 0 ? cell + size : cell;
      if (first < 0 || first >= size) return null;
      ranges.push([first, first + 1]);
    } else {
      const [first, end] = bounds(cell, size);
      ranges.push([first, Math.max(first, end)]);
      left.push(Math.max(0, end - first));
    }
  }
  return { shape: left, ranges };
}

/** The index of the largest number; the first of equal ones. */
export function argmax(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}
