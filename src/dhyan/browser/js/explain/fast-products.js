// The products of the explained numbers by the kernels: the same sums in float32, many times as fast.

import { Kernels, loadKernels, multiplyRows } from "../engines/kernels.js";
import { useKernel } from "./arrays.js";

let used = null; // a promise

/** From now on products go through the kernels; until then, plain JavaScript does them. */
export function useFastProducts() {
  used ??= loadKernels().then(use);
  return used;
}

function use(module) {
  const residents = new WeakMap(); // the bytes of a pack → its matrices in the kernels' memory; gone with the pack
  useKernel((product) => {
    const { b, out, a, rows, columns, inner } = product;
    if (b instanceof Int8Array && inner % 8 === 0 && columns % 2 === 0) {
      if (!residents.has(b.buffer)) residents.set(b.buffer, new Resident(module));
      residents.get(b.buffer).multiply(product);
      return true;
    }
    const isWhole = product.bStride === inner && product.aStride === inner && product.outStride === columns;
    if (b instanceof Int8Array || !isWhole || product.bAt || product.aAt || product.outAt) return false;
    out.set(multiplyRows(a, b, rows, columns, inner));
    return true;
  });
}

/** The int8 matrices of one pack, copied into the kernels' memory as they are first asked for. */
class Resident {
  #kernels;
  #places = new Map(); // where a matrix begins in the pack → {numbers, scales}, addresses

  constructor(module) {
    this.#kernels = new Kernels(module, 0);
  }

  multiply({ out, a, b, scale, rows, columns, inner, aAt, aStride, bAt, bStride, outAt, outStride }) {
    const kernels = this.#kernels, { numbers, scales } = this.#place(b, scale);
    const { top } = kernels;
    const from = kernels.take(4 * rows * aStride), to = kernels.take(4 * rows * columns);
    kernels.f32.set(a.subarray(aAt, aAt + rows * aStride), from >> 2);
    const run = kernels.run.multiplyMixed;
    run(from, 4 * aStride, numbers + bAt, bStride, scales, to, 4 * columns, rows, columns, inner);
    for (let row = 0; row < rows; row++) {
      const at = (to >> 2) + row * columns;
      out.set(kernels.f32.subarray(at, at + columns), outAt + row * outStride);
    }
    kernels.release(top);
  }

  #place(b, scale) {
    let found = this.#places.get(b.byteOffset);
    if (found === undefined) {
      const kernels = this.#kernels;
      found = { numbers: kernels.take(b.length), scales: kernels.take(4 * scale.length) };
      kernels.i8.set(b, found.numbers);
      kernels.f32.set(scale, found.scales >> 2);
      this.#places.set(b.byteOffset, found);
    }
    return found;
  }
}
