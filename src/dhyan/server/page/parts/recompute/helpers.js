// What the rules share: sums of products with the address of every factor, a norm, a softmax, a sum of two.

import { formula } from "../notation.js";
import { softmax } from "../numbers.js";

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

/** Of one row x, whose number `at` is asked for. weights: where γ stands, such as enc.0.self.norm. */
export async function norm(x, at, weights, column, { a, of }) {
  const scaled = a.norm_kind === "rms" ? { mean: 0, name: "√(Σx²/d + ε)" } : { mean: average(x), name: "√(σ² + ε)" };
  const size = Math.sqrt(average(x.map((value) => (value - scaled.mean) ** 2)) + a.norm_epsilon);
  const [gamma] = await of(`${weights}.gamma[${column}]`);
  const [beta] = a.norm_kind === "rms" ? [0] : await of(`${weights}.beta[${column}]`);
  const result = ((x[column] - scaled.mean) / size) * gamma + beta;
  const isLayer = a.norm_kind !== "rms";
  return {
    formula: formula(isLayer ? "normed" : "rms_normed"),
    result,
    lines: [
      ["x", x[column], `${at}`],
      ...(isLayer ? [["μ", scaled.mean]] : []),
      [scaled.name, size],
      ["γ", gamma, `${weights}.gamma[${column}]`],
      ...(isLayer ? [["β", beta, `${weights}.beta[${column}]`]] : []),
      ["=", result],
    ],
  };
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

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
