// Translate: a box, the result as one types, other ways to say it, and which word comes from which.

import { post } from "../parts/api.js";
import { button, fill, h, language, later } from "../parts/dom.js";
import { go, hash } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { t } from "../parts/i18n.js";

const WAIT = 120; // milliseconds after the last key
const HERE = ["127.0.0.1", "localhost", "[::1]"];
const MOST_LINKED = 600; // characters of a sentence whose words are linked

export class Translate extends View {
  #asked = null;
  #stop = new AbortController();

  constructor(container, model, known) {
    super(container, model, known);
    this.box = h("textarea", {
      id: "source",
      rows: "5",
      spellcheck: "false",
      placeholder: t("Write here…"),
      oninput: () => this.type(),
    });
    this.result = h("output", { id: "translation", "aria-live": "polite" });
    this.links = h("div", { class: "linked" });
    this.others = h("div", { class: "others" });
    this.notes = h("div", { class: "notes" });
    this.open = h("div", { class: "row" });
    fill(
      container,
      h("h1", null, t("Translate")),
      h(
        "div",
        { class: "two" },
        h("div", { class: "sheet" }, h("label", { for: "source" }, t("Your text")), this.box),
        h("div", { class: "sheet" }, h("span", { class: "label" }, t("Translation")), this.result, this.notes),
      ),
      this.problem,
      this.open,
      this.others,
      this.links,
      h(
        "p",
        { class: "muted" },
        `${model.name}: ${model.about}. `,
        t(
          HERE.includes(location.hostname)
            ? "Everything is computed on this machine; nothing is sent anywhere."
            : "Everything is computed by this server; nothing is sent elsewhere.",
        ),
      ),
    );
    this.type = later(WAIT, () => {
      go({ text: this.box.value }, true);
    });
  }

  update(state) {
    if (this.box.value !== (state.text ?? "") && document.activeElement !== this.box)
      this.box.value = state.text ?? "";
    const asked = (state.text ?? "").trim();
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#stop.abort();
    this.#stop = new AbortController();
    if (!asked) {
      this.tell();
      [this.result, this.links, this.others, this.notes, this.open].forEach((one) => fill(one));
      return;
    }
    this.translate(state.text, this.#stop.signal);
  }

  translate(text, signal) {
    return this.working(this.result, async (current) => {
      const found = await post("translate", { text, model: this.model.name }, signal);
      if (!current()) return;
      this.result.lang = language(found.text);
      fill(this.result, found.text);
      fill(
        this.notes,
        found.notes.map((note) => h("p", { class: "muted" }, note)),
      );
      const sentence = text.trim().length <= MOST_LINKED && !text.trim().includes("\n");
      fill(
        this.open,
        sentence &&
          this.known.explain &&
          h(
            "a",
            { class: "button strong", href: hash({ view: "bench", model: this.model.name, text }) },
            t("Open it up"),
          ),
        navigator.clipboard && button(t("Copy"), () => navigator.clipboard.writeText(found.text)),
        h("span", { class: "muted" }, `${(1000 * found.seconds).toFixed(0)} ms`),
      );
      fill(this.links);
      fill(this.others);
      this.result.removeAttribute("aria-busy"); // the rest comes when it comes
      if (!sentence) return;
      const [more, linked] = await Promise.all([
        post("translate", { text, model: this.model.name, alternatives: 3 }, signal),
        post("align", { source: text, target: found.text, model: this.model.name }, signal),
      ]);
      if (!current()) return;
      this.showOthers(more.alternatives);
      this.showLinks(linked);
    });
  }

  showOthers(alternatives) {
    if (!alternatives.length) return;
    fill(
      this.others,
      h("h2", null, t("Other ways to say it")),
      h(
        "ul",
        null,
        alternatives.map((one) =>
          h(
            "li",
            null,
            h("span", { lang: language(one.text) }, one.text),
            " ",
            h(
              "small",
              { class: "muted", title: t("log-probability per token; nearer to 0 is surer") },
              one.score.toFixed(2).replace("-", "−"),
            ),
          ),
        ),
      ),
    );
  }

  /** Point at a word, and see where it comes from; the numbers are in the Bench. */
  showLinks({ source, target, weights }) {
    const chip = (text, point) =>
      h(
        "button",
        {
          type: "button",
          class: "chip",
          lang: language(text),
          onpointerenter: point,
          onfocus: point,
          onpointerleave: clear,
          onblur: clear,
        },
        text,
      );
    const clear = () =>
      all.forEach((one) => {
        one.style.removeProperty("--strength");
        one.classList.remove("pointed");
      });
    const strength = (chips, values, here) => {
      clear();
      here.classList.add("pointed");
      const most = Math.max(1e-6, ...values);
      chips.forEach((one, index) => one.style.setProperty("--strength", (values[index] / most) ** 1.5));
    };
    const sources = source.map((text, j) =>
      chip(text, () =>
        strength(
          targets,
          target.map((_, i) => weights[i][j]),
          sources[j],
        ),
      ),
    );
    const targets = target.map((text, i) => chip(text, () => strength(sources, weights[i], targets[i])));
    const all = [...sources, ...targets];
    fill(
      this.links,
      h("h2", null, t("Which word comes from which")),
      h(
        "p",
        { class: "muted" },
        t("Point at a word. This is the mean of all cross-attention heads; the Bench shows each."),
      ),
      h("div", { class: "row" }, sources),
      h("div", { class: "row" }, targets),
    );
  }
}
