// The flow picture in a view that has other things to show, too: folded up until it is wanted (`flow=1` in the URL).

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { isFreeForSpace } from "../play.js";
import { go } from "../url-state.js";
import { FlowStage } from "./stage.js";

export class FoldedFlow {
  /** number(address): what the URL becomes to see one number. */
  constructor({ number }) {
    this.stage = new FlowStage({ number, matrices: null });
    this.inside = h("div");
    const press = (event) => {
      event.preventDefault(); // it opens when it is drawn
      go({ flow: this.element.open ? "" : "1" }, true);
    };
    const summary = h(
      "summary",
      { onclick: press, "data-key": "flow" },
      h("b", null, t("Flow")),
      " ▶ ",
      h("span", { class: "muted" }, t("the whole model as one picture, step by step")),
    );
    this.element = /** @type {HTMLDetailsElement} */ (
      h("details", { class: "flow-folded" }, summary, this.inside)
    );
  }

  async show(trace, state) {
    const wanted = state.flow === "1";
    if (!wanted) this.stage.play.pause();
    this.element.open = wanted;
    if (!wanted) return;
    const made = await this.stage.show(trace, state);
    if (this.inside.firstChild !== made) this.inside.replaceChildren(made);
  }

  leave() {
    this.stage.play.pause();
  }

  /** Space plays and pauses; whether it did. */
  key(event) {
    if (event.key !== " " || !this.element.open || !isFreeForSpace(event.target)) return false;
    event.preventDefault();
    this.stage.play.toggle();
    return true;
  }
}
