// Follow one token: from the text to the next token and round again. Each card, which the server names, has its
// formula, the formula with its numbers, the shapes, the lines of code that do it, and the ✓.

import { get } from "../parts/api.js";
import { FoldedFlow } from "../parts/flow/folded.js";
import { exampleFor } from "../parts/examples.js";
import { Consequence } from "../parts/consequence.js";
import { TraceView } from "../parts/trace-view.js";
import { fill, h, refill, button, thing } from "../parts/dom.js";
import { keepWithin } from "../parts/limits.js";
import { comparing } from "../parts/sides.js";
import { go } from "../parts/url-state.js";
import { t } from "../parts/i18n.js";
import { oneNumber } from "../parts/number.js";
import { cardBody, walk } from "./follow/card.js";
import { placeIn, sizesOf, whereToGo } from "./follow/where.js";
import { contents, hereOnThePicture } from "./follow/you-are-here.js";

const PROMPT = "To be, or not to";

export class Follow extends TraceView {
  constructor(container, model, known) {
    const box = h("input", { id: "sentence", type: "text", autocomplete: "off", spellcheck: "false" });
    super(container, model, known, box, model.shape === "decoder" ? PROMPT : exampleFor(model));
    this.where = h("div", { class: "row unpresented" });
    this.picture = h("nav", { class: "here-picture", "aria-label": t("You are here") });
    this.progress = h("div", { class: "row progress", role: "group", "aria-label": t("Cards") });
    this.list = h("nav", { class: "contents cards", "aria-label": t("Cards") });
    this.card = h("article", { class: "card", ...thing("card", t("Card")) });
    this.flow = new FoldedFlow({ number: (at) => ({ at }) });
    this.consequence = new Consequence();
    this.before = {}; // the state that was shown
    this.unfolded = new Set(); // groups of cards that the reader has opened
    const label = t(model.shape === "decoder" ? "Prompt" : "Sentence");
    const empty = t("The box is empty: write a sentence.");
    fill(
      container,
      h("h1", null, t("Follow one token")),
      this.askForm({ label, empty }, { token: "", card: "" }),
      this.problem,
      this.where,
      this.flow.element,
      h(
        "div",
        { class: "walk follow-walk" },
        h("div", { class: "way" }, this.picture, this.list),
        h("div", null, this.progress, this.card),
      ),
      this.consequence.element,
    );
    document.onkeydown = (event) => {
      if (this.flow.key(event)) return;
      if (/** @type {Element} */ (event.target).matches("input, textarea, select, canvas")) return;
      if (event.key === "ArrowRight") this.turn(1);
      if (event.key === "ArrowLeft") this.turn(-1);
    };
  }

  // for whoever presents: a key on, a key back
  next() {
    this.turn(1);
  }

  previous() {
    this.turn(-1);
  }

  leave() {
    this.flow.leave();
  }

  turn(by) {
    if (!this.cards) return;
    const last = this.cards.length - 1;
    if (this.number + by > last) {
      // round again: the next token
      if (this.nextStep !== null) go({ step: String(this.nextStep), card: "0", at: "" });
      return;
    }
    go({ card: String(Math.max(0, this.number + by)), at: "" }, true);
  }

  async draw(current) {
    const { state } = this;
    const place = placeIn(this.trace, state);
    const cards = await walk(this.trace, place);
    const code = await get("code");
    if (!current()) return;
    const before = this.number;
    this.cards = cards;
    keepWithin({ card: cards.length }, state, this.before);
    this.before = { ...state };
    this.number = Math.min(cards.length - 1, Math.max(0, Number(state.card ?? 0)));
    const turned = before !== this.number; // a card begins at its top
    refill(
      this.where,
      whereToGo(this.trace, place),
      h("a", { href: comparing(state, this.model, "cards"), "data-key": "compare" }, t("Compare with…")),
    );
    this.consequence.show(this.trace, state);
    const large = this.flow.show(this.trace, { ...state, step: place.step });
    refill(this.picture, hereOnThePicture(this.trace, cards, this.number));
    refill(this.list, contents(cards, this.number, this.unfolded));
    this.drawProgress();
    const item = this.list.querySelector("li [aria-current]").parentElement;
    if (!isWithin(item, this.list))
      this.list.scrollTop += item.getBoundingClientRect().top - this.list.getBoundingClientRect().top - 60;
    const [drawn] = await Promise.all([this.drawn(cards[this.number], code), large]);
    if (!current()) return;
    refill(this.card, drawn);
    if (this.card.getBoundingClientRect().top < 0 && turned) this.card.parentElement.scrollIntoView();
  }

  sizes(trace) {
    return sizesOf(trace);
  }

  get more() {
    return this.number < this.cards.length - 1 || this.nextStep !== null;
  }

  /** The step that is next when all cards of this one are read; null after the last. */
  get nextStep() {
    const next = Number(this.state.step ?? 0) + 1;
    return this.trace.hasDecoder && next < this.trace.steps.length ? next : null;
  }

  drawProgress() {
    const [card, all] = [this.number + 1, this.cards.length];
    refill(
      this.progress,
      button("←", () => this.turn(-1), {
        "aria-label": t("Previous card"),
        disabled: card === 1,
        "data-key": "top-back",
      }),
      h("output", { class: "count" }, `${t("Card")} ${card} / ${all}`),
      button("→", () => this.turn(1), {
        "aria-label": t("Next card"),
        disabled: !this.more,
        "data-key": "top-next",
      }),
      h("progress", { max: all, value: card, "aria-label": t("How far along the walk") }),
    );
  }

  async drawn(card, code) {
    const { trace } = this;
    if (this.state.at)
      return [
        button(`← ${t("Back to the card")}`, () => go({ at: "" }), { "data-key": "card" }),
        await oneNumber(trace, this.state),
      ];
    const last = this.number === this.cards.length - 1;
    const pick = (at) => go({ ...(trace.hasCross ? { view: "bench", zoom: "number" } : {}), at });
    const parts = [h("h2", null, `${this.number + 1}. ${card.title}`), ...(await cardBody(trace, card, code, pick))];
    parts.push(
      h(
        "div",
        { class: "row" },
        button(`← ${t("Back")}`, () => this.turn(-1), { disabled: this.number === 0, "data-key": "back" }),
        button(last ? `↻ ${t("Round again")}` : `${t("Next")} →`, () => this.turn(1), {
          class: "strong",
          disabled: !this.more,
          "data-key": "next",
        }),
      ),
    );
    return parts;
  }
}

function isWithin(inside, outside) {
  const [inner, outer] = [inside.getBoundingClientRect(), outside.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}
