// The page's start: what this is, shown by a sentence that the server translates there and then, and where to go on.

import { post, Problem } from "../parts/api.js";
import { button, fill, h, thing } from "../parts/dom.js";
import { hash } from "../parts/url-state.js";
import { filled, key, t } from "../parts/i18n.js";
import { EXAMPLES } from "./landing/examples.js";
import { spoken } from "./translate/languages.js";
import { Ribbon } from "./translate/ribbon.js";

const BOTH = key("Texts and documents, in both directions where there are packs for them.");
const TEXTS = key("Texts, in both directions where there are packs for them.");

export class Landing {
  #stop = new AbortController();

  /** open: called with a text to be translated; write: puts the cursor into the box. */
  constructor(model, known, open, write) {
    this.model = model;
    this.examples = EXAMPLES[model.languages?.join("-")] ?? [];
    this.ready = h("section", { class: "ready", hidden: true, ...thing("example", t("An example")) });
    const [first, ...others] = this.examples;
    const door = (title, text, properties) =>
      h("a", { class: "door", ...properties }, h("b", null, title), h("span", null, text));
    this.element = h(
      "div",
      { class: "landing" },
      this.ready,
      others.length > 0 &&
        h(
          "section",
          { "aria-label": t("Try one of these") },
          h("p", { class: "label" }, t("Try one of these")),
          h(
            "div",
            { class: "examples" },
            others.map((text) => button(text, () => open(text), { class: "example", lang: model.languages[0] })),
          ),
        ),
      h(
        "nav",
        { class: "doors", "aria-label": t("Where to go on") },
        door(t("Translate"), t(known.file_suffixes.length ? BOTH : TEXTS), {
          href: "#/translate",
          onclick: (event) => {
            event.preventDefault();
            write();
          },
        }),
        known.explain &&
          door(t("Look inside"), t("Watch the model choose every word, and open any number of it."), {
            href: hash({ view: "bench", model: model.name, text: first }),
          }),
        known.explain &&
          door(t("Learn"), t("How a Transformer works, from words to numbers and back, step by step."), {
            href: "#/learn",
          }),
      ),
    );
  }

  /** Nothing is stored: the example is computed when somebody sees it, and once. */
  async show() {
    this.element.hidden = false;
    const [text] = this.examples;
    if (!text || this.ready.querySelector("dhyan-ribbon")) return;
    this.ready.hidden = false;
    fill(this.ready, h("p", { class: "big", lang: this.model.languages[0] }, text)); // until it is translated
    const { signal } = (this.#stop = new AbortController());
    try {
      const found = await post("translate", { text, model: this.model.name, roman: true }, signal);
      const linked = await post("align", { source: text, target: found.text, model: this.model.name }, signal);
      if (!signal.aborted) this.#draw(found, linked);
    } catch (problem) {
      // The start is there without an example; what is wrong is said when somebody asks for something.
      if (problem.name !== "AbortError" && !(problem instanceof Problem)) throw problem;
      if (!signal.aborted) this.ready.hidden = true;
    }
  }

  hide() {
    this.element.hidden = true;
    this.#stop.abort();
  }

  #draw(found, linked) {
    const [source, target] = this.model.languages;
    const ribbon = /** @type {Ribbon} */ (document.createElement("dhyan-ribbon"));
    fill(
      this.ready,
      ribbon,
      (found.roman ?? found.source_roman) && h("p", { class: "roman" }, found.roman ?? found.source_roman),
      h(
        "p",
        { class: "muted" },
        `${filled(t("Translated just now by {name} in {time} ms."), { name: this.model.name, time: (1000 * found.seconds).toFixed(0) })} `,
        t("The ribbons show where the model looked while it wrote: its attention. Point at a word."),
      ),
    );
    ribbon.show(linked, { source: spoken(source), target: spoken(target) });
  }
}
