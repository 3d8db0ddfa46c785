// What became of a claim: a sign and words, so that it reads without colour.

import { h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

const SIGNS = { held: "✓", "held in part": "◐", "did not hold": "✕" };

export const verdictText = (verdict) =>
  ({ held: t("held"), "held in part": t("held in part"), "did not hold": t("did not hold") })[verdict];

export function mark(verdict) {
  const words = `${t("The claim")} ${verdictText(verdict)}`;
  return h("span", { class: "mark", role: "img", "aria-label": words, title: words }, SIGNS[verdict]);
}

export const badge = (verdict) =>
  h(
    "span",
    { class: `badge ${verdict === "held" ? "right" : "wrong"}` },
    `${SIGNS[verdict]} ${t("The claim")} ${verdictText(verdict)}`,
  );
