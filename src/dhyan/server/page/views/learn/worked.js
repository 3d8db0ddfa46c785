// The notes' worked numbers, computed: what goes in is theirs, what comes out is worked out here, in double precision.

import { softmax } from "../../parts/numbers.js";

const EPSILON = 1e-5; // keeps a norm from dividing by zero, as in explain/formulas.py

export const WRITE_A_POEM = {
  words: ["write", "a", "poem"],
  X: [
    [1.16, 0.23],
    [0.57, 1.36],
    [4.41, -2.16],
  ],
  W_Q: [
    [0.54, -0.17],
    [0.59, 0.65],
  ],
  W_K: [
    [-0.15, -0.34],
    [0.14, 0.42],
  ],
  W_V: [
    [0.62, 0.61],
    [-0.52, 0.13],
  ],
};

export const FIVE_SAMPLES = [
  [7, 5, 4],
  [2, 3, 4],
  [1, 2, 3],
  [7, 5, 6],
  [3, 3, 4],
];

export const dot = (one, other) => one.reduce((sum, value, index) => sum + value * other[index], 0);
export const transposed = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));
export const product = (left, right) => {
  const columns = transposed(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
};

/** softmax(QKᵀ / √d_k) V, and everything on the way; masked: no row looks at a later one. */
export function attention({ X, W_Q, W_K, W_V }, masked = false) {
  const [q, k, v] = [W_Q, W_K, W_V].map((weights) => product(X, weights));
  const scores = product(q, transposed(k));
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(k[0].length)));
  const seen = masked ? scaled.map((row, i) => row.map((score, j) => (j > i ? -Infinity : score))) : scaled;
  const weights = seen.map((row) => softmax(row));
  return { q, k, v, scores, scaled, seen, weights, mixed: product(weights, v) };
}

/** Weights without W_Q, W_K and W_V: softmax of the words' own dot products. */
export const plainWeights = (rows) => rows.map((row) => softmax(rows.map((other) => dot(row, other))));

/** PE(position, 2i) = sin(position / 10000^(2i/d)), PE(position, 2i+1) = cos of the same. */
export const positionalEncoding = (position, d) =>
  Array.from({ length: d }, (_, column) => {
    const angle = position / 10000 ** ((column - (column % 2)) / d);
    return column % 2 ? Math.cos(angle) : Math.sin(angle);
  });

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const variance = (values) => {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
};

/** (x − μ) / √(σ² + ε) */
export const normed = (values) => {
  const [middle, spread] = [mean(values), Math.sqrt(variance(values) + EPSILON)];
  return values.map((value) => (value - middle) / spread);
};
export const layerNorm = (table) => table.map(normed);
export const batchNorm = (table) => transposed(transposed(table).map(normed));

export const length = (values) => Math.sqrt(dot(values, values));
export const cosine = (one, other) => dot(one, other) / Math.max(1e-12, length(one) * length(other));
