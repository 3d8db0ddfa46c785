// A button that copies, and says so where it was pressed.

import { button, h } from "./dom.js";
import { t } from "./i18n.js";

const SHOWN = 1800; // milliseconds

/** text: what to copy, or a promise of it, worked out when the button is pressed. */
export function copyButton(label, text, properties = {}) {
  const said = h("span", { "aria-live": "polite" }, label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      said.textContent = `✓ ${t("Copied")}`;
    } catch (problem) {
      // without https, or where the browser does not allow it, there is no clipboard
      said.textContent = navigator.clipboard ? problem.message : t("Your browser does not let pages copy");
    }
    setTimeout(() => (said.textContent = label), SHOWN);
  };
  return button(said, copy, properties);
}
