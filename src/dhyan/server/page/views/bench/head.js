// Zoom 3, one head: X → Q, K, V → QKᵀ → ÷ √d_k → mask → softmax → · V → its share of W_O. Hovering links all panels.
// A part that is no attention shows its arrays in the same way.

import { PER_HEAD, isAttention, parse, whole, write } from "../../parts/address.js";
import { fill, h, select, button } from "../../parts/dom.js";
import { go } from "../../parts/state.js";
import { t } from "../../parts/words.js";
import { panel } from "./panel.js";

const MOST_SHOWN = 60_000; // cells of one panel

export async function oneHead(trace, state) {
  const place = parse(state.at);
  if (!isAttention(place.part)) return onePart(trace, state, place);
  const head = place.head ?? 0, a = trace.architecture;
  const rotary = a.positions === "rotary" && place.part.endsWith("self");
  const of = (array) => (PER_HEAD.includes(array) ? write({ part: place.part, head, array }) : `${place.part}.${array}`);
  // title, array, and what its rows are: queries (i) or keys (j)
  const steps = [
    ["X", a.norm === "pre" ? "normed" : "input", "i"], ["Q", "query", "i"], ["K", "key", "j"], ["V", "value", "j"],
    ...(rotary ? [["Q, turned", "turned_query", "i"], ["K, turned", "turned_key", "j"]] : []),
    ["Q Kᵀ", "scores", "ij"], ["÷ √d_k", "scaled", "ij"], ["mask", "masked", "ij"], ["softmax", "weights", "ij"], ["· V", "mixed", "i"], ["· W_O", "share", "i"],
  ];
  const found = await Promise.all(steps.map(([, array]) => trace.numbers(of(array), state.words && array === "weights")));
  const panels = steps.map(([title, array], number) => panel(trace, found[number], { title, words: state.words && array === "weights", wide: array === "weights" }));
  const mark = (i, j) => panels.forEach((one, number) => {
    const kind = steps[number][2];
    const merged = state.words && steps[number][1] === "weights"; // its rows are words, not tokens
    if (!merged) one.matrix.mark(kind === "ij" ? { row: i, column: j } : { row: kind === "i" ? i : j });
  });
  panels.forEach((one, number) => {
    const kind = steps[number][2];
    one.addEventListener("cell-hover", ({ detail }) => {
      if (!detail) return mark(null, null);
      return mark(kind === "j" ? null : detail.i, kind === "ij" ? detail.j : kind === "j" ? detail.i : null);
    });
    one.addEventListener("cell-pick", ({ detail }) => go(state.words && steps[number][1] === "weights" ? { at: detail.address, words: "" } : { at: detail.address, zoom: "number" }));
  });
  const row = place.part.startsWith("enc") ? null : trace.firstRow + state.step;
  if (row !== null) queueMicrotask(() => mark(row, null));
  const big = panels[steps.findIndex(([, array]) => array === "weights")];
  const others = panels.filter((one) => one !== big);
  const name = `${place.part}.h${head}`, off = trace.info.heads_off.includes(name);
  return h("div", null,
    h("div", { class: "row" },
      select(t("Attention"), trace.parts.map((part) => [part, part]), place.part, (part) => go({ at: `${part}.h${head}.weights` }), { "data-key": "part" }),
      select(t("Head"), Array.from({ length: a.heads }, (_, number) => [number, `h${number}`]), head, (number) => go({ at: `${place.part}.h${number}.weights` }), { "data-key": "head" }),
      button(off ? t("Switch on") : t("Switch off"), () => go({ off: off ? state.off.filter((one) => one !== name) : [...state.off, name] }), { "aria-pressed": String(off), "data-key": "off" })),
    h("p", { class: "muted" }, place.part.startsWith("enc") ? t("Rows are the tokens that look, columns those that are looked at.") : t("A row is computed while predicting → its name.")),
    big, h("div", { class: "panels" }, others));
}

async function onePart(trace, state, place) {
  const part = place.part || place.name;
  const shapes = Object.entries(trace.info.addresses).filter(([name, shape]) => name.startsWith(`${part}.`) && name.slice(part.length + 1).indexOf(".") < 0 && shape.length <= 2);
  const some = h("div", { class: "panels one" });
  const shown = shapes.filter(([, shape]) => shape.reduce((product, one) => product * one, 1) <= MOST_SHOWN);
  const large = shapes.filter((one) => !shown.includes(one));
  const found = await Promise.all(shown.map(([name]) => trace.numbers(name)));
  fill(some, found.map((numbers) => {
    const one = panel(trace, numbers, { title: whole(numbers.address) === whole(state.at) ? "●" : "" });
    one.addEventListener("cell-pick", ({ detail }) => go({ at: detail.address, zoom: "number" }));
    return one;
  }));
  // A row of the vocabulary at a time: the row of the step that is looked at.
  for (const [name] of large) {
    const row = name.startsWith("enc") ? 0 : trace.firstRow + state.step;
    if (name.endsWith(".probs") || name.endsWith(".logits") || name.endsWith(".logprobs")) some.append(candidates(trace, name, row, state));
  }
  return h("div", null, h("h3", null, part), some);
}

/** The likeliest of a row that is as long as the vocabulary. */
function candidates(trace, name, row, state) {
  const step = trace.steps[state.step];
  return h("figure", { class: "panel" }, h("figcaption", null, h("code", null, `${name}[${row}]`)),
    h("div", { class: "row" }, step.guesses.map((guess) => button(guess.text, () => go({ at: `${name}[${row},${guess.id}]`, zoom: "number" }), { class: "chip" }))));
}
