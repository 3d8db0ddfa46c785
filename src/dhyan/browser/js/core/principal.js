// The directions of greatest variance: the largest eigenvalues of a symmetric matrix, and where they point.

const SPARE = 8; // directions beside those that are wanted, so that these are found sooner
const MOST_ITERATIONS = 1000;

/** The `count` largest eigenvalues, largest first, and a vector of length 1 for each. matrix: size × size numbers.
 *
 * By subspace iteration from a fixed start: the same matrix always gives the same.
 * @returns {{ values: number[], vectors: Float64Array[] }} */
export function principalDirections(matrix, size, count) {
  const width = Math.min(size, count + SPARE);
  let basis = orthonormal(Array.from({ length: width }, (_, number) => start(size, number)));
  let values = new Array(width).fill(0);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration += 1) {
    const moved = basis.map((vector) => times(matrix, vector));
    const small = basis.map((one) => moved.map((other) => dot(one, other)));
    const before = values;
    const turned = jacobi(small);
    values = turned.values;
    basis = orthonormal(turned.vectors.map((weights) => combined(moved, weights)));
    const change = Math.max(...values.slice(0, count).map((value, at) => Math.abs(value - before[at])));
    if (iteration > 3 && change <= 1e-13 * Math.abs(values[0])) break;
  }
  return { values: values.slice(0, count), vectors: basis.slice(0, count) };
}

const start = (size, number) => Float64Array.from({ length: size }, (_, at) => Math.sin((at + 1) * (number + 1.37)));

function times(matrix, vector) {
  const size = vector.length;
  const found = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    let sum = 0;
    for (let at = 0, from = row * size; at < size; at += 1) sum += matrix[from + at] * vector[at];
    found[row] = sum;
  }
  return found;
}

function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
  return sum;
}

function combined(vectors, weights) {
  const found = new Float64Array(vectors[0].length);
  vectors.forEach((vector, number) => {
    for (let at = 0; at < found.length; at += 1) found[at] += weights[number] * vector[at];
  });
  return found;
}

/** Each less its share of those before it, twice for rounding's sake, and of length 1. */
function orthonormal(vectors) {
  vectors.forEach((vector, number) => {
    for (let pass = 0; pass < 2; pass += 1)
      for (const before of vectors.slice(0, number)) {
        const share = dot(vector, before);
        for (let at = 0; at < vector.length; at += 1) vector[at] -= share * before[at];
      }
    const length = Math.sqrt(dot(vector, vector));
    for (let at = 0; at < vector.length; at += 1) vector[at] /= length > 1e-150 ? length : 1;
  });
  return vectors;
}

/** All eigenvalues of a small symmetric matrix, largest first, by turning away what is off its diagonal. */
function jacobi(matrix) {
  const size = matrix.length;
  const a = matrix.map((row, i) => row.map((value, j) => (value + matrix[j][i]) / 2));
  const turned = a.map((_, i) => a.map((_, j) => Number(i === j))); // a row for each vector
  for (let sweep = 0; sweep < 50; sweep += 1) {
    let off = 0;
    for (let p = 0; p < size; p += 1)
      for (let q = p + 1; q < size; q += 1) {
        off += a[p][q] * a[p][q];
        rotate(a, turned, p, q);
      }
    if (off < 1e-300) break;
  }
  const order = a.map((_, number) => number).sort((one, other) => a[other][other] - a[one][one]);
  return { values: order.map((number) => a[number][number]), vectors: order.map((number) => turned[number]) };
}

function rotate(a, turned, p, q) {
  if (a[p][q] === 0) return;
  const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cos = 1 / Math.hypot(t, 1);
  const sin = t * cos;
  for (let at = 0; at < a.length; at += 1) {
    const [one, other] = [a[at][p], a[at][q]];
    a[at][p] = cos * one - sin * other;
    a[at][q] = sin * one + cos * other;
  }
  for (const table of [a, turned])
    for (let at = 0; at < a.length; at += 1) {
      const [one, other] = [table[p][at], table[q][at]];
      table[p][at] = cos * one - sin * other;
      table[q][at] = sin * one + cos * other;
    }
}
