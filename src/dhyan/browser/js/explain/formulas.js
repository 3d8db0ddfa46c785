// The formulas of the notes, one function each. Rows are tokens, columns are features.

import { Tensor, add, byRow, map, times, timesTransposed, where } from "./arrays.js";

export const EPSILON = 1e-5; // keeps a norm from dividing by zero

/** exp(x) / Σ exp(x) along the last axis; the largest is taken out first so that nothing overflows. */
export function softmax(scores) {
  return byRow(scores, (x, first, end, out) => {
    const most = largest(x, first, end);
    let sum = 0;
    for (let i = first; i < end; i++) sum += out[i] = Math.exp(x[i] - most);
    for (let i = first; i < end; i++) out[i] /= sum;
  });
}

/** log(softmax(x)), which is finite where the softmax is too small for a float. */
export function logSoftmax(scores) {
  return byRow(scores, (x, first, end, out) => {
    const most = largest(x, first, end);
    let sum = 0;
    for (let i = first; i < end; i++) sum += Math.exp(x[i] - most);
    const log = Math.log(sum);
    for (let i = first; i < end; i++) out[i] = x[i] - most - log;
  });
}

function largest(x, first, end) {
  let most = -Infinity;
  for (let i = first; i < end; i++) if (x[i] > most) most = x[i];
  return most;
}

/**
 * softmax(QKᵀ / √d_k + M) V, where M is 0 (or a bias) where a query may look and −∞ elsewhere.
 *
 * record: is shown each column of the notes' table by name, and gives what to go on with:
 * scores (…, queries, keys), scaled, masked, weights (each row sums to 1), mixed (…, queries, d_v).
 */
export function attention(query, key, value, allowed = null, bias = null, record = (_, array) => array) {
  const root = Math.fround(Math.sqrt(query.shape.at(-1)));
  const scores = record("scores", timesTransposed(query, key));
  const scaled = record("scaled", map(scores, (one) => one / root));
  const biased = bias === null ? scaled : add(scaled, bias);
  const masked = record("masked", allowed === null ? biased : where(allowed, biased, -Infinity));
  const weights = record("weights", softmax(masked));
  return { scores, scaled, masked, weights, mixed: record("mixed", times(weights, value)) };
}

/** 1 on and below the diagonal: a token may look at itself and at what came before. */
export function causalMask(length, firstRow = 0) {
  const rows = length - firstRow, mask = new Uint8Array(rows * length);
  for (let row = 0; row < rows; row++) mask.fill(1, row * length, row * length + firstRow + row + 1);
  return new Tensor(mask, [rows, length]);
}

/** PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same). */
export function positionalEncoding(positions, dModel, firstPosition = 0) {
  const table = Tensor.zeros([positions - firstPosition, dModel]);
  for (let position = firstPosition, at = 0; position < positions; position++) {
    for (let i = 0; i < dModel; i += 2) {
      table.data[at++] = Math.sin(angle(position, i, dModel));
      table.data[at++] = Math.cos(angle(position, i, dModel));
    }
  }
  return table;
}

/** Rotary positions: turn each pair (2i, 2i+1) of (…, positions, d_head) by the position's angle. */
export function rotate(x, firstPosition = 0) {
  const [length, size] = x.shape.slice(-2), turned = Tensor.zeros(x.shape);
  for (let at = 0; at < x.size; at += 2) {
    const position = firstPosition + (Math.floor(at / size) % length);
    const sin = Math.fround(Math.sin(angle(position, at % size, size)));
    const cos = Math.fround(Math.cos(angle(position, at % size, size)));
    turned.data[at] = x.data[at] * cos - x.data[at + 1] * sin;
    turned.data[at + 1] = x.data[at] * sin + x.data[at + 1] * cos;
  }
  return turned;
}

const angle = (position, i, size) => position * 10000 ** (-i / size);

/** ALiBi's bias, −2^(−8(h+1)/heads) · |query − key|: (heads, queries, keys). The last query is at the last key. */
export function alibi(heads, queries, keys) {
  const bias = Tensor.zeros([heads, queries, keys]);
  for (let head = 0, at = 0; head < heads; head++) {
    const slope = 2 ** ((-8 * (head + 1)) / heads);
    for (let query = keys - queries; query < keys; query++) {
      for (let key = 0; key < keys; key++) bias.data[at++] = -slope * Math.abs(query - key);
    }
  }
  return bias;
}

/** (x − μ) / √(σ² + ε) · γ + β along each row: a token's own features, no other row in sight. */
export function layerNorm(x, gamma, beta, epsilon = EPSILON) {
  const length = x.shape.at(-1);
  return byRow(x, (row, first, end, out) => {
    let mean = 0, variance = 0;
    for (let i = first; i < end; i++) mean += row[i];
    mean /= length;
    for (let i = first; i < end; i++) variance += (row[i] - mean) ** 2;
    const deviation = Math.sqrt(variance / length + epsilon);
    for (let i = first; i < end; i++) {
      out[i] = ((row[i] - mean) / deviation) * gamma.data[i - first] + beta.data[i - first];
    }
  });
}

export const relu = (x) => map(x, (one) => (one > 0 ? one : 0));
/** x · Φ(x): passes a number on in proportion to how likely a normal draw lies below it. */
export const gelu = (x) => map(x, (one) => 0.5 * one * (1 + erf(one / Math.SQRT2)));
export const sigmoid = (x) => map(x, (one) => 1 / (1 + Math.exp(-one)));
export const silu = (x) => map(x, (one) => one / (1 + Math.exp(-one)));

/** The error function by its series, 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (2n+1)!!, whose terms all have one sign. */
export function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x); // nearer to it than a double can say
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** How nearly two vectors point the same way: 1 when they do, exactly 1 when they are one. */
export function cosine(one, other) {
  const [a, b] = [one.data ?? one, other.data ?? other];
  if (a.length === b.length && a.every((number, index) => number === b[index])) return 1;
  return dot(a, b) / Math.max(1e-12, length(a) * length(b));
}

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export const length = (vector) => Math.sqrt(dot(vector, vector));
