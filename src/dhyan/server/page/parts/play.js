// ▶: a clock that runs through the steps at reading speed, each in phases. What a phase looks like is the picture's; where
// less motion is asked for, a step is shown at once and left to be read.

import { button, h, refill, select } from "./dom.js";
import { t } from "./i18n.js";

const SPEEDS = [
  ["0.5", "½×"],
  ["1", "1×"],
  ["2", "2×"],
  ["4", "4×"],
];
const READ = 1600; // milliseconds of a step that does not move

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Play {
  #turn = 0; // of the latest run: an older one sees that it is over
  #timer = 0;

  /**
   * count(): how many steps there are; here(): the one that is shown; shown(): whether anybody can see it.
   * begin(): playing begins; phases(step): [[name, milliseconds], …]; start(step): shows a step before its first phase;
   * phase(name, milliseconds): begins one; rest(): shows all of the step, and nothing moves; turn(step): goes to another.
   */
  constructor(picture) {
    this.picture = picture;
    this.speed = 1;
    this.playing = false;
    this.step = 0;
    this.controls = h("div", { class: "play row", role: "group", "aria-label": t("Play") });
    this.#draw();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** From the step that is shown; after the last, from the first. */
  play() {
    const here = this.picture.here();
    this.playing = true;
    this.#draw();
    this.picture.begin();
    this.#run(here >= this.picture.count() - 1 ? 0 : here);
  }

  pause() {
    if (!this.playing) return;
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.playing = false;
    this.picture.rest();
    this.#draw();
  }

  async #run(from) {
    this.#turn += 1;
    const turn = this.#turn;
    const over = () => turn !== this.#turn || !this.picture.shown();
    for (let step = from; step < this.picture.count(); step += 1) {
      this.step = step;
      const quiet = still.matches;
      await this.picture.start(step, quiet);
      for (const [name, milliseconds] of quiet ? [[null, READ]] : this.picture.phases(step, step === from)) {
        if (over()) break;
        if (name !== null) this.picture.phase(name, milliseconds / this.speed);
        await this.#wait(milliseconds / this.speed);
      }
      if (over()) break;
    }
    if (turn === this.#turn) this.pause();
  }

  #wait(milliseconds) {
    return new Promise((done) => {
      this.#timer = setTimeout(done, milliseconds);
    });
  }

  /** By hand: whatever plays stops. */
  #stepping(text, name, by) {
    const turn = () => {
      this.pause();
      const step = this.picture.here() + by;
      if (step >= 0 && step < this.picture.count()) this.picture.turn(step);
    };
    return button(text, turn, { "aria-label": name, title: name, "data-key": `play-${by}` });
  }

  #draw() {
    refill(
      this.controls,
      button(this.playing ? `⏸ ${t("Pause")}` : `▶ ${t("Play")}`, () => this.toggle(), {
        class: "strong",
        title: t("Space plays and pauses"),
        "aria-keyshortcuts": "Space",
        "data-key": "play",
      }),
      this.#stepping("‹", t("Word before"), -1),
      this.#stepping("›", t("Next word"), 1),
      select(t("Speed"), SPEEDS, this.speed, (speed) => (this.speed = Number(speed)), { "data-key": "speed" }),
    );
  }
}

/** Whether Space is free: it presses buttons and opens menus, and is a letter where one writes. */
export const isFreeForSpace = (target) =>
  !target.closest?.("input, textarea, select, button, summary, canvas, a, [tabindex='0']");
