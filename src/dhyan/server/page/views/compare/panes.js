// Two runs beside each other (on a telephone, below each other), and what they have between them.

import { h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

export const NAMES = ["● A", "■ B"];

/** sides: what is drawn of A and of B. */
export const panes = (sides) =>
  h(
    "div",
    { class: "panes" },
    sides.map((one, side) =>
      h(
        "section",
        { class: `pane side-${"ab"[side]}`, "aria-label": "AB"[side], "data-pane": "ab"[side] },
        h("b", { class: "side-name" }, NAMES[side]),
        one,
      ),
    ),
  );

/** What lies between the two: B − A, or why there is none. */
export const between = (...inside) =>
  h("section", { class: "apart", "aria-label": t("The difference") }, h("h3", null, "B − A"), inside);

export const absent = (sentence) => h("p", { class: "muted why" }, sentence);
