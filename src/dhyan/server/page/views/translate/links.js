// Which word comes from which, of one sentence at a time: that which is looked at.

import { post } from "../../parts/api.js";
import { fill, h, thing } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";
import { spoken } from "./languages.js";
import { Ribbon } from "./ribbon.js";

export const MOST_LINKED = 600; // characters of a sentence whose words are linked

export class Links {
  #drawn = ""; // which sentence

  constructor(model) {
    this.model = model;
    const title = t("Which word comes from which");
    this.element = h("section", { class: "linked", hidden: true, ...thing("links", title) });
  }

  /** Bring out the links of a word of the translation, if its sentence is drawn; of none: all as they were. */
  point(number = -1, prefix = "") {
    const ribbon = /** @type {Ribbon | null} */ (this.element.querySelector("dhyan-ribbon"));
    if (!ribbon || (number >= 0 && !this.#drawn.startsWith(`${number} `))) return;
    if (number < 0) ribbon.point();
    else ribbon.point("target", prefix.split(/\s+/).filter(Boolean).length);
  }

  clear() {
    this.#drawn = "";
    this.element.hidden = true;
    fill(this.element);
  }

  /** opened: where the sentence can be looked into, if it can and nothing else leads there. */
  async show(number, sentence, language, signal, opened = "") {
    const wanted = `${number} ${sentence?.text}`;
    if (wanted === this.#drawn || !sentence?.text || sentence.source.length > MOST_LINKED) return;
    if (sentence.source === sentence.text) return; // nothing was translated
    this.#drawn = wanted;
    const { source, text: target } = sentence;
    const aligned = await post("align", { source, target, model: this.model.name }, signal).catch((problem) => {
      if (this.#drawn === wanted) this.#drawn = "";
      throw problem;
    });
    if (signal.aborted || this.#drawn !== wanted) return;
    this.element.hidden = false;
    const ribbon = /** @type {Ribbon} */ (document.createElement("dhyan-ribbon"));
    fill(
      this.element,
      h("h2", null, t("Which word comes from which")),
      h(
        "p",
        { class: "muted" },
        t("Point at a word. This is the mean of all cross-attention heads; Look inside shows each."),
      ),
      ribbon,
      opened && h("p", null, h("a", { class: "button", href: opened }, t("Open this sentence up"))),
    );
    ribbon.show(aligned, { source: spoken(this.model.languages?.[0], source), target: language });
  }
}
