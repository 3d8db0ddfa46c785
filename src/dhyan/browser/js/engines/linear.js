// Weights on their way into the kernels' memory: quantised if they are not yet, padded, and in panels.

import { SCALE } from "../pack/weights-file.js";

export const LANES = 16; // outputs of a panel; all sizes are padded to a multiple of it

export const padded = (size) => Math.ceil(size / LANES) * LANES;

/** How the numbers of some heads lie in a padded row: head by head, each with its own zeros. */
export class HeadLayout {
  constructor(heads, size) {
    this.heads = heads;
    this.size = size; // of a head
    this.stride = padded(size);
    this.width = heads * this.stride;
  }

  /** Where the numbers that lie side by side come to lie, and back: [from, to, count] of each piece. */
  get pieces() {
    if (this.stride === this.size) return [[0, 0, this.width]];
    return Array.from({ length: this.heads }, (_, head) => [head * this.size, head * this.stride, this.size]);
  }
}

/** A row that is simply followed by zeros. */
export const plainLayout = (size) => ({ width: padded(size), pieces: [[0, 0, size]] });

/** Matrices that are multiplied by the same input, below each other: one product computes them all. */
export class Linear {
  /**
   * @param {import("./kernels.js").Kernels} kernels
   * @param {import("../pack/weights-file.js").Weights} weights
   * @param {{matrix: string, bias: string | null, outputs: {width, pieces}}[]} parts
   * @param {{width, pieces}} inputs
   * @param {number} unused the bias of outputs that only fill a panel
   */
  constructor(kernels, weights, parts, inputs, unused = 0) {
    this.inputs = inputs.width;
    this.outputs = parts.reduce((sum, part) => sum + part.outputs.width, 0);
    this.panels = kernels.take(this.outputs * this.inputs);
    this.scales = kernels.take(4 * this.outputs);
    this.biases = kernels.take(4 * this.outputs);
    kernels.f32.fill(0, this.scales >> 2, (this.scales >> 2) + this.outputs);
    kernels.f32.fill(unused, this.biases >> 2, (this.biases >> 2) + this.outputs);
    let first = 0; // output
    for (const { matrix, bias, outputs } of parts) {
      const { numbers, scale, perRow } = quantized(weights, matrix);
      const numbersOf = new Int32Array(outputs.width).fill(-1); // padded output → row of the matrix
      for (const [from, to, count] of outputs.pieces) {
        for (let at = 0; at < count; at += 1) numbersOf[to + at] = from + at;
      }
      this._fill(kernels, numbers, perRow, numbersOf, inputs, first);
      const offsets = bias === null ? null : weights.float32(bias);
      numbersOf.forEach((row, at) => {
        if (row < 0) return;
        kernels.f32[(this.scales >> 2) + first + at] = scale[row];
        kernels.f32[(this.biases >> 2) + first + at] = offsets ? offsets[row] : 0;
      });
      first += outputs.width;
    }
  }

  _fill(kernels, numbers, perRow, numbersOf, inputs, first) {
    const top = kernels.top;
    const staged = kernels.take(LANES * this.inputs);
    const { i8 } = kernels;
    const isWhole = inputs.pieces.length === 1 && inputs.width === perRow;
    for (let panel = 0; panel < numbersOf.length; panel += LANES) {
      const begin = numbersOf[panel];
      if (isWhole && begin >= 0 && numbersOf[panel + LANES - 1] === begin + LANES - 1) {
        i8.set(numbers.subarray(begin * perRow, (begin + LANES) * perRow), staged);
      } else {
        i8.fill(0, staged, staged + LANES * this.inputs);
        for (let lane = 0; lane < LANES; lane += 1) {
          const row = numbersOf[panel + lane];
          if (row < 0) continue;
          for (const [from, to, count] of inputs.pieces) {
            const begins = row * perRow + from;
            i8.set(numbers.subarray(begins, begins + count), staged + lane * this.inputs + to);
          }
        }
      }
      kernels.run.packPanel(staged, this.inputs, this.panels + (first + panel) * this.inputs);
    }
    kernels.release(top);
  }
}

/** int8 numbers and one scale for each output: as stored, or made the way CTranslate2 makes them. */
function quantized(weights, name) {
  const perRow = weights.perRow(name);
  if (weights.has(name + SCALE)) return { numbers: weights.int8(name), scale: weights.scale(name), perRow };
  const array = weights.float32(name);
  const numbers = new Int8Array(array.length);
  const scale = new Float32Array(array.length / perRow);
  for (let row = 0; row < scale.length; row += 1) {
    let most = 0;
    for (let at = row * perRow; at < (row + 1) * perRow; at += 1) most = Math.max(most, Math.abs(array[at]));
    scale[row] = most ? most / 127 : 1;
    const times = Math.fround(most ? 127 / most : 1);
    for (let at = row * perRow; at < (row + 1) * perRow; at += 1) {
      numbers[at] = nearest(Math.fround(array[at] * times));
    }
  }
  return { numbers, scale, perRow };
}

/** The nearest whole number; of two that are as near, the even one. */
function nearest(value) {
  const whole = Math.floor(value);
  const rest = value - whole;
  if (rest === 0.5) return whole % 2 ? whole + 1 : whole;
  return rest < 0.5 ? whole : whole + 1;
}
