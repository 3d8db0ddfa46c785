// An address as a file that other programs read: JSON and CSV, with what its axes stand for.

import { general } from "../../core/format-number.js";
import { axesOf, byWords } from "../axes.js";

/** The array and, for each axis, its name and labels; by words if asked, where there are words. */
export function labelled(explanation, address, words = false) {
  const axes = axesOf(explanation, address);
  const array = words ? byWords(explanation, address) : explanation.get(address);
  const named = axes.map((axis, number) => {
    const isMerged = words && axis.words !== null && number >= axes.length - 2;
    return { name: axis.name, labels: isMerged ? axis.wordLabels : axis.labels };
  });
  return { array, axes: named };
}

/** −∞, which JSON does not know, becomes null. */
export function asJson(explanation, address, words = false) {
  const { array, axes } = labelled(explanation, address, words);
  const { text } = explanation.question;
  return { address, text, words, shape: array.shape, axes, values: plain(array.toList()) };
}

/** A row for each row of the last two axes; axes in front of them become columns. −∞ is written -inf. */
export function asCsv(explanation, address, words = false) {
  let { array, axes } = labelled(explanation, address, words);
  while (array.shape.length < 2) {
    array = array.reshape(1, ...array.shape);
    axes = [{ name: "", labels: [address] }, ...axes];
  }
  const counted = (size) => Array.from({ length: size }, (_, number) => String(number));
  const names = axes.map(({ labels }, axis) => labels ?? counted(array.shape[axis]));
  const columns = array.shape.at(-1), rows = array.size / columns;
  const lines = [[...axes.slice(0, -1).map(({ name }) => name), ...names.at(-1)]];
  for (let row = 0; row < rows; row++) {
    const front = [];
    for (let axis = array.shape.length - 2, left = row; axis >= 0; axis--) {
      front.unshift(names[axis][left % array.shape[axis]]);
      left = Math.floor(left / array.shape[axis]);
    }
    const numbers = Array.from(array.data.subarray(row * columns, (row + 1) * columns), (one) => general(one, 9));
    lines.push([...front, ...numbers]);
  }
  return lines.map((line) => `${line.map((cell) => quoted(cell, line.length)).join(",")}\n`).join("");
}

/** As Python's csv writes a cell: in quotes where it has to be; so that an only one that is empty is not lost, too. */
function quoted(cell, count) {
  const isPlain = !/[",\r\n]/.test(cell) && !(cell === "" && count === 1);
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

const plain = (values) => (Array.isArray(values) ? values.map(plain) : Number.isFinite(values) ? values : null);
