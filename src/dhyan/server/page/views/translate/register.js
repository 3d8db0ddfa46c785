// How the reader is addressed, and who speaks: Hindi has to choose.

import { h, select } from "../../parts/dom.js";
import { key, t } from "../../parts/i18n.js";
import { go, state } from "../../parts/url-state.js";

const FORMALITIES = { "": key("As it comes"), formal: key("Formal"), informal: key("Informal") };
const GENDERS = { "": key("As it comes"), feminine: key("Feminine"), masculine: key("Masculine") };

export function register() {
  const choice = (label, name, options) =>
    select(
      label,
      Object.entries(options).map(([value, text]) => [value, t(text)]),
      state[name] ?? "",
      (value) => go({ [name]: value, said: "" }),
    );
  return h(
    "details",
    { class: "register", open: Boolean(state.formality || state.gender) },
    h("summary", null, t("Form of address")),
    h(
      "div",
      { class: "row" },
      choice(t("The reader"), "formality", FORMALITIES),
      choice(t("The speaker"), "gender", GENDERS),
    ),
  );
}
