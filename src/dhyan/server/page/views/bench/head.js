// Zoom 3, one head: X → Q, K, V → QKᵀ → ÷ √d_k → mask → softmax → · V → its share of W_O. Hovering links all panels.
// A part that is no attention shows its arrays in the same way.

import { isAttention, parse, whole, write } from "../../parts/address.js";
import { h, language, select, button } from "../../parts/dom.js";
import { isSetByHand } from "../../parts/edits.js";
import { isPerHead } from "../../parts/notation.js";
import { exact, short } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";
import { panel } from "../../parts/panel.js";

const MOST_SHOWN = 120_000; // cells of one panel
const CANDIDATES = 15;

export async function oneHead(trace, state) {
  const parsed = parse(state.at);
  if (!isAttention(parsed.part)) return onePart(trace, state, parsed);
  const head = parsed.head ?? 0,
    a = trace.architecture;
  const rotary = a.positions === "rotary" && parsed.part.endsWith("self");
  const of = (array) =>
    isPerHead(array) ? write({ part: parsed.part, head, array }) : `${parsed.part}.${array}`;
  // title, array, and what its rows are: queries (i) or keys (j)
  const steps = [
    ["X", a.norm === "pre" ? "normed" : "input", "i"],
    ["Q", "query", "i"],
    ["K", "key", "j"],
    ["V", "value", "j"],
    ...(rotary
      ? [
          ["Q, turned", "turned_query", "i"],
          ["K, turned", "turned_key", "j"],
        ]
      : []),
    ["Q Kᵀ", "scores", "ij"],
    ["÷ √d_k", "scaled", "ij"],
    ["mask", "masked", "ij"],
    ["softmax", "weights", "ij"],
    ["· V", "mixed", "i"],
    ["· W_O", "share", "i"],
  ];
  const found = await Promise.all(
    steps.map(([, array]) => trace.numbers(of(array), state.words && array === "weights")),
  );
  const panels = steps.map(([title, array], number) =>
    panel(trace, found[number], { title, words: state.words && array === "weights", wide: array === "weights" }),
  );
  const mark = (i, j) =>
    panels.forEach((one, number) => {
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
    one.addEventListener("cell-pick", ({ detail }) =>
      go(
        state.words && steps[number][1] === "weights"
          ? { at: detail.address, words: "" }
          : { at: detail.address, zoom: "number" },
      ),
    );
  });
  const row = parsed.part.startsWith("enc") ? null : trace.firstRow + state.step;
  if (row !== null) queueMicrotask(() => mark(row, null));
  const big = panels[steps.findIndex(([, array]) => array === "weights")];
  const others = panels.filter((one) => one !== big);
  const name = `${parsed.part}.h${head}`,
    off = trace.info.heads_off.includes(name);
  return h(
    "div",
    null,
    h(
      "div",
      { class: "row" },
      select(
        t("Attention"),
        trace.parts.map((part) => [part, part]),
        parsed.part,
        (part) => go({ at: `${part}.h${head}.weights` }),
        { "data-key": "part" },
      ),
      select(
        t("Head"),
        Array.from({ length: a.heads }, (_, number) => [number, `h${number}`]),
        head,
        (number) => go({ at: `${parsed.part}.h${number}.weights` }),
        { "data-key": "head" },
      ),
      button(
        off ? t("Switch on") : t("Switch off"),
        () => go({ off: off ? state.off.filter((one) => one !== name) : [...state.off, name] }),
        { "aria-pressed": String(off), "data-key": "off" },
      ),
    ),
    h(
      "p",
      { class: "muted" },
      parsed.part.startsWith("enc")
        ? t("Rows are the tokens that look, columns those that are looked at.")
        : t("A row is computed while predicting → its name."),
      " ",
      t("Double-click a cell, or type a number on it, to set it by hand."),
    ),
    big,
    h("div", { class: "panels" }, others),
  );
}

/** The arrays of a part that is no attention; what stands alone (occlusion) is shown as it is. */
async function onePart(trace, state, parsed) {
  const part = parsed.part || parsed.stack;
  if (part === "dec.out") return nextToken(trace, state);
  const small = ([name, shape]) =>
    shape.length <= 2 &&
    shape.reduce((product, one) => product * one, 1) <= MOST_SHOWN &&
    name.lastIndexOf(".") === part.length;
  const inside = Object.entries(trace.info.addresses)
    .filter(([name]) => name.startsWith(`${part}.`))
    .filter(small)
    .map(([name]) => name);
  const found = await Promise.all((inside.length ? inside : [whole(state.at)]).map((name) => trace.numbers(name)));
  const panels = found
    .filter((numbers) => [1, 2].includes(numbers.shape.length))
    .map((numbers) => {
      const one = panel(trace, numbers, { title: whole(numbers.address) === whole(state.at) ? "●" : "" });
      one.addEventListener("cell-pick", ({ detail }) => go({ at: detail.address, zoom: "number" }));
      return one;
    });
  return h("div", null, h("h3", null, part), h("div", { class: "panels one" }, panels));
}

/** The last row of all: the top next tokens of the chosen step. */
async function nextToken(trace, state) {
  const found = await trace.ask(`steps/${state.step}`, { top: CANDIDATES });
  const names = ["logits", "probs", "logprobs"];
  const rows = await Promise.all(names.map((name) => trace.numbers(`dec.out.${name}[${found.row}]`)));
  const cell = (name, numbers, id) => {
    const address = `dec.out.${name}[${found.row},${id}]`,
      value = numbers.data[id];
    return h(
      "td",
      null,
      button(short(value, 4), () => go({ at: address, zoom: "number" }), {
        class: isSetByHand(trace, address) ? "link by-hand" : "link",
        "data-address": address,
        "data-value": exact(value),
        "data-key": address,
      }),
    );
  };
  return h(
    "div",
    null,
    h("h3", null, `dec.out[${found.row}] → `, h("span", { lang: language(found.chosen.text) }, found.chosen.text)),
    h(
      "table",
      { class: "bars" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          [t("piece"), "", ...names].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h(
        "tbody",
        null,
        found.guesses.map((guess) =>
          h(
            "tr",
            null,
            h("th", { scope: "row", lang: language(guess.text) }, guess.text),
            h("td", { class: "bar", style: { "--part": guess.probability } }),
            rows.map((numbers, row) => cell(names[row], numbers, guess.id)),
          ),
        ),
      ),
    ),
  );
}
