// Skip links: to the content, and to every thing in it. They are seen while the keyboard is on them.

import { fill, h } from "../parts/dom.js";
import { t } from "../parts/i18n.js";
import { things } from "./presenter.js";

export function skipLinks() {
  const list = h("nav", { class: "skips", "aria-label": t("Skip") });
  const link = (title, target) =>
    h(
      "a",
      {
        class: "skip",
        href: "#main",
        onclick: (event) => {
          event.preventDefault(); // the hash is the page's state
          target().focus();
        },
      },
      title,
    );
  const first = link(t("To the content"), () => document.getElementById("main"));
  // What a view holds changes; the links are made when the keyboard comes.
  first.addEventListener("focus", () => {
    while (first.nextSibling) first.nextSibling.remove();
    list.append(
      ...things().map((element) => link(`→ ${element.ariaLabel}`, () => element)),
    );
  });
  return fill(list, first);
}
