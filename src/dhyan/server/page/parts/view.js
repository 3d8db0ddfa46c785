// What all views share: an element to fill, a pack, and care that a late answer never overwrites a newer one.

import { Problem } from "./api.js";
import { h } from "./dom.js";

export class View {
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
