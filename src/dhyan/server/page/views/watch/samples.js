// The texts that stay the same: what this checkpoint makes of each, beside what the one before made of it.

import { fill, h, language, thing } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { key, filled, t } from "../../parts/i18n.js";
import { whole } from "./figures.js";
import { wordChanges } from "./word-changes.js";

// objective → the heading, and what a result is called
const SAID = {
  translation: [key("Translations"), key("Reference")],
  classification: [key("Labels"), key("The data says")],
  contrastive: [key("Nearest texts"), key("Means the same")],
  masked: [key("Masked words"), key("It was")],
  "next-token": [key("Continuations"), key("The text goes on")],
};

export class SampleTexts {
  constructor() {
    this.title = h("h2", null, "");
    this.list = h("ol", { class: "watch-texts" });
    this.element = h("section", { class: "card", ...thing("texts", t("Sample texts")) }, this.title, this.list);
  }

  /** now, before: samples of a checkpoint and of the one before it, which may be null. */
  show(objective, now, before) {
    const [title, reference] = SAID[objective] ?? SAID.translation;
    if (this.drawn === `${now.key} ${before?.key}`) return; // somebody may be marking words
    this.drawn = `${now.key} ${before?.key}`;
    this.title.textContent = t(title);
    fill(
      this.list,
      now.results.map((one, index) => item(one, before?.results[index] ?? null, before?.step, t(reference), index)),
    );
  }
}

function item(now, before, step, reference, index) {
  const changes = wordChanges(before?.said ?? now.said, now.said);
  const changed = before !== null && before.said !== now.said;
  const right = now.reference !== "" && now.said.trim() === now.reference.trim();
  const line = (shown, mark, label) =>
    h(
      "p",
      { class: `watch-said ${mark}`, lang: language(shown.map(([, word]) => word).join(" ")) },
      label && h("small", { class: "muted" }, label, " "),
      shown.flatMap(([how, word]) => [how === "same" ? word : h(how === "new" ? "ins" : "del", null, word), " "]),
      !shown.length && h("span", { class: "muted" }, t("(nothing)")),
    );
  const score = [
    ["probability", t("probability")],
    ["cosine", t("cosine")],
  ].find(([name]) => now[name] !== null);
  return h(
    "li",
    { "data-text": index },
    h("p", { class: "watch-given", lang: language(now.text) }, now.text),
    line(
      changes.filter(([how]) => how !== "gone"),
      "now",
      null,
    ),
    score &&
      h(
        "p",
        { class: "watch-score" },
        h("span", { class: "watch-bar", "aria-hidden": "true", style: { "--share": Math.max(0, now[score[0]]) } }),
        " ",
        h(
          "small",
          { "data-address": `results[${index}].${score[0]}`, "data-value": exact(now[score[0]]) },
          `${score[1]} ${short(now[score[0]], 3)}`,
        ),
      ),
    changed &&
      line(
        changes.filter(([how]) => how !== "new"),
        "before",
        filled(t("at step {step}:"), { step: whole(step) }),
      ),
    now.reference &&
      h(
        "p",
        { class: "watch-reference", lang: language(now.reference) },
        h("small", { class: "muted" }, reference, ": "),
        now.reference,
        " ",
        right && h("span", { class: "watch-right", role: "img", "aria-label": t("the same as the reference") }, "✓"),
      ),
  );
}
