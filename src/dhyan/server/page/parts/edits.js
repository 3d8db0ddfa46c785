// Numbers set by hand, as the URL has them: `set=enc.output[3]=0`. Which cells they are, and what they are in words.

import { parse } from "./address.js";

const RESULTS = /(^|\.)(probs|logprobs)$|^(occlusion|alignment)$/; // read off at the end: nothing goes on from them
const SHARED = ["W_K", "W_V", "b_K", "b_V"]; // several heads may have them in common
const LOOKING = ["scores", "scaled", "masked", "weights"];

/** Whether the model goes on from an array, so that setting it means something. */
export const canBeSet = (address) => !RESULTS.test(parse(address).name);

/** `enc.output[3]=0` → its address and its value: numbers, or `OTHER_ADDRESS~TEXT`, whose numbers are copied. */
export function readSet(text) {
  const at = text.indexOf("=");
  const [address, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const tilde = value.indexOf("~");
  return tilde < 0
    ? { address, value, from: null, copied: "" }
    : { address, value, from: value.slice(tilde + 1), copied: value.slice(0, tilde).trim() || address };
}

/** As it stands in the consequence bar: `enc.output[3] = 0`, `enc.output[3] ← We are friends`. */
export function inWords(text) {
  const { address, value, from, copied } = readSet(text);
  if (from === null) return `${address} = ${value.length > 24 ? `${value.slice(0, 22)}…` : value}`;
  return `${address} ← ${copied === address ? "" : `${copied}, `}${from}`;
}

/** The state with one more; what had the same address gives way. */
export const withSet = (all, address, value) => [
  ...all.filter((one) => readSet(one).address !== address),
  `${address}=${value}`,
];

/** Which cells of what an address cuts out were set by hand: a test by index, or null where none were. */
export function setCells(trace, base) {
  const { name } = parse(base);
  const edits = (trace.question.set ?? []).map((one) => readSet(one).address).filter((one) => parse(one).name === name);
  if (!edits.length) return null;
  const shape = trace.info.addresses[name] ?? [];
  const here = ranges(base, shape, trace.architecture);
  const free = here.flatMap(({ fixed }, axis) => (fixed ? [] : [axis]));
  const there = edits.map((one) => ranges(one, shape, trace.architecture));
  const looksBack = name.startsWith("dec.") && name.includes(".self.") && LOOKING.includes(parse(name).array);
  return (...index) => {
    const cell = here.map((range) => range.first);
    free.forEach((axis, number) => (cell[axis] += index[number] ?? 0));
    if (looksBack && cell.at(-1) > cell.at(-2)) return false; // yet to be written when the row was computed
    return there.some((edit) =>
      edit.every(({ first, end }, axis) => (cell[axis] ?? 0) >= first && (cell[axis] ?? 0) < end),
    );
  };
}

/** Whether one number was set by hand. */
export const isSetByHand = (trace, address) => setCells(trace, address)?.() ?? false;

/** On each axis of the whole array, head included: first, end, and whether the address names one cell of it. */
function ranges(address, shape, { heads, key_value_heads: shared }) {
  const { head, index, array } = parse(address);
  const cells = [...index];
  if (head !== null) {
    const axis = array === "W_O" ? 1 : 0;
    const by = shared && SHARED.includes(array) ? heads / shared : 1;
    while (cells.length < axis) cells.push(":");
    cells.splice(axis, 0, String(Math.floor(head / by)));
  }
  while (cells.length < shape.length) cells.push(":");
  return cells.map((cell, axis) => {
    const size = shape[axis] ?? Infinity;
    const counted = (text, otherwise) => (text.trim() === "" ? otherwise : from(Number(text), size));
    if (!cell.includes(":")) {
      const at = from(Number(cell), size);
      return { first: at, end: at + 1, fixed: true };
    }
    const [first, end] = cell.split(":");
    return { first: counted(first, 0), end: counted(end, Infinity), fixed: false };
  });
}

const from = (number, size) => (number < 0 ? number + size : number);
