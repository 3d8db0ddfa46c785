// What two sides share and where they differ: words, rows and columns, numbers.

import { Numbers } from "../../parts/numbers.js";

/** The longest common subsequence of two lists: pairs [i, j] of equal entries, in order. */
export function shared(one, other) {
  const length = Array.from({ length: one.length + 1 }, () => new Int32Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      length[i][j] = one[i] === other[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const found = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) found.push([i++, j++]);
    else if (length[i + 1][j] >= length[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

/** Both lists side by side: [i, j] in order. Where they differ, what stands in the same gap stands side by side, too;
 * null where one of them has nothing there. */
export function sideBySide(one, other) {
  const found = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...shared(one, other), [one.length, other.length]]) {
    while (i < a || j < b) found.push([i < a ? i++ : null, j < b ? j++ : null]);
    if (a < one.length) found.push([i++, j++]);
  }
  return found;
}

/** Which entries of an axis belong together: position by position where there are as many, else tokens that both have. */
export function matched(traces, axis, sizes) {
  if (sizes[0] === sizes[1]) return Array.from({ length: sizes[0] }, (_, index) => [index, index]);
  const labels = traces.map((trace) => trace.labels(axis));
  if (!labels.every(Boolean)) return null; // features: there is no telling which is which
  const pairs = shared(...labels.map((list) => list.map((label) => label.toLowerCase())));
  return pairs.length ? pairs : null;
}

/** B − A as Numbers of two axes, with labels and with what each row and column is in A and in B; null if it cannot be. */
export function difference(traces, arrays) {
  const [a, b] = arrays.map(flat);
  if (a.shape.length !== 2 || b.shape.length !== 2) return null;
  const pairs = [0, 1].map((axis) => matched(traces, a.axes[axis] ?? "", [a.shape[axis], b.shape[axis]]));
  if (!pairs.every(Boolean)) return null;
  const [rows, columns] = pairs;
  const data = new Float32Array(rows.length * columns.length);
  rows.forEach(([i, k], row) =>
    columns.forEach(([j, l], column) => {
      const [left, right] = [a.at(i, j), b.at(k, l)];
      data[row * columns.length + column] = left === right ? 0 : right - left; // −∞ − −∞: both are masked
    }),
  );
  const labels = (axis, found) => {
    const [one, other] = traces.map((trace) => trace.labels(a.axes[axis] ?? ""));
    return one && other && found.map(([i, j]) => (one[i] === other[j] ? one[i] : `${one[i]} | ${other[j]}`));
  };
  return {
    numbers: new Numbers(a.address, [rows.length, columns.length], a.axes, data),
    rows,
    columns,
    labels: [labels(0, rows), labels(1, columns)],
    whole: [a, b].every(({ shape }) => shape[0] === rows.length && shape[1] === columns.length),
  };
}

/** A vector as a matrix of one row. */
export const flat = (numbers) =>
  numbers.shape.length === 1
    ? new Numbers(numbers.address, [1, numbers.shape[0]], ["", ...numbers.axes], numbers.data)
    : numbers;

/** The mean of |B − A|: how much two matrices differ, as one number. */
export function mean(numbers) {
  let sum = 0;
  for (const value of numbers.data) if (Number.isFinite(value)) sum += Math.abs(value);
  return sum / Math.max(1, numbers.data.length);
}
