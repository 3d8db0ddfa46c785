// Follow one token: from the text to the next token and round again. Each card, which the server names, has its
// formula, the formula with its numbers, the shapes, the lines of code that do it, and the ✓.

import { get } from "../parts/api.js";
import { FoldedFlow } from "../parts/flow/folded.js";
import { exampleFor } from "../parts/examples.js";
import { Consequence } from "../parts/consequence.js";
import { TraceView } from "../parts/trace-view.js";
import { fill, h, language, refill, select, button, thing } from "../parts/dom.js";
import { recompute } from "../parts/recompute.js";
import { go } from "../parts/url-state.js";
import { t } from "../parts/i18n.js";
import { oneNumber, worked } from "../parts/number.js";
import { panel } from "../parts/panel.js";
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
    const cards = await walk(this.trace, this.at(state));
    const code = await get("code");
    if (!current()) return;
    const before = this.number;
    this.cards = cards;
    this.number = Math.min(cards.length - 1, Math.max(0, Number(state.card ?? 0)));
    const turned = before !== this.number; // a card begins at its top
    this.drawWhere();
    this.consequence.show(this.trace, state);
    const large = this.flow.show(this.trace, { ...state, step: this.at(state).step });
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

  at(state) {
    const most = (value, size) => Math.min(Math.max(0, size - 1), Math.max(0, Number(value ?? 0)));
    const { trace } = this,
      a = trace.architecture;
    return {
      token: most(state.token, trace.info.source.tokens.length),
      head: most(state.head, a.heads),
      step: most(state.step, trace.steps.length),
      layer: most(
        state.layer,
        Math.max(trace.hasEncoder ? a.encoder_layers : 0, trace.hasDecoder ? a.decoder_layers : 0),
      ),
      column: most(state.column, a.d_model / a.heads),
    };
  }

  drawWhere() {
    const { trace } = this,
      a = trace.architecture,
      at = this.at(this.state);
    const numbered = (size) => Array.from({ length: size }, (_, number) => [number, String(number)]);
    refill(
      this.where,
      trace.hasEncoder &&
        select(
          t("Token"),
          trace.info.source.tokens.map((token, number) => [number, `${number} ${token.text}`]),
          at.token,
          (token) => go({ token }),
          { "data-key": "token" },
        ),
      trace.hasDecoder &&
        select(
          t("Step"),
          trace.steps.map((step) => [step.step, `${step.step + 1} → ${step.chosen.text}`]),
          at.step,
          (step) => go({ step }),
          { "data-key": "step" },
        ),
      select(
        t("Layer"),
        numbered(Math.max(trace.hasEncoder ? a.encoder_layers : 0, trace.hasDecoder ? a.decoder_layers : 0)),
        at.layer,
        (layer) => go({ layer }),
        { "data-key": "layer" },
      ),
      select(t("Head"), numbered(a.heads), at.head, (head) => go({ head }), { "data-key": "head" }),
      select(t("Component"), numbered(a.d_model / a.heads), at.column, (column) => go({ column }), {
        "data-key": "column",
      }),
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
    const parts = [h("h2", null, `${this.number + 1}. ${card.title}`), card.note && h("p", null, card.note)];
    if (card.tokens) parts.push(piecesTable(trace.info[card.tokens], card.token));
    if (card.step !== null)
      parts.push(
        h(
          "p",
          { class: "words big" },
          trace.steps.map((step) => [
            h(
              "span",
              {
                class: "chip",
                lang: language(step.chosen.text),
                "aria-current": step.step === card.step ? "true" : null,
              },
              step.chosen.text,
            ),
            " ",
          ]),
        ),
      );
    if (card.address) {
      parts.push(worked(trace, await recompute(trace, card.address)));
      if (card.shape) parts.push(h("p", { class: "muted" }, t("Shapes"), ": ", card.shape));
      if (card.array) {
        const one = panel(trace, await trace.numbers(card.array));
        one.addEventListener("cell-pick", ({ detail }) =>
          go({ ...(trace.hasCross ? { view: "bench", zoom: "number" } : {}), at: detail.address }),
        );
        parts.push(one);
      }
    }
    if (card.code) parts.push(lines(code[card.code]));
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

/** The cards, in the reader's language. at: token, layer, head, step, column (which component of a vector). */
async function walk(trace, at) {
  const stages = await trace.ask("walk", at);
  return stages.map((stage) => ({
    ...stage,
    title: t(stage.title) + stage.detail,
    note: t(stage.note),
    shape: stage.shape.replace(/{(.*?)}/g, (_, word) => t(word)),
  }));
}

/** Whole words above their pieces: the system shapes them. */
function piecesTable({ tokens, words }, here) {
  return h(
    "div",
    { class: "row pieces" },
    words.map((word) =>
      h(
        "div",
        { class: "word", lang: language(word.text) },
        h("b", null, word.text),
        h(
          "div",
          null,
          tokens
            .slice(word.start, word.end)
            .map((token, index) =>
              h(
                "span",
                { class: "chip", "aria-current": word.start + index === here ? "true" : null },
                token.text,
                " ",
                h("small", { class: "muted" }, String(token.id)),
              ),
            ),
        ),
      ),
    ),
  );
}

function lines(code) {
  return h(
    "details",
    { class: "code" },
    h(
      "summary",
      null,
      t("The code that does it"),
      " ",
      h("span", { class: "muted" }, `${code.file}:${code.line}`),
    ),
    h("pre", { tabindex: "0" }, h("code", null, code.text)),
  );
}
