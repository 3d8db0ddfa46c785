// The flow picture on a stage: with its controls, ▶, and what a block holds, opened where it was pressed. The URL says all
// of it: open (layers shown in full), head, token (pointed out), step, peek (the address that is opened).

import { parse } from "../address.js";
import { button, h, refill, select } from "../dom.js";
import { t } from "../i18n.js";
import { Play } from "../play.js";
import { forcing } from "../tape.js";
import { go, hash, state as url } from "../url-state.js";
import { inUrl, openLayers } from "./open-layers.js";
import { Peek } from "./peek.js";
import { FlowPicture } from "./picture.js";
import { openedBy } from "./plan.js";
import { Playing } from "./playing.js";

/** Whose attention the ribbons show: one of so many heads, or the mean of all. */
export const thickness = (heads, head) =>
  select(
    t("Thickness"),
    [["", t("mean of all heads")], ...Array.from({ length: heads }, (_, number) => [number, `h${number}`])],
    head ?? "",
    (one) => go({ head: one }, true),
    { "data-key": "flow-head" },
  );

export const howToRead = () =>
  t(
    "A ribbon is a token. It is put together from slices of those that it looks at: as wide as their attention. Press a block for its numbers.",
  );

export class FlowStage {
  /** number(address), matrices(address): what the URL becomes to see one number, or all matrices of a block.
   * together: it stands beside another one, and what both have in common is chosen elsewhere. */
  constructor({ number, matrices, together = false }) {
    this.number = number;
    this.matrices = matrices;
    this.controls = h("div", { class: "row" });
    this.picture = new FlowPicture({
      link: (row) => this.#link(row),
      candidate: (step, guess) => this.#candidate(step, guess),
      pick: (address) => go(this.number(address)),
      point: (token) => this.#point(token),
      tell: (words) => (this.words.textContent = words || this.hint),
      fits: together,
    });
    this.playing = new Playing(this.picture, { turn: (step) => together || go({ step: String(step) }, true) });
    this.play = new Play(this.playing);
    this.peek = new Peek({
      close: () => go({ peek: "" }),
      look: (address) => go({ peek: address }, true),
      number: (address) => go(this.number(address)),
      matrices: matrices && ((address) => hash({ ...url, ...matrices(address) })),
    });
    this.picture.sheet.append(this.peek.element);
    this.hint = together ? "" : howToRead();
    this.words = h("p", { class: "muted flow-words" }, this.hint);
    const named = (name) => ({ "aria-label": name, title: name });
    const tools = h(
      "div",
      { class: "row flow-tools" },
      button("SVG", () => this.picture.export("flow.svg", this.#caption), named(t("Save the picture as SVG"))),
      button("⛶", () => this.#fullScreen(), named(t("Full screen"))),
    );
    this.bar = h("div", { class: "row" }, !together && [this.play.controls, this.controls], tools);
    this.element = h("div", { class: "flow-stage" }, this.bar, this.words, this.picture.element);
  }

  async show(trace, state) {
    const another = trace !== this.trace || state.step !== this.play.step;
    if (this.play.playing && another) this.play.pause(); // somebody else steps
    this.trace = trace;
    this.play.controls.hidden = !trace.hasDecoder;
    const asked = state.head === undefined || state.head === "" ? null : Number(state.head);
    const head = asked === null ? null : Math.min(trace.architecture.heads - 1, asked);
    this.#drawControls(head);
    await this.picture.show({
      trace,
      step: state.step,
      head,
      open: openLayers(trace, state.open),
      here: state.peek ?? null,
      token: state.token ? `enc:${Number(state.token)}` : null,
    });
    await this.peek.show(trace, state.peek, this.picture);
    return this.element;
  }

  #drawControls(head) {
    refill(this.controls, thickness(this.trace.architecture.heads, head));
  }

  get #caption() {
    const { info, steps, model } = this.trace;
    const step = steps[this.picture.step];
    const head = url.head ? `h${url.head}` : t("mean of all heads");
    const written = step ? ` · ${t("Step")} ${step.step + 1} → ${step.chosen.text}` : "";
    return `Dhyan · ${model.name} · ${info.asked}${written} · ${head}`;
  }

  #fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.element.requestFullscreen();
  }

  /** A layer is unfolded or folded up; a block is opened where it is. */
  #link(row) {
    const open = openLayers(this.trace, url.open);
    if (row.close) return hash({ ...url, open: inUrl({ ...open, [row.stack]: null }) });
    if (row.kind === "closed") return hash({ ...url, open: inUrl({ ...open, [row.stack]: row.layer }) });
    const head = Number(url.head || parse(url.peek ?? "").head || 0);
    return hash({ ...url, peek: ["norm", "add", "both"].includes(row.kind) ? row.at : openedBy(row.id, head) });
  }

  #candidate(step, guess) {
    const here = this.trace.atStep(step.step);
    if (guess.id === step.chosen.id) return hash({ ...url, ...here, ...this.number(guess.address) });
    const force = forcing(this.trace.question.force ?? [], step.step, guess.id);
    return hash({ ...url, ...here, ...this.trace.asking({ force }) });
  }

  #point(token) {
    const [stack, number] = token.split(":");
    if (stack === "enc") return go({ token: url.token === number ? "" : number }, true);
    const last = this.trace.steps.length - 1;
    return go(this.trace.atStep(Math.max(0, Math.min(last, Number(number) - this.trace.firstRow))), true);
  }
}
