// Numbers as the file that `np.load` reads.

const FRONT = 10; // bytes: a magic word, the version, and the length of the head

export function asNpy(array) {
  const shape = array.shape.length === 1 ? `(${array.shape[0]},)` : `(${array.shape.join(", ")})`;
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  const length = Math.ceil((FRONT + head.length + 1) / 64) * 64 - FRONT;
  const found = new Uint8Array(FRONT + length + array.data.byteLength);
  found.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, length & 255, length >> 8]);
  found.set(new TextEncoder().encode(`${head.padEnd(length - 1)}\n`), FRONT);
  found.set(new Uint8Array(array.data.buffer, array.data.byteOffset, array.data.byteLength), FRONT + length);
  return found;
}
