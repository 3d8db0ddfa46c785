// The inspector: what is looked at, under its address, in words; and ways to take it along.

import { parse } from "../../parts/address.js";
import { h, button, language } from "../../parts/dom.js";
import { canBeSet, isSetByHand, setCells } from "../../parts/edits.js";
import { editButton, editing } from "../../parts/editor.js";
import { exportBar } from "../../parts/exports.js";
import { tableOf } from "../../parts/matrix.js";
import { Numbers, exact, full } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

const WIDEST_TABLE = 2000; // columns: a row of the vocabulary is no table to read

export async function inspector(trace, state, bench) {
  const box = h("input", {
    id: "address",
    type: "text",
    value: state.at,
    autocomplete: "off",
    spellcheck: "false",
    list: "addresses",
    "data-key": "address",
  });
  const form = h(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        go({ at: box.value.trim(), zoom: ["flow", "alignment", "atlas"].includes(state.zoom) ? "head" : state.zoom });
      },
    },
    h("label", { for: "address" }, t("Address")),
    box,
    h(
      "datalist",
      { id: "addresses" },
      Object.keys(trace.info.addresses).map((name) => h("option", { value: name })),
    ),
  );
  let found;
  try {
    found = await trace.numbers(state.at, false);
  } catch (problem) {
    return [form, h("p", { class: "problem", role: "alert" }, problem.message)];
  }
  const sentence = words(trace, state, found);
  const table = h("div", { "oncell-edit": editing(trace) });
  const laid = new Numbers(
    found.address,
    found.shape.length === 2 ? found.shape : [1, ...found.shape.slice(-1)],
    found.axes,
    found.data,
  );
  const asTable =
    found.shape.length > 0 &&
    found.shape.length < 3 &&
    found.shape.at(-1) <= WIDEST_TABLE &&
    button(
      t("Table"),
      () => {
        const shown = table.firstChild;
        asTable.setAttribute("aria-pressed", String(!shown));
        table.replaceChildren(
          ...(shown
            ? []
            : [
                tableOf({
                  numbers: laid,
                  rows: found.shape.length === 2 ? trace.labels(found.axes[0]) : [state.at],
                  columns: trace.labels(found.axes.at(-1) ?? ""),
                  base: state.at,
                  flat: found.shape.length < 2,
                  isSet: setCells(trace, state.at),
                  isEditable: canBeSet(state.at),
                }),
              ]),
        );
      },
      { "aria-pressed": "false", "data-key": "table" },
    );
  return [
    form,
    crumbs(state.at),
    found.shape.length === 0
      ? h(
          "p",
          { class: "big" },
          h(
            "b",
            {
              class: isSetByHand(trace, state.at) ? "value by-hand" : "value",
              "data-address": state.at,
              "data-value": exact(found.data[0]),
            },
            full(found.data[0]),
          ),
        )
      : h(
          "p",
          null,
          h("b", { "data-shape": found.shape.join(",") }, found.shape.join(" × ")),
          " ",
          h("span", { class: "muted" }, found.axes.map((axis) => t(axis)).join(", ")),
        ),
    sentence,
    asTable,
    asTable && " ",
    canBeSet(state.at) && editButton(trace, state.at),
    table,
    h("p", null, h("code", { class: "python" }, `trace["${state.at}"]`)),
    found.shape.length > 0 &&
      exportBar(trace, state.at, {
        words: state.words && /weights$/.test(state.at),
        tell: (message) => bench.tell(message),
      }),
  ];
}

/** enc › 2 › self › h5 › weights: every step leads to the part above. */
function crumbs(address) {
  const parsed = parse(address),
    parts = address.split(/[.[]/)[0] ? address.replace(/\[.*$/, "").split(".") : [];
  const cells = parsed.index.length ? [`[${parsed.index.join(",")}]`] : [];
  return h(
    "p",
    { class: "crumbs", "aria-label": t("Where it is") },
    [...parts, ...cells].flatMap((one, number) => [
      number ? " › " : "",
      number === parts.length - 1 && cells.length
        ? button(one, () => go({ at: address.replace(/\[.*$/, ""), zoom: "head" }), { class: "link" })
        : h("span", null, one),
    ]),
  );
}

/** One cell in words: who looks at whom, while predicting what. */
function words(trace, state, found) {
  const parsed = parse(state.at);
  if (found.shape.length || parsed.index.length < 2) return null;
  const [i, j] = parsed.index.slice(-2).map(Number);
  if (!["weights", "scores", "scaled", "masked"].includes(parsed.array)) return null;
  const [rows, columns] = trace.sides(parsed.part);
  const name = (axis, number) => trace.labels(axis)?.[number] ?? "";
  const looking = name(rows, i),
    seen = name(columns, j);
  return h(
    "p",
    null,
    rows === "predicting" ? `${t("while predicting")} ` : "",
    h("b", { lang: language(looking) }, looking),
    ` ${t("looks at")} `,
    h("b", { lang: language(seen) }, seen),
  );
}
