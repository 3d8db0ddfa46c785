// The kernels (kernels/kernels.wat): how they are loaded, and the memory that they work in.

import { DhyanError } from "../core/errors.js";

const BINARY = new URL("../kernels/kernels.wasm", import.meta.url);
const PAGE = 65536; // bytes: what a memory grows by
const ALIGNED = 64; // bytes: a line of the cache
const FIRST = 1024; // nothing lies at address 0

let compiled = null; // a promise: all engines share the compiled module
let floats = null; // for products of float32 arrays that lie outside

/** Compile the kernels, once. bytes: of kernels.wasm, where whoever calls has them already. */
export function loadKernels(bytes = null) {
  compiled ??= compile(bytes).catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function compile(bytes) {
  const binary = bytes ?? (await readBinary());
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(binary)) {
    throw new DhyanError(
      "this browser lacks WebAssembly SIMD, which the model is computed with; Chrome 91, Firefox 89 or Safari 16.4" +
        " or newer have it.",
    );
  }
  const module = await WebAssembly.compile(binary);
  floats = new Kernels(module, 0);
  return module;
}

async function readBinary() {
  if (BINARY.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(BINARY);
  }
  const answer = await fetch(BINARY);
  if (!answer.ok) throw new DhyanError(`kernels.wasm cannot be fetched (${answer.status}); load the page again.`);
  return answer.arrayBuffer();
}

/** The kernels with a memory of their own, of which pieces are taken from the beginning on. */
export class Kernels {
  /**
   * @param {WebAssembly.Module} module
   * @param {number} bytes that will be needed at once; the memory grows when they do not suffice
   */
  constructor(module, bytes) {
    this.memory = new WebAssembly.Memory({ initial: 1 + Math.ceil((FIRST + bytes) / PAGE) });
    const { exports } = new WebAssembly.Instance(module, { dhyan: { memory: this.memory } });
    this.run = /** @type {Record<string, (...values: number[]) => number>} */ (/** @type {unknown} */ (exports));
    this.top = FIRST;
    this._look();
  }

  /** Room for so many bytes: its address. */
  take(bytes) {
    const address = this.top;
    this.top = Math.ceil((address + bytes) / ALIGNED) * ALIGNED;
    const lacking = this.top + ALIGNED - this.memory.buffer.byteLength;
    if (lacking > 0) {
      try {
        this.memory.grow(Math.ceil(lacking / PAGE));
      } catch {
        this.top = address;
        throw new DhyanError("the memory of this browser is not enough for that; take a smaller beam or a shorter text.");
      }
      this._look();
    }
    return address;
  }

  /** Give back all that was taken since the top was here. */
  release(top) {
    this.top = top;
  }

  /** A copy of float32 numbers. */
  read(address, count) {
    return this.f32.slice(address >> 2, (address >> 2) + count);
  }

  /** Looks at the memory as numbers; made anew when it has grown. */
  _look() {
    const { buffer } = this.memory;
    this.u8 = new Uint8Array(buffer);
    this.i8 = new Int8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f32 = new Float32Array(buffer);
  }
}

/**
 * out[m, n] = Σ a[m, k] · b[n, k] in float32: x Wᵀ, for numbers that are explained. Without kernels it is slower.
 * @param {Float32Array} a (rows, count)
 * @param {Float32Array} b (outputs, count)
 * @returns {Float32Array} (rows, outputs)
 */
export function multiplyRows(a, b, rows, outputs, count) {
  const found = new Float32Array(rows * outputs);
  if (!rows || !outputs || !count) return found;
  if (!floats) return plainProduct(a, b, rows, outputs, count, found);
  const top = floats.top;
  const padded = Math.ceil(count / 4) * 4;
  const at = floats.take(4 * rows * padded);
  const some = Math.min(outputs, Math.max(4, Math.floor(1_000_000 / padded / 4) * 4)); // rows of b at once
  const wide = Math.ceil(some / 4) * 4;
  const weights = floats.take(4 * wide * padded);
  const out = floats.take(4 * rows * wide);
  place(a, 0, rows, count, padded, at);
  for (let first = 0; first < outputs; first += some) {
    const here = Math.min(some, outputs - first);
    const width = Math.ceil(here / 4) * 4;
    place(b, first, here, count, padded, weights);
    floats.run.multiplyFloats(at, weights, out, rows, width, padded);
    for (let row = 0; row < rows; row += 1) {
      const from = (out >> 2) + row * width;
      found.set(floats.f32.subarray(from, from + here), row * outputs + first);
    }
  }
  floats.release(top);
  return found;
}

/** Rows of an array into the memory, each padded with zeros. */
function place(array, first, rows, count, padded, address) {
  const { f32 } = floats;
  const to = address >> 2;
  if (padded === count) {
    f32.set(array.subarray(first * count, (first + rows) * count), to);
    return;
  }
  f32.fill(0, to, to + rows * padded);
  for (let row = 0; row < rows; row += 1) {
    f32.set(array.subarray((first + row) * count, (first + row + 1) * count), to + row * padded);
  }
}

function plainProduct(a, b, rows, outputs, count, found) {
  for (let m = 0; m < rows; m += 1) {
    for (let n = 0; n < outputs; n += 1) {
      let sum = 0;
      for (let k = 0; k < count; k += 1) sum += a[m * count + k] * b[n * count + k];
      found[m * outputs + n] = sum;
    }
  }
  return found;
}
