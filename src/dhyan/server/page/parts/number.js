// Zoom 4, one number: its products, their sum, what is done with it; worked out again in the browser, and compared.

import { parse } from "./address.js";
import { h, language, button } from "./dom.js";
import { canBeSet } from "./edits.js";
import { editButton } from "./editor.js";
import { exact, full, short } from "./numbers.js";
import { recompute } from "./recompute.js";
import { go } from "./url-state.js";
import { t } from "./i18n.js";

const FIRST = 12; // terms that are written out before one asks for all

export async function oneNumber(trace, state) {
  const parsed = parse(state.at);
  const shape = (await trace.numbers(state.at)).shape;
  const at = shape.length ? firstCell(state.at, parsed, shape) : state.at;
  const found = await recompute(trace, at);
  return h(
    "div",
    { class: "onenumber" },
    shape.length > 0 && h("p", { class: "muted" }, t("Pick a cell in One head to see another; this is the first.")),
    worked(trace, found),
  );
}

const firstCell = (at, parsed, shape) =>
  `${at.replace(/\[.*$/, "")}[${[...parsed.index.filter((one) => /^-?\d+$/.test(one)), ...shape.map(() => 0)].join(",")}]`;

/** The work behind one number, as a figure with its badge. */
export function worked(trace, found) {
  const link = (address) =>
    address &&
    button(address, () => go(trace.opening(address)), { class: "link" });
  const { terms, lines, result, shown, ok, delta, table } = found;
  const rows = terms.map((term, c) =>
    h(
      "tr",
      { hidden: c >= FIRST && terms.length > FIRST + 1 },
      h("td", { title: term.left.address }, short(term.left.value, 4)),
      h("td", null, "×"),
      h("td", { title: term.right.address }, short(term.right.value, 4)),
      h("td", null, "="),
      h("td", null, short(term.product, 4)),
    ),
  );
  const more =
    terms.length > FIRST + 1 &&
    button(
      `${t("All products")} (${terms.length})`,
      () => {
        rows.forEach((row) => {
          row.hidden = false;
        });
        rows.at(-1).nextSibling.remove();
        more.remove();
      },
      { class: "small" },
    );
  return h(
    "div",
    { class: "worked" },
    h(
      "p",
      { class: "big" },
      h("code", null, found.address),
      " = ",
      h(
        "b",
        { class: found.byHand ? "value by-hand" : "value", "data-address": found.address, "data-value": exact(shown) },
        full(shown),
      ),
      " ",
      canBeSet(found.address) && editButton(trace, found.address, { class: "small" }),
    ),
    found.formula,
    terms.length > 0 &&
      h(
        "table",
        { class: "products" },
        h("caption", null, link(vectorOf(terms, "left")), " · ", link(vectorOf(terms, "right"))),
        h("tbody", null, rows, more && h("tr", null, h("td", null, "…"))),
      ),
    more,
    table?.length > 0 &&
      h(
        "table",
        { class: "products" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["", "s", "exp(s − max)", "÷ Σ"].map((one) => h("th", { scope: "col" }, one)),
          ),
        ),
        h(
          "tbody",
          null,
          table.map((term) =>
            h(
              "tr",
              { class: term.chosen ? "chosen" : null },
              h("th", { scope: "row", lang: language(term.label ?? "") }, term.label ?? ""),
              h("td", null, short(term.left.value, 4)),
              h("td", null, short(term.right.value, 4)),
              h("td", null, short(term.product, 5)),
            ),
          ),
        ),
      ),
    h(
      "dl",
      { class: "lines" },
      lines.map(([name, value, address]) => [
        h("dt", null, name),
        h("dd", null, Number.isInteger(value) ? String(value) : short(value, 6), " ", link(address)),
      ]),
    ),
    found.byHand ? setByHand(result) : badge(ok, result, delta),
  );
}

const vectorOf = (terms, side) => terms[0][side].address?.replace(/,?\d+\]$/, "]").replace("[]", "");

/** Instead of the ✓: nobody computed it, though it could have been. */
function setByHand(result) {
  const computed = result === null ? "" : `; ${t("worked out from what goes into it, it would be")} ${short(result, 7)}`;
  return h("p", { class: "badge by-hand", role: "status", "data-would-be": result }, `✎ ${t("set by hand")}${computed}`);
}

export function badge(ok, result, delta) {
  if (ok === null) return h("p", { class: "badge none" }, t("A weight or a measurement: nothing to work out again."));
  const words = ok ? `✓ ${t("worked out again in this browser")}` : `✗ ${t("differs")}`;
  return h(
    "p",
    { class: `badge ${ok ? "right" : "wrong"}`, "data-delta": delta, role: "status" },
    words,
    ": ",
    short(result, 7),
    `, |Δ| = ${delta.toExponential(1)}`,
  );
}
