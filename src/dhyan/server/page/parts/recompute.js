// One number, worked out again in the browser from the numbers that go into it: the ✓ beside it is earned here.

import { isAttention, parse } from "./address.js";
import { isSetByHand } from "./edits.js";
import { isPerHead } from "./notation.js";
import { ATTENTION } from "./recompute/attention.js";
import { ENDS } from "./recompute/embedding-output.js";
import { LAYER } from "./recompute/layer.js";
import { RECURRENCE } from "./recompute/recurrence.js";

export const TOLERANCE = 1e-5;
const RULES = { ...ATTENTION, ...RECURRENCE, ...LAYER, ...ENDS }; // kind.array → how it is worked out

/** How one number came about: formula, terms (products), lines (what is done with their sum), result. */
export async function recompute(trace, address) {
  const parsed = parse(address);
  const shape = (trace.info.addresses[parsed.name] ?? []).slice(-parsed.index.length);
  let index = parsed.index.map((one, axis) => (Number(one) < 0 ? Number(one) + shape[axis] : Number(one)));
  if (parsed.head === null && isAttention(parsed.part) && isPerHead(parsed.array)) {
    [parsed.head, ...index] = index; // enc.0.self.weights[3,1,2] is enc.0.self.h3.weights[1,2]
  }
  const shown = await trace.one(address);
  const work = RULES[parsed.name] ?? RULES[`${kind(parsed)}.${parsed.array}`] ?? RULES[parsed.array];
  const found =
    work && !index.some(Number.isNaN)
      ? await work({ trace, parsed, index, a: trace.architecture, of: reader(trace) })
      : null; // also from a rule that does not know this architecture: not available
  const byHand = isSetByHand(trace, address);
  if (!found) return { address, shown, terms: [], lines: [], result: null, ok: null, byHand };
  const terms = found.terms ?? [];
  const size = Math.max(1, Math.abs(shown), ...terms.map((term) => Math.abs(term.product)));
  const delta = found.result === shown ? 0 : Math.abs(found.result - shown);
  return {
    lines: [],
    ...found,
    terms,
    address,
    shown,
    delta,
    ok: delta < TOLERANCE * (Number.isFinite(size) ? size : 1),
    byHand,
  };
}

function kind({ part }) {
  if (part.endsWith("ffn")) return "ffn";
  if (part.endsWith("ssru")) return "ssru";
  if (isAttention(part)) return "attention";
  return part === "dec.out" ? "out" : "stack";
}

const reader = (trace) => async (address) => (await trace.numbers(address)).data;
