// What stands beside a translation: an offer to read the text as another language, notes, other ways to say it.

import { button, h } from "../../parts/dom.js";
import { chosenLanguage, filled, said, t } from "../../parts/i18n.js";
import { asScore } from "./choices.js";
import { languageName } from "./languages.js";
import { isDoubtful, percent } from "./result.js";

const MOST_NOTED = 20; // sentences

/** The text looks like another language that is served: one press, and it is read as that. */
export function switchOffer(detected, other, change) {
  return h(
    "p",
    { class: "switch-offer" },
    `${filled(t("This looks like {language}."), { language: languageName(detected.language) })} `,
    button(filled(t("Translate from {language}"), { language: languageName(other.languages[0]) }), change),
  );
}

/** A line for each sentence that calls for a look. point(number, on): shows which one it is about. */
export function noteList(sentences, language, point) {
  const doubtful = sentences.map((one, number) => [one, number]).filter(([one]) => isDoubtful(one));
  const line = ([one, number]) =>
    h(
      "li",
      {
        tabindex: "0",
        onpointerenter: () => point(number, true),
        onpointerleave: () => point(number, false),
        onfocus: () => point(number, true),
        onblur: () => point(number, false),
      },
      sentences.length > 1 && [h("q", { lang: language }, shortened(one.source)), " "],
      one.notes.length > 0
        ? h("span", null, one.notes.map(inLanguage).flatMap((note, at) => [at ? "; " : "", note]))
        : `${t("the model is not sure of this")}: ${t("Confidence")} ${percent(one.confidence)}`,
    );
  return doubtful.length > 0 && h("ul", null, doubtful.slice(0, MOST_NOTED).map(line));
}

/** A note in the reader's language, or in English where it is not known. */
function inLanguage(note) {
  const text = said(note);
  return h("span", { lang: text === note ? "en" : chosenLanguage() }, text);
}

export function chosenWords(undo) {
  return h(
    "p",
    null,
    `${t("Words that you chose are kept; the model said the rest.")} `,
    button(t("Back to the model's own words"), undo, { class: "link" }),
  );
}

/** Whole translations that the search found, too: by the score that is shown, which is that of the words one can choose. */
export function otherWays(alternatives, language) {
  const scale = { scope: "col", title: t("log-probability per token; nearer to 0 is surer") };
  const row = (one) =>
    h("tr", null, h("td", { lang: language }, one.text), h("td", { "data-value": one.score }, asScore(one.score)));
  return [
    h("h2", null, t("Other ways to say it")),
    h(
      "table",
      null,
      h("thead", null, h("tr", null, h("td"), h("th", scale, t("log-probability per token")))),
      h("tbody", null, alternatives.toSorted((one, other) => other.score - one.score).map(row)),
    ),
  ];
}

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text);
