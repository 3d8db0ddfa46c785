// What is to be set by hand, checked: an address and numbers in, an `Edit` out.

import { DhyanError, shortened } from "../core/errors.js";
import { strip } from "../core/python-text.js";
import { Address } from "./address.js";
import { bounds } from "./arrays.js";
import { Edit, OPEN, looksBack } from "./edits.js";
import { axisNames, axisNamesOfWeights } from "./layout.js";
import { lastPart } from "./trace.js";

// A value is a number, nested lists, a Tensor, or a trace: then those numbers that have the same address there.

const LARGEST = 1e6; // further out, a product of two or three would be too large for a float
const MAY_BE_MINUS_INFINITY = ["scores", "scaled", "masked"]; // what a softmax makes 0 of
const GROWING = ["predicting", "target"]; // axes of a decoder, which are as long as what is written
const RESULTS = {
  "cls.number": "cls.logits",
  "cls.probs": "cls.logits",
  "mlm.probs": "mlm.logits",
  "enc.lens.probs": "cls.logits",
};

/** asked: address → value, a Map or an object. example: any run of the model, which has the same arrays; only its
 * text is another. */
export function readEdits(asked, example, sourceTokens, knownWords = 0) {
  const sizes = { source: sourceTokens, word: knownWords };
  const pairs = asked instanceof Map ? [...asked] : Object.entries(asked);
  return pairs.map(([address, value]) => read(strip(address), value, example, sizes));
}

/**
 * As a URL has it: `ADDRESS=0.5`, `ADDRESS=0.1,0.2` (rows end with `;`), `ADDRESS=OTHER_ADDRESS`.
 *
 * `ADDRESS=OTHER_ADDRESS~TEXT` is copied from another text's run, `ADDRESS=~TEXT` from the same address there.
 * patches: addresses that are copied from the same address. look(address, text): gives the numbers at an address of a
 * text's run; where the text is not said (null) it knows which is meant.
 */
export function writtenEdits(asked, patches, look) {
  const found = new Map();
  for (const one of asked) {
    const [address, value] = partition(one, "=").map((part) => part && strip(part));
    if (!value) {
      throw new DhyanError(
        `'${shortened(one)}' sets nothing: write an address and a number, such as enc.output[3]=0.`,
      );
    }
    if (isNumbers(value)) {
      found.set(address, numbersOf(value, one));
    } else {
      const [other, text] = partition(value, "~");
      found.set(address, look(strip(other) || address, text === null ? null : strip(text)));
    }
  }
  for (const address of patches.map(strip)) found.set(address, look(address, null));
  return found;
}

/** What stands before and behind the first mark; null where there is none. */
function partition(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + mark.length)];
}

const isNumbers = (text) => !/^[\p{L}~]/u.test(text) || /^(inf|nan)/i.test(text);

/** A number as Python's `float` reads it. */
const NUMBER = /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i;
const WORDS = { inf: Infinity, infinity: Infinity, nan: NaN };

function readFloat(text) {
  const bare = strip(text);
  if (NUMBER.test(bare)) return Number(bare.replaceAll("_", ""));
  const word = bare.toLowerCase().replace(/^[+-]/, "");
  return word in WORDS ? (bare.startsWith("-") ? -1 : 1) * WORDS[word] : null;
}

function numbersOf(text, asked) {
  const rows = text
    .replaceAll("−", "-")
    .split(";")
    .map((row) => row.split(",").map(readFloat));
  if (rows.some((row) => row.length !== rows[0].length || row.includes(null))) {
    throw new DhyanError(
      `'${shortened(asked)}': write a number, or several with commas between them and ';' behind each row.`,
    );
  }
  if (rows.length > 1) return rows;
  return rows[0].length > 1 ? rows[0] : rows[0][0];
}

function read(text, given, example, sizes) {
  const address = Address.parse(text), { name } = address;
  refuseResults(name);
  const { shape } = example.array(name);
  const axes = example.recorded().includes(name) ? axisNames(name) : axisNamesOfWeights(name, shape.length);
  const room = axes.map((axis, at) => {
    if (axis in sizes) return sizes[axis];
    return GROWING.includes(axis) ? OPEN : shape[at];
  });
  const { where, kept } = cellsAsked(address, text, axes, room);
  const value = checked(given, text, name);
  const unfitting = () => {
    const sizes = kept.map((axis) => where[axis]).map(([first, end]) => (end === OPEN ? OPEN : end - first));
    return new DhyanError(`${inWords(value.shape)} numbers do not fit into '${text}', which has ${inWords(sizes)}.`);
  };
  if (value.shape.length > kept.length) throw unfitting();
  const inFull = Array(where.length).fill(1);
  value.shape.toReversed().forEach((count, behind) => {
    const axis = kept.at(-1 - behind), [first, end] = where[axis];
    if (count !== 1 && end === OPEN) where[axis] = [first, first + count];
    else if (count !== 1 && count !== end - first) throw unfitting();
    inFull[axis] = count;
  });
  if (looksBack(name) && where.at(-1)[0] >= where.at(-2)[1]) {
    const row = where.at(-2)[1] - 1;
    throw new DhyanError(`'${text}' is yet to be written when row ${row} is computed: it looks at 0 to ${row}.`);
  }
  return new Edit(text, name, where, inFull, value.data);
}

