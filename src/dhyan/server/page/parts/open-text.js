// A text is opened up as a whole; where that is too long, a part of it that can be chosen.

import { Problem } from "./api.js";
import { button, h, language, select } from "./dom.js";
import { partsOf } from "./parts-of-text.js";
import { questionOf, Trace } from "./trace.js";
import { go, unchanged } from "./url-state.js";
import { t } from "./i18n.js";

const TOO_LONG = /\bat most\b/; // how the server refuses a text for its length
const MOST_WHOLE = 2000; // characters: a longer text is not even asked for as a whole
const LONGEST = 500; // characters of a part, at first: what the pack cannot open up is cut again
const SHORTEST = 30;
const SHOWN = 90; // characters of a sentence in the list of them

/** The trace of the text, or of the part of it that is chosen (`sentence`), and all parts. */
export async function openText(state, model, Make = Trace) {
  const isPrompt = model.shape === "decoder"; // which is not cut: the model goes on from the end of it
  let parts = state.text.length > MOST_WHOLE && !isPrompt ? partsOf(state.text, LONGEST) : [state.text];
  for (let longest = LONGEST; ; longest = Math.floor(longest / 2)) {
    const part = Math.min(parts.length - 1, Math.max(0, Math.floor(Number(state.sentence)) || 0));
    try {
      const question = questionOf({ ...state, text: parts[part] }, model);
      return { trace: await Make.open(model, question), parts, part };
    } catch (problem) {
      const isCut = problem instanceof Problem && TOO_LONG.test(problem.sentence) && !isPrompt;
      if (!isCut || longest < SHORTEST) throw problem;
      parts = partsOf(state.text, longest);
    }
  }
}

/** Which of the parts is shown; nothing where there is only one. */
export function chooseSentence(parts, part) {
  if (parts.length < 2) return null;
  const named = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);
  return [
    select(
      t("Too long to be opened up at once; shown is"),
      parts.map((text, number) => [number, `${number + 1}. ${named(text)}`]),
      part,
      (number) => go({ sentence: number, step: "", at: "", ...unchanged() }),
      { "data-key": "sentence", lang: language(parts[part]) },
    ),
    h("span", { class: "muted" }, `${part + 1} / ${parts.length}`),
  ];
}

/** Translate reads short forms of messages spelt out; here the model has read them as they are. Nothing without any. */
export function offerSpeltOut({ info }) {
  const { asked, spelt_out: text } = info;
  if (text === asked) return null;
  return h(
    "p",
    { class: "muted" },
    t("Translate spells short forms out before the model reads them:"),
    " ",
    h("span", { lang: language(text) }, `“${text}”`),
    " ",
    button(t("Open this up instead"), () => go({ text, sentence: "", step: "", at: "", ...unchanged() }), {
      "data-key": "spelt-out",
    }),
  );
}
