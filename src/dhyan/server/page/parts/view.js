// What all views share: an element to fill, a pack, and care that a late answer never overwrites a newer one.
//
// A view is made with its container, its pack and what the server has; `update(state, before)` shows a state. It may have
//   next(), previous()   one step on, one back: in presenter mode → ← Space PageDown PageUp do that
//   leave()              another view comes: stop what runs
//   static whole         parameters of a link that are whole numbers
//   static positive      parameters of a link that are numbers above 0
//   static choices       parameters of a link that are one of a few words: { zoom: ["atlas", …] }
//   static patterns      parameters of a link that are written in a way of their own: { open: [how, an example] }
// What is wrong in a link is said by the frame and left out before the view sees it.
// An element with `...thing(name, title)` (dom.js) is a thing of its own: a skip link leads to it, and presenter mode shows
// one thing at a time. What has the class `unpresented` is not seen there.

import { Problem } from "./api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

export class View {
  static whole = ["step", "card", "token", "layer", "head", "column", "beam", "max_length", "sentence"];
  /** @type {string[]} */
  static positive = [];
  /** @type {Record<string, string[]>} */
  static choices = {};
  /** @type {Record<string, [RegExp, string]>} */
  static patterns = {};

  #turn = 0;

  constructor(container, model, known) {
    this.container = container;
    this.model = model;
    this.known = known;
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
  }

  /** One line about what went wrong, or (`good`) right; none to put it away. */
  tell(message = "", good = false) {
    this.problem.classList.toggle("good", good);
    this.problem.textContent = message;
    this.problem.hidden = !message;
  }

  /** Do something that takes a while; if something newer starts meanwhile, `current()` says so. */
  async working(element, work) {
    this.#turn += 1;
    const turn = this.#turn;
    const current = () => turn === this.#turn && this.problem.isConnected;
    this.tell();
    element.setAttribute("aria-busy", "true");
    element.dataset.busy = t("Computing…"); // is seen where it takes a while
    try {
      await work(current);
    } catch (problem) {
      if (problem.name === "AbortError" || !current()) return;
      if (!(problem instanceof Problem)) throw problem;
      this.tell(problem.message);
    } finally {
      if (turn === this.#turn) element.removeAttribute("aria-busy");
    }
  }
}
