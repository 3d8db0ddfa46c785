// Every number has an address, every head a name: `enc.2.self.h5.weights[3,1]` means the same thing everywhere.
//
// A head is `enc.2.self.h5`, or `enc.2.h5` where a layer has only one attention; `dec.1.cross` means all heads of one.

import { DhyanError, didYouMean } from "../core/errors.js";
import { opened } from "../model/architecture.js";

/** @typedef {[string, number]} Head such as ["enc.2.self", 5] */

const ADDRESS = /^(?<path>[A-Za-z_0-9.]+)(\[(?<index>[-0-9:, ]*)\])?$/;
const HEAD_IN_PATH = /\.h(\d{1,9})(?=\.|$)/g;
const HEAD_NAME = /^(?<stack>enc|dec)\.(?<layer>\d+)(\.(?<part>self|cross))?(\.h(?<head>\d{1,9}))?$/;

/** An array's name, the head it is asked for (if any), and the cells of it (if any). */
export class Address {
  /**
   * @param {string} name enc.2.self.weights
   * @param {number | null} head 5
   * @param {(number | import("./arrays.js").Slice)[]} index [3, 1]
   */
  constructor(name, head, index) {
    this.name = name;
    this.head = head;
    this.index = index;
  }

  static parse(text) {
    const match = ADDRESS.exec(text.trim());
    if (match === null) {
      throw new DhyanError(`'${text}' is not an address; one looks like enc.2.self.h5.weights[3,1].`);
    }
    const { path, index } = match.groups;
    const heads = [...path.matchAll(HEAD_IN_PATH)];
    if (heads.length > 1) {
      throw new DhyanError(`'${text}' names more than one head; an address has at most one.`);
    }
    const cells = index ? index.split(",").map((part) => readCell(part, text)) : [];
    return new Address(path.replace(HEAD_IN_PATH, ""), heads.length ? Number(heads[0][1]) : null, cells);
  }
}

function readCell(part, text) {
  const parts = part.trim().split(":");
  const isRead = parts.every((one) => /^ *(-?\d+)? *$/.test(one));
  const numbers = isRead ? parts.map((one) => (one.trim() ? Number(one) : null)) : [];
  if (numbers.length === 1 && numbers[0] !== null) return numbers[0];
  if (numbers.length === 2) return { start: numbers[0], stop: numbers[1] };
  throw new DhyanError(`'${part.trim()}' in '${text}' is neither a number nor a range such as 2:5 or ':'.`);
}

/** Every attention of a model, in the order that numbers pass through it. */
export function attentionParts(architecture) {
  const a = opened(architecture);
  const found = [];
  for (let layer = 0; a.hasEncoder && layer < a.encoderLayers; layer++) found.push(`enc.${layer}.self`);
  for (let layer = 0; a.hasDecoder && layer < a.decoderLayers; layer++) {
    found.push(`dec.${layer}.self`);
    if (a.hasCross) found.push(`dec.${layer}.cross`);
  }
  return found;
}

/**
 * Names → heads, each once and in the model's order.
 * @returns {Head[]}
 */
export function readHeads(architecture, names) {
  const asked = new Set(names.flatMap((name) => headsNamed(architecture, name.trim())).map(headName));
  return attentionParts(architecture)
    .flatMap((part) => headsOf(architecture, part))
    .filter((head) => asked.has(headName(head)));
}

/** @param {Head} head */
export const headName = ([part, head]) => `${part}.h${head}`;

/** @returns {Head[]} */
const headsOf = (architecture, part) => Array.from({ length: architecture.heads }, (_, head) => [part, head]);

/** @returns {Head[]} */
function headsNamed(architecture, name) {
  const parts = attentionParts(architecture);
  const match = HEAD_NAME.exec(name);
  if (match === null) {
    const every = parts.flatMap((part) => headsOf(architecture, part)).map(headName);
    throw new DhyanError(`'${name}' is not a head${didYouMean(name, every)}; one is called ${every[0]}.`);
  }
  const { stack, layer, part, head } = match.groups;
  let attentions = parts.filter((one) => one.startsWith(`${stack}.${layer}.`));
  if (part) attentions = attentions.filter((one) => one.endsWith(part));
  if (!attentions.length) {
    throw new DhyanError(`there is no '${name}' in this model; its attentions are ${parts[0]} to ${parts.at(-1)}.`);
  }
  if (attentions.length > 1) throw new DhyanError(`'${name}' could be ${attentions.join(" or ")}; write which.`);
  if (head === undefined) return headsOf(architecture, attentions[0]);
  if (Number(head) >= architecture.heads) {
    const last = architecture.heads - 1;
    throw new DhyanError(`there is no head '${name}'; the heads of ${attentions[0]} are h0 to h${last}.`);
  }
  return [[attentions[0], Number(head)]];
}
