// The checkpoints: a film of the opened head, a slider through all of them, and ▶ that plays them.

import { get } from "../../parts/api.js";
import { bringIntoView, button, fill, h, roving } from "../../parts/dom.js";
import { whenColoursChange } from "../../parts/repaint.js";
import { filled, t } from "../../parts/i18n.js";
import { whole } from "./figures.js";
import { paint } from "./heads.js";

const FRAMES = 24; // of the film: of more checkpoints, so many are shown
const PACE = 700; // milliseconds of a checkpoint

export class Strip {
  #timer = 0;
  playing = false;

  constructor(view) {
    this.view = view;
    this.slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": t("Checkpoint"),
      "data-key": "checkpoint",
      oninput: () => this.view.show(this.steps[Number(this.slider.value)]),
    });
    this.where = h("output", { class: "watch-where" });
    this.film = h("div", { class: "watch-film", role: "group", "aria-label": t("Checkpoints") });
    this.play = button("", () => this.toggle(), { class: "strong", "data-key": "play" });
    this.follow = button(t("Follow the newest"), () => this.view.follow(), { "data-key": "follow" });
    const step = (by, text, title) =>
      button(text, () => this.move(by), { "aria-label": title, title, class: "icon", "data-key": `move${by}` });
    this.element = h(
      "div",
      { class: "card watch-strip" },
      h(
        "div",
        { class: "row" },
        step(-1, "◀", t("the checkpoint before")),
        this.play,
        step(1, "▶", t("the next checkpoint")),
        this.slider,
        this.where,
        this.follow,
      ),
      this.film,
    );
    this.#drawPlay();
  }

  /** steps: those that have samples; here: the one that is shown. */
  show(info, here, head) {
    this.steps = info.checkpoints;
    const at = this.steps.indexOf(here);
    this.slider.max = String(Math.max(0, this.steps.length - 1));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", filled(t("step {step}"), { step: whole(here) }));
    this.where.textContent = filled(t("step {step} · {number} of {count}"), {
      step: whole(here),
      number: at + 1,
      count: this.steps.length,
    });
    this.follow.setAttribute("aria-pressed", String(!this.view.state.checkpoint));
    this.#drawFilm(info, here, head);
  }

  /** One checkpoint on, or back. */
  move(by) {
    const at = this.steps.indexOf(this.view.here);
    const to = this.steps[Math.min(this.steps.length - 1, Math.max(0, at + by))];
    if (to !== undefined) this.view.show(to);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.start();
  }

  start() {
    this.playing = true;
    this.#drawPlay();
    if (this.view.here === this.steps.at(-1)) this.view.show(this.steps[0]);
    this.#timer = window.setInterval(() => this.#tick(), PACE);
  }

  pause() {
    this.playing = false;
    clearInterval(this.#timer);
    this.#drawPlay();
  }

  #tick() {
    if (!this.element.isConnected) return this.pause();
    if (this.view.here === this.steps.at(-1)) {
      this.pause();
      return this.view.follow();
    }
    return this.move(1);
  }

  #drawPlay() {
    fill(this.play, this.playing ? `⏸ ${t("Pause")}` : `▶ ${t("Play")}`);
  }

  /** Of many checkpoints some, the first, the last and the one that is shown among them. */
  #frames(here) {
    const every = Math.ceil(this.steps.length / FRAMES);
    return this.steps.filter((step, index) => index % every === 0 || step === here || index === this.steps.length - 1);
  }

  #drawFilm(info, here, head) {
    const steps = this.#frames(here);
    const drawn = JSON.stringify([info.name, info.began, head, steps]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      fill(
        this.film,
        steps.map((step) => this.#frame(info, step, head)),
      );
    }
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (this.film.children))
      one.setAttribute("aria-pressed", String(Number(one.dataset.step) === here));
    roving(this.film);
    const shown = this.film.querySelector('[aria-pressed="true"]');
    if (shown) bringIntoView(shown, this.film);
  }

  #frame(info, step, head) {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const path = `trainings/${encodeURIComponent(info.name)}/samples/${step}/at/${encodeURIComponent(head)}`;
    get(path, { began: info.began }).then(
      (rows) => {
        const draw = () => paint(canvas, rows.length, rows[0].length, rows.flat());
        draw();
        whenColoursChange(canvas, draw);
      },
      () => null, // it is gone: a resumed training makes it again
    );
    return h(
      "button",
      {
        type: "button",
        class: "watch-frame",
        onclick: () => this.view.show(step),
        "aria-label": filled(t("step {step}"), { step: whole(step) }),
        "data-step": step,
        "data-key": `frame-${step}`,
      },
      canvas,
      h("small", null, whole(step)),
    );
  }
}
