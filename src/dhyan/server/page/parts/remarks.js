// What is to be said about a link, above the view that is shown all the same.

import { button, h } from "./dom.js";
import { t } from "./i18n.js";

/** Where remarks stand; empty when another view comes. */
export const remarks = () => h("aside", { class: "remarks", role: "status", "aria-label": t("About the link") });

export function remark(sentences) {
  const put = (sentence) =>
    h(
      "p",
      { class: "problem row tight" },
      sentence,
      button("×", (event) => event.target.closest("p").remove(), { "aria-label": t("Close"), class: "small" }),
    );
  document.querySelector(".remarks").append(...sentences.map(put));
}
