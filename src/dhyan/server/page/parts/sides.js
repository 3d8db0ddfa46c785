// The two sides that are compared are two questions. The first has its plain names in the URL (text, model, off, …), the
// second the same with a 2 (text2, model2, off2, …); without a text or a pack of its own it has the first one's.

import { hash, unchanged } from "./url-state.js";

const OF_A_SIDE = ["text", "model", "beam", "max_length", "target", "from", ...Object.keys(unchanged())];
const none = (name) => unchanged()[name] ?? "";

/** The state as a view of one trace would have it. */
export function sideOf(state, side) {
  const own = Object.fromEntries(OF_A_SIDE.map((name) => [name, state[side ? `${name}2` : name] ?? none(name)]));
  return side ? { ...own, text: own.text || state.text, model: own.model || state.model } : own;
}

/** Changes of one side as changes of the state. */
export const onSide = (side, changes) =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [side ? `${name}2` : name, value]));

export const swapped = (state) => ({
  ...onSide(0, sideOf(state, 1)),
  ...onSide(1, sideOf(state, 0)),
  at: "",
  at2: "",
});

export const copied = (state) => ({ ...onSide(1, sideOf(state, 0)), at2: "" });

// What is looked at, whatever it is of: it goes along into the comparison, and back.
const LOOKED_AT = ["step", "at", "head", "layer", "token", "column", "card", "open", "peek", "how"];

/** The part of the state that says what is looked at. */
export const lookedAt = (state) => Object.fromEntries(LOOKED_AT.map((name) => [name, state[name]]));

/** A link that compares what a view shows: as the model is, with what was changed; else with whatever one writes.
 * zoom: of the comparison. */
export function comparing(state, model, zoom) {
  const here = sideOf(state, 0);
  const plain = { ...here, ...unchanged(), model: model.name };
  const sides = { ...onSide(0, plain), ...onSide(1, { ...here, model: model.name }) };
  return hash({ view: "compare", ...sides, zoom, ...lookedAt(state) });
}
