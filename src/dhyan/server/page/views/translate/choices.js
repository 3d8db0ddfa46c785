// Other words at a place of the translation: choosing one forces it, and the rest of the sentence follows.

import { Problem } from "../../parts/api.js";
import { fill, h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

export const asScore = (score) => score.toFixed(2).replace("-", "−");

export class Choices {
  #stop = new AbortController();
  #word = null;

  /** ask(sentence number, prefix, signal): the continuations. take(number, prefix, continuation): one was chosen. */
  constructor(ask, take) {
    this.ask = ask;
    this.take = take;
    this.element = h("div", {
      class: "choices",
      role: "dialog",
      "aria-label": t("Other words here"),
      hidden: true,
      onkeydown: (event) => this.#key(event),
    });
    this.leave = (event) => {
      if (!this.element.contains(event.target)) this.close(false);
    };
  }

  async open(word, number, prefix) {
    this.close(false);
    this.#word = word;
    const { signal } = (this.#stop = new AbortController());
    word.classList.add("open");
    fill(this.element, h("p", { class: "muted", role: "status" }, "…"));
    this.element.hidden = false;
    this.#place();
    document.addEventListener("pointerdown", this.leave);
    try {
      const found = await this.ask(number, prefix, signal);
      if (!signal.aborted) this.#show(found, number, prefix, word.textContent);
    } catch (problem) {
      if (problem.name === "AbortError" || signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      fill(this.element, h("p", { role: "status" }, problem.message));
    }
  }

  close(back = true) {
    this.#stop.abort();
    document.removeEventListener("pointerdown", this.leave);
    this.element.hidden = true;
    this.#word?.classList.remove("open");
    if (back && this.#word?.isConnected) this.#word.focus();
    this.#word = null;
  }

  #show(found, number, prefix, word) {
    const choice = (one) =>
      h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            "aria-current": one.word === word ? "true" : null,
            onclick: () => {
              this.close();
              this.take(number, prefix, one);
            },
          },
          h("b", null, one.word),
          h(
            "span",
            { class: "rest muted" },
            one.text.slice(prefix.trimEnd().length).trimStart().slice(one.word.length),
          ),
          h("small", { "data-value": one.score }, asScore(one.score)),
        ),
      );
    fill(
      this.element,
      h("p", { class: "label" }, t("Other words here")),
      found.length
        ? h("ul", null, found.map(choice))
        : h("p", { role: "status" }, t("There is no other word that the model would say here.")),
      found.length > 0 &&
        h("p", { class: "muted" }, h("small", null, t("log-probability per token; nearer to 0 is surer"))),
    );
    this.#place();
    /** @type {HTMLElement | null} */ (this.element.querySelector("button"))?.focus({ preventScroll: true });
  }

  /** Below the word, within its sheet. */
  #place() {
    const sheet = this.element.offsetParent;
    if (!sheet || !this.#word) return;
    const [word, box] = [this.#word.getBoundingClientRect(), sheet.getBoundingClientRect()];
    const left = Math.max(8, Math.min(word.left - box.left, box.width - this.element.offsetWidth - 8));
    this.element.style.setProperty("left", `${left}px`);
    this.element.style.setProperty("top", `${word.bottom - box.top + 4}px`);
  }

  #key(event) {
    const all = [...this.element.querySelectorAll("button")];
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.close();
    else if (step) all[(at + step + all.length) % all.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
