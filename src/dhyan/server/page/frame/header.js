// The header: the name, the views, and the settings: pack, language, colours.

import { bringIntoView, button, h, roving, select } from "../parts/dom.js";
import { chosenLanguage, key, t } from "../parts/i18n.js";
import { storedPacks } from "./stored-packs.js";

export const THEMES = { auto: key("Like the system"), light: key("Light"), dark: key("Dark") };
const LANGUAGES = [
  ["en", "English"],
  ["hi", "हिन्दी"],
];

/**
 * views: [name, title, link]; packs: those that fit the view. `choose` is told what is chosen, `prepare` which view is
 * pointed at: it can be fetched before it is pressed.
 */
export function header({ home, views, view, packs, pack, theme, choose, prepare }) {
  const nav = roving(
    h(
      "nav",
      { "aria-label": t("Views") },
      views.map(([name, title, href]) =>
        h(
          "a",
          {
            href,
            "data-view": name,
            "data-key": `view-${name}`,
            "aria-current": name === view ? "page" : null,
            onpointerenter: () => prepare(name),
          },
          title,
        ),
      ),
    ),
  );
  const settings = h(
    "div",
    { class: "settings", id: "settings", popover: "auto" },
    packs.length > 0 &&
      select(
        t("Pack"),
        packs.map((one) => [one.name, one.name]),
        pack,
        choose.pack,
        { "data-key": "pack" },
      ),
    select(t("Language"), LANGUAGES, chosenLanguage(), choose.language, { "data-key": "language" }),
    select(
      t("Colours"),
      Object.entries(THEMES).map(([name, title]) => [name, t(title)]),
      theme,
      choose.theme,
      { "data-key": "theme" },
    ),
    button("⛶", choose.present, {
      "aria-label": t("Present"),
      title: `${t("Present")} (p)`,
      class: "icon",
      "data-key": "present",
    }),
    button("?", choose.help, { "aria-label": t("Keys"), title: `${t("Keys")} (?)`, class: "icon", "data-key": "help" }),
    storedPacks(),
  );
  return h(
    "header",
    null,
    h(
      "a",
      { class: "name", href: home, lang: "hi", "aria-label": "Dhyan", "data-key": "home" },
      h("b", null, "ध्यान"),
      h("span", { lang: "en" }, "Dhyan"),
    ),
    nav,
    h(
      "button",
      {
        type: "button",
        class: "icon opens-settings",
        popovertarget: "settings",
        "aria-label": t("Settings"),
        "data-key": "settings",
      },
      "⚙",
    ),
    settings,
  );
}

/** The view that is shown is seen in the row, however narrow it is. */
export function showChosen() {
  const nav = document.querySelector("header nav");
  const here = nav.querySelector("[aria-current]");
  if (here) bringIntoView(here, nav, 32); // the edge of a narrow row fades
}
