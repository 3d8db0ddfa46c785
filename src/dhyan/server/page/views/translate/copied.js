// A button that copies, and says so where it was pressed.

import { button, h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

const SHOWN = 1500; // milliseconds

export function copyButton(text, properties = {}) {
  const said = h("span", null, t("Copy"));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.textContent = t("Copied");
    } catch {
      said.textContent = t("Your browser does not allow it");
    }
    setTimeout(() => (said.textContent = t("Copy")), SHOWN);
  };
  said.setAttribute("aria-live", "polite");
  return navigator.clipboard ? button(said, copy, properties) : null;
}