function refuseResults(name) {
  if (!/(probs|logprobs)$/.test(name) && !["cls.number", "occlusion", "alignment"].includes(name)) return;
  const instead = RESULTS[name] ?? "dec.out.logits";
  throw new DhyanError(`nothing goes on from '${name}': set what comes before it, such as ${instead}.`);
}

/**
 * where: on each axis the first cell and the one behind the last. kept: the axes that numbers may run along.
 * @returns {{ where: [number, number][], kept: number[] }}
 */
function cellsAsked(address, text, axes, room) {
  const index = [...address.index], whole = { start: null, stop: null };
  if (address.head !== null) {
    const at = axes.indexOf("head");
    if (at < 0) {
      throw new DhyanError(`'${address.name}' is one array for all heads; set it without '.h${address.head}'.`);
    }
    while (index.length < at) index.push(whole);
    index.splice(at, 0, address.head);
  }
  const outside = () =>
    new DhyanError(`'${text}' points outside of ${address.name}, which is ${inWords(room)}.`);
  if (index.length > room.length) throw outside();
  while (index.length < room.length) index.push(whole);
  /** @type {[number, number][]} */
  const where = [];
  const kept = [];
  for (const [axis, cell] of index.entries()) {
    const size = room[axis], isRange = typeof cell !== "number";
    const ends = isRange ? [cell.start, cell.stop] : [cell];
    if (size === OPEN && ends.some((one) => one !== null && one < 0)) {
      throw new DhyanError(`'${text}': a decoder's rows are counted from the first; how many there will be is open.`);
    }
    const alone = cell < 0 ? cell + size : cell;
    const [first, end] = isRange ? bounds(cell, size) : [alone, alone + 1];
    if (isRange) kept.push(axis);
    if (!(0 <= first && first < end && end <= size)) throw outside();
    where.push([first, end]);
  }
  return { where, kept };
}

const inWords = (sizes) => sizes.map((size) => (size === OPEN ? "any number" : size)).join(" × ") || "one number";

/** As float32, if they are numbers that a model can go on with: {shape, data}. */
function checked(given, text, name) {
  if (typeof given?.get === "function" && !ArrayBuffer.isView(given)) given = copied(given, text);
  const found = numbersIn(given);
  if (found === null) throw new DhyanError(`'${text}' takes a number or an array of numbers, not ${kind(given)}.`);
  if (!found.data.length) throw new DhyanError(`'${text}' takes a number or an array of numbers; there is none.`);
  const mayBeLowest = MAY_BE_MINUS_INFINITY.includes(lastPart(name));
  if (!found.data.every((one) => Math.abs(one) <= LARGEST || (mayBeLowest && one === -Infinity))) {
    const minus = mayBeLowest ? ", or −∞" : "";
    throw new DhyanError(`'${text}' takes numbers from −1,000,000 to 1,000,000${minus}.`);
  }
  return { shape: found.shape, data: Float32Array.from(found.data) };
}

function copied(trace, text) {
  const found = trace.get(text);
  if (found === undefined) throw new DhyanError(`there is no '${text}' to copy; give a trace.`);
  return found;
}

/**
 * {shape, data}, or null where these are no numbers.
 * @param {any} given
 */
function numbersIn(given) {
  if (typeof given === "number") return { shape: [], data: [given] };
  if (typeof given === "boolean") return { shape: [], data: [Number(given)] };
  if (typeof given === "string") {
    const number = readFloat(given);
    return number === null ? null : { shape: [], data: [number] };
  }
  if (given instanceof Float32Array || given instanceof Float64Array) return { shape: [given.length], data: given };
  if (given?.data && given?.shape) return { shape: given.shape, data: given.data };
  if (!Array.isArray(given)) return null;
  const parts = given.map(numbersIn);
  if (parts.some((part) => part === null || part.shape.join() !== parts[0].shape.join())) return null;
  return { shape: [given.length, ...(parts[0]?.shape ?? [])], data: parts.flatMap(({ data }) => [...data]) };
}

function kind(given) {
  if (typeof given === "string") return `'${shortened(given)}'`;
  if (given === null || given === undefined) return "NoneType";
  return Array.isArray(given) ? "list" : "dict";
}
