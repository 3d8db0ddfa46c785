// What the analyses do with rows and words again and again.

import { Matrix, Tensor, byRow, linear } from "../arrays.js";
import { length } from "../formulas.js";

/** The words of a text, marks left out. */
export const realWords = (tokens) => tokens.words.filter((word) => !word.special);

/** One row of (…, columns), all rows counted through. */
export function rowOf(array, row) {
  const columns = array.shape.at(-1);
  return array.data.subarray(row * columns, (row + 1) * columns);
}

/** (…, rows, columns) without the first rows. */
export function rowsFrom(array, first) {
  if (first === 0) return array;
  const [rows, columns] = array.shape.slice(-2);
  const left = (rows - first) * columns;
  const found = Tensor.zeros([...array.shape.slice(0, -2), rows - first, columns]);
  for (let from = first * columns, to = 0; to < found.size; from += rows * columns, to += left)
    found.data.set(array.data.subarray(from, from + left), to);
  return found;
}

/** Indices from the largest number to the smallest; equal ones in their own order. */
export const largestFirst = (numbers) =>
  Array.from(numbers, (_, index) => index).sort((one, other) => numbers[other] - numbers[one] || one - other);

/** The indices of the largest numbers, largest first; equal ones in their own order. */
export function largest(numbers, count) {
  const found = [];
  for (let index = 0; index < numbers.length; index += 1) {
    if (found.length === count && !(numbers[index] > numbers[found[count - 1]])) continue;
    let place = found.length;
    while (place > 0 && numbers[index] > numbers[found[place - 1]]) place -= 1;
    found.splice(place, 0, index);
    if (found.length > count) found.pop();
  }
  return found;
}

/** Each row (the last axis) divided by its length. */
export const unit = (array) =>
  byRow(array, (numbers, first, end, out) => {
    const size = Math.max(1e-12, length(numbers.subarray(first, end)));
    for (let at = first; at < end; at += 1) out[at] = numbers[at] / size;
  });

/** (m, k) and (n, k) → (m, n): large products of two tables, by the kernel that weights are multiplied with. */
export const productOf = (one, other) => linear(one, new Matrix(other.data, null, ...other.shape), null);
