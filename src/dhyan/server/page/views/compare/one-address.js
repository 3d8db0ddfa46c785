// One address on both sides: a number and its difference, or a matrix as A | B | B − A.

import { cellOf, isAttention, parse, whole, write } from "../../parts/address.js";
import { h, language, select, button } from "../../parts/dom.js";
import { canBeSet, setCells } from "../../parts/edits.js";
import { editing } from "../../parts/editor.js";
import { isPerHead } from "../../parts/notation.js";
import { oneNumber } from "../../parts/number.js";
import { exact, full } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { filled, t } from "../../parts/i18n.js";
import { difference, flat } from "./difference.js";
import { differencePanel, panel, why } from "./difference-panel.js";
import { legend } from "./legend.js";
import { absent, NAMES, panes } from "./panes.js";

const MOST_SHOWN = 120_000; // cells of one panel
const ARRAYS = ["weights", "scores", "query", "key", "value", "mixed", "share", "output"];

/** Where one looks when nothing was chosen: the last attention that both have. */
export const firstAddress = (traces) => {
  const parts = traces[0].parts.filter((part) => traces[1].parts.includes(part));
  return `${parts.at(-1) ?? traces[0].parts[0]}.h0.weights`;
};

export async function oneAddress(traces, state) {
  const at = state.at || firstAddress(traces);
  const addresses = [at, state.at2 || at];
  const found = await Promise.allSettled(traces.map((trace, side) => trace.numbers(addresses[side])));
  const problem = found.map((one, side) => one.status === "rejected" && `${"AB"[side]}: ${one.reason.message}`);
  const arrays = found.map((one) => (one.status === "fulfilled" ? one.value : null));
  const body = problem.some(Boolean)
    ? problem.filter(Boolean).map((sentence) => h("p", { class: "problem", role: "status" }, sentence))
    : arrays[0].shape.length === 0 && arrays[1].shape.length === 0
      ? await numbersOf(traces, addresses, arrays)
      : panels(traces, addresses, arrays);
  return h("div", null, chooser(traces, at, addresses[1]), body);
}

function chooser(traces, at, at2) {
  const parsed = parse(at);
  const [trace] = traces;
  const head = parsed.head ?? 0;
  const to = (part, number, array) => ({
    at: isPerHead(array) ? write({ part, head: number, array }) : `${part}.${array}`,
    at2: "",
  });
  const array = parsed.array;
  const box = h("input", {
    type: "text",
    id: "compared-address",
    value: at,
    list: "compared-addresses",
    autocomplete: "off",
    spellcheck: "false",
    "data-key": "address",
  });
  return h(
    "div",
    { class: "row" },
    isAttention(parsed.part) && [
      select(
        t("Attention"),
        trace.parts.map((part) => [part, part]),
        parsed.part,
        (part) => go(to(part, head, array)),
        { "data-key": "part" },
      ),
      select(
        t("Head"),
        Array.from({ length: trace.architecture.heads }, (_, number) => [number, `h${number}`]),
        head,
        (number) => go(to(parsed.part, Number(number), array)),
        { "data-key": "head" },
      ),
      select(
        t("Numbers"),
        [...new Set([...ARRAYS, array])].map((name) => [name, name]),
        array,
        (name) => go(to(parsed.part, head, name)),
        { "data-key": "array" },
      ),
    ],
    h(
      "form",
      {
        class: "field",
        onsubmit: (event) => {
          event.preventDefault();
          go({ at: box.value.trim(), at2: "" });
        },
      },
      h("label", { for: "compared-address" }, t("Address")),
      box,
      h(
        "datalist",
        { id: "compared-addresses" },
        Object.keys(trace.info.addresses).map((name) => h("option", { value: name })),
      ),
    ),
    at2 !== at && h("span", { class: "muted" }, "B: ", h("code", null, at2)),
    parsed.index.length > 0 &&
      button(t("The whole array"), () => go({ at: whole(at), at2: "" }), { "data-key": "whole" }),
  );
}

/** Both numbers, their difference, and below it what each of them is made of. */
async function numbersOf(traces, addresses, arrays) {
  const values = arrays.map((numbers) => numbers.data[0]);
  const apart = values[0] === values[1] ? 0 : values[1] - values[0];
  const made = await Promise.all(traces.map((trace, side) => oneNumber(trace, { at: addresses[side] })));
  const table = h(
    "table",
    { class: "one-number" },
    h(
      "tbody",
      null,
      values.map((value, side) =>
        h(
          "tr",
          { class: `side-${"ab"[side]}` },
          h("th", { scope: "row" }, h("b", null, side ? "■ B" : "● A")),
          h("td", null, h("code", null, addresses[side]), " ", inWords(traces[side], addresses[side])),
          h(
            "td",
            { class: "big", "data-address": addresses[side], "data-side": "ab"[side], "data-value": exact(value) },
            full(value),
          ),
        ),
      ),
      h(
        "tr",
        null,
        h("th", { scope: "row" }, h("b", null, "B − A")),
        h("td"),
        h(
          "td",
          { class: "big", id: "number-difference", "data-value": apart },
          apart > 0 ? `+${full(apart)}` : full(apart),
        ),
      ),
    ),
  );
  return [table, panes(made)];
}

