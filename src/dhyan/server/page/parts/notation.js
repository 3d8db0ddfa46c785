// What the page and Python write alike, from the server: formulas (drawn as native MathML), which arrays have heads.

import { get } from "./api.js";
import { m } from "./dom.js";

let known = null;

/** Before anything is drawn: formulas, arrays that have one part per head, ids that are never written. */
export async function loadNotation() {
  known = await get("notation");
}

export const isPerHead = (array) => known.per_head.includes(array);

/** Ids that a pack never writes. */
export const neverWritten = (architecture) => architecture.special?.never_written ?? known.never_written;

/** Symbols and lists of them, as in explain/views/notation.py, drawn. */
export const written = (symbols) => m("math", { display: "block" }, row(symbols));

/** A formula by its id: a fresh element each time. */
export const formula = (id) => written(known.formulas[id]);

const row = (symbols) => m("mrow", null, bracketed([...symbols]));

/** Symbols drawn, up to the bracket that closes; what is in brackets is a row of its own, so that they fit its height. */
function bracketed(symbols) {
  const nodes = [];
  while (symbols.length) {
    const symbol = symbols.shift();
    if (["(", "["].includes(symbol)) nodes.push(m("mrow", null, drawn(symbol), bracketed(symbols)));
    else nodes.push(drawn(symbol));
    if ([")", "]"].includes(symbol)) break;
  }
  return nodes;
}

const KINDS = {
  row: (...inside) => row(inside),
  frac: (top, bottom) => m("mfrac", null, row([top]), row([bottom])),
  sub: (base, below) => m("msub", null, drawn(base), drawn(below)),
  sup: (base, above) => m("msup", null, drawn(base), drawn(above)),
  sqrt: (...inside) => m("msqrt", null, bracketed(inside)),
  sum: (below, ...inside) => m("mrow", null, m("munder", null, m("mo", null, "∑"), drawn(below)), bracketed(inside)),
  word: (text) => m("mtext", null, text),
};

function drawn(symbol) {
  if (Array.isArray(symbol)) {
    const [kind, ...inside] = symbol;
    return KINDS[kind](...inside);
  }
  if (/^[−\d.∞]+$/.test(symbol)) return m("mn", null, symbol);
  if (/^[=+·×÷/()[\],:≈<−…√∑→]$/.test(symbol)) return m("mo", null, symbol);
  return m("mi", null, symbol);
}
