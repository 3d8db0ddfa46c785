// What the rules share: sums of products with the address of every factor, a norm, a softmax, a sum of two.

import { formula } from "../notation.js";
import { softmax } from "../numbers.js";

const EPSILON = 1e-5; // inside a layer norm

/** Σ left · right + bias, with the address of every factor. */
export function products(left, leftAt, right, rightAt, bias = null, biasAt = "") {
  const terms = Array.from(left, (value, c) => ({
    left: { value, address: leftAt(c) },
    right: { value: right[c], address: rightAt(c) },
    product: value * right[c],
  }));
  const total = terms.reduce((sum, term) => sum + term.product, 0);
  if (bias === null) return { terms, lines: [["Σ", total]], result: total };
  return {
    terms,
    lines: [
      ["Σ", total],
      ["+ b", bias, biasAt],
      ["=", total + bias],
    ],
    result: total + bias,
  };
}

/** What a part's matrices are multiplied with: after its norm (pre) or as it comes (post). */
export const before = (part, a) => (a.norm === "pre" ? `${part}.normed` : `${part}.input`);

export async function norm(x, at, name, column, of) {
  const [gamma, beta] = await Promise.all([of(`${name}.norm.gamma[${column}]`), of(`${name}.norm.beta[${column}]`)]);
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const deviation = Math.sqrt(variance + EPSILON);
  const result = ((x[column] - mean) / deviation) * gamma[0] + beta[0];
  return {
    formula: formula("normed"),
    result,
    lines: [
      ["x", x[column], `${at}`],
      ["μ", mean],
      ["√(σ² + ε)", deviation],
      ["γ", gamma[0], `${name}.norm.gamma[${column}]`],
      ["β", beta[0], `${name}.norm.beta[${column}]`],
      ["=", result],
    ],
  };
}

export async function exponential(values, at, column, drawn, names) {
  const top = Math.max(...values);
  const share = softmax(values)[column];
  const denominator = Array.from(values).reduce((total, value) => total + Math.exp(value - top), 0);
  const terms =
    values.length > 64
      ? []
      : Array.from(values, (value, j) => ({
          label: names?.[j],
          left: { value, address: at(j) },
          right: { value: Math.exp(value - top) },
          product: Math.exp(value - top) / denominator,
          chosen: j === column,
        }));
  return {
    formula: drawn,
    terms: [],
    table: terms,
    result: share,
    lines: [
      ["s", values[column], at(column)],
      ["max", top],
      ["exp(s − max)", Math.exp(values[column] - top)],
      ["Σ exp", denominator],
      ["=", share],
    ],
  };
}

export async function plus(one, other, of) {
  const [first, second] = await Promise.all([of(one), of(other)]);
  const result = first[0] + second[0];
  return {
    lines: [
      ["", first[0], one],
      ["+", second[0], other],
      ["=", result],
    ],
    result,
  };
}
