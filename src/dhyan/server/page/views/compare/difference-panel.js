// A matrix of one side, and that of the difference: its colour is that of the side that has more.

import { button, h } from "../../parts/dom.js";
import { filled, t } from "../../parts/i18n.js";
import "../../parts/matrix.js";

/** Why no difference can be drawn. */
export const why = (laid) =>
  filled(t("No difference is drawn: A has {a} numbers, B has {b}, and nothing says which belong together."), {
    a: laid[0].shape.join(" × "),
    b: laid[1].shape.join(" × "),
  });

export function panel(title, side, given) {
  const matrix = /** @type {import("../../parts/matrix.js").Matrix} */ (document.createElement("dhyan-matrix"));
  const table = button(t("Table"), () => table.setAttribute("aria-pressed", String(matrix.toggleTable())), {
    class: "small",
    "aria-pressed": "false",
  });
  queueMicrotask(() => matrix.show(given));
  const shape = given.flat ? given.numbers.shape.slice(1) : given.numbers.shape;
  return Object.assign(
    h(
      "figure",
      { class: `panel ${side}` },
      h(
        "figcaption",
        null,
        h("b", null, title),
        " ",
        h("code", null, given.base),
        " ",
        h("span", { class: "muted" }, shape.join(" × ")),
        " ",
        table,
      ),
      h("div", { class: "matrix" }, matrix),
    ),
    { matrix },
  );
}

/** apart: what `difference` found. flat: a vector, which is a matrix of one row. */
export const differencePanel = (apart, address, flat = false) =>
  panel("B − A", "", {
    numbers: apart.numbers,
    rows: flat ? null : apart.labels[0],
    columns: apart.labels[1],
    base: address,
    flat,
    scale: Math.max(1e-9, ...apart.numbers.data.map((value) => (Number.isFinite(value) ? Math.abs(value) : 0))),
    positive: "second",
    negative: "accent",
  });