/** Who looks at whom, where that is what a number says. */
function inWords(trace, address) {
  const { part, array, index } = parse(address);
  if (!isAttention(part) || !["weights", "scores", "scaled", "masked"].includes(array)) return null;
  const [i, j] = index.slice(-2).map(Number);
  const [rows, columns] = trace.sides(part).map((axis) => trace.labels(axis) ?? []);
  return h(
    "span",
    { class: "muted" },
    h("b", { lang: language(rows[i] ?? "") }, rows[i] ?? ""),
    ` ${t("looks at")} `,
    h("b", { lang: language(columns[j] ?? "") }, columns[j] ?? ""),
  );
}

function panels(traces, addresses, arrays) {
  const laid = arrays.map(flat);
  if (laid.some(({ shape }) => shape.length !== 2))
    return h(
      "p",
      { class: "muted" },
      filled(t("{address} is {shape}: choose a head or a row of it to see it side by side."), {
        address: addresses[0],
        shape: arrays[0].shape.join(" × "),
      }),
    );
  if (laid.some(({ data }) => data.length > MOST_SHOWN))
    return h("p", { class: "muted" }, t("This is too large to draw; take some rows of it, such as [0:8]."));
  const apart = difference(traces, arrays);
  const scale = Math.max(...laid.map((numbers) => numbers.scale));
  const shown = laid.map((numbers, side) => {
    const labels = [0, 1].map((axis) => (numbers.axes[axis] ? traces[side].labels(numbers.axes[axis]) : null));
    const drawn = panel(NAMES[side], `side-${"ab"[side]}`, {
      numbers,
      rows: arrays[side].shape.length === 1 ? null : labels[0],
      columns: labels[1],
      base: addresses[side],
      flat: arrays[side].shape.length === 1,
      scale,
      positive: side ? "second" : "accent",
      negative: "negative",
      isSet: setCells(traces[side], addresses[side]),
      isEditable: canBeSet(addresses[side]),
    });
    drawn.matrix.addEventListener("cell-edit", editing(traces[side]));
    return drawn;
  });
  const drawn = apart ? differencePanel(apart, addresses[0], arrays[0].shape.length === 1) : absent(why(laid));
  link(shown, apart && drawn, apart, arrays, addresses);
  return h(
    "div",
    null,
    apart &&
      h(
        "p",
        { class: "muted" },
        apart.whole
          ? t("Compared cell by cell.")
          : filled(t("Compared where both have the token: {rows} rows, {columns} columns."), {
              rows: apart.rows.length,
              columns: apart.columns.length,
            }),
        " ",
        legend(),
      ),
    h("div", { class: "three-panels" }, shown, drawn),
  );
}

/** Pointing at a cell marks the same one in all three; a click opens it. */
function link(shown, drawn, apart, arrays, addresses) {
  const sides = [...shown, ...(drawn ? [drawn] : [])];
  // a cell of a panel → its row and column in the difference, and from there in every panel
  const common = (panelNumber, i, j) => {
    if (!apart || panelNumber === 2) return [i, j];
    return [
      apart.rows.findIndex((pair) => pair[panelNumber] === i),
      apart.columns.findIndex((pair) => pair[panelNumber] === j),
    ];
  };
  const own = (panelNumber, cell) =>
    panelNumber === 2 || !apart ? cell : [apart.rows[cell[0]]?.[panelNumber], apart.columns[cell[1]]?.[panelNumber]];
  const address = (side, cell) => cellOf(addresses[side], arrays[side].shape.length === 1 ? [cell[1]] : cell);
  sides.forEach((panelHere, number) => {
    panelHere.addEventListener("cell-hover", ({ detail }) =>
      sides.forEach((other, there) => {
        if (other === panelHere) return;
        const cell = detail && apart ? own(there, common(number, detail.i, detail.j)) : [null, null];
        other.matrix.mark({ row: cell[0] ?? null, column: cell[1] ?? null });
      }),
    );
    panelHere.addEventListener("cell-pick", ({ detail }) => {
      const cell = common(number, detail.i, detail.j);
      const [first, second] = [0, 1].map((side) => own(side, cell));
      if (!apart || [...first, ...second].some((index) => index === undefined)) return;
      const [at, at2] = [address(0, first), address(1, second)];
      go({ at, at2: at2 === at ? "" : at2 });
    });
  });
}
