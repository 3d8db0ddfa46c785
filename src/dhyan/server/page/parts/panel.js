// A figure on the stage: a matrix with its name, its shape, and a table behind a button.

import { h, button } from "./dom.js";
import { canBeSet, setCells } from "./edits.js";
import { editing } from "./editor.js";
import "./matrix.js";
import { Numbers } from "./numbers.js";
import { t } from "./i18n.js";

/** numbers of one or two axes; labels come from the trace. */
export function panel(trace, numbers, { title = "", words = false, wide = false } = {}) {
  const flat = numbers.shape.length === 1;
  const shape = flat ? [1, numbers.shape[0]] : numbers.shape;
  const shown = new Numbers(numbers.address, shape, numbers.axes, numbers.data);
  const labels = (from) => (numbers.axes.at(from) ? trace.labels(numbers.axes.at(from), words, numbers.shape.at(from)) : null);
  const matrix = /** @type {import("./matrix.js").Matrix} */ (document.createElement("dhyan-matrix"));
  const base = numbers.address;
  const table = button(t("Table"), () => table.setAttribute("aria-pressed", String(matrix.toggleTable())), {
    class: "small",
    "aria-pressed": "false",
  });
  const figure = h(
    "figure",
    { class: `panel${wide ? " wide" : ""}`, "data-address": base },
    h(
      "figcaption",
      null,
      h("b", null, title),
      " ",
      h("code", null, base),
      " ",
      h("span", { class: "muted" }, numbers.shape.join(" × ")),
      " ",
      table,
    ),
    h("div", { class: "matrix" }, matrix),
  );
  queueMicrotask(() =>
    matrix.show({
      numbers: shown,
      rows: flat ? null : labels(-2),
      columns: labels(-1),
      base,
      flat,
      isSet: words ? null : setCells(trace, base),
      isEditable: !words && canBeSet(base),
    }),
  );
  matrix.addEventListener("cell-edit", editing(trace));
  return Object.assign(figure, { matrix });
}
