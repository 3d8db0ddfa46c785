// Whose colour says what: the difference has the colour of the side that has more.

import { h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

export const legend = () =>
  h(
    "span",
    { class: "legend" },
    h("span", { class: "colour a", "aria-hidden": "true" }),
    t("A has more"),
    h("span", { class: "colour b", "aria-hidden": "true" }),
    t("B has more"),
  );
