// The stage beside a chapter's text. It is drawn when it comes near, and shows the picture of the part that is read; where
// there is no room beside the text, each picture stands below its own part.

import { Problem } from "../../parts/api.js";
import { button, fill, h } from "../../parts/dom.js";
import { Missing } from "./lesson.js";
import { prose, say } from "./say.js";

export const BESIDE = matchMedia("(min-width: 900px)");
const ALWAYS = ["text", "model"]; // with what a chapter uses itself: if it changes, the pictures are drawn again

export class Stage {
  near = false;
  part = 0;
  scenes = [];

  /** turned: the reader asked for a picture at the stage itself. */
  constructor(chapter, turned) {
    this.chapter = chapter;
    this.body = h("div", { class: "stage-body" });
    this.slots = chapter.parts.map(() => h("div", { class: "slot" }));
    this.steps = chapter.parts.map((_, index) =>
      button(String(index + 1), () => turned(index), {
        class: "small",
        "aria-label": say(`Picture ${index + 1}`, `चित्र ${index + 1}`),
      }),
    );
    this.element = h(
      "figure",
      { class: "lesson-stage" },
      h("figcaption", { role: "group", "aria-label": say("Pictures", "चित्र") }, this.steps),
      this.body,
    );
    this.turn(0);
  }

  /** Draw for this lesson, unless that is what is shown. */
  async show(lesson) {
    const key = JSON.stringify([...ALWAYS, ...this.chapter.uses].map((name) => lesson.state[name]));
    if (key === this.key) return;
    this.key = key;
    this.body.setAttribute("aria-busy", "true");
    try {
      const { scenes, follow = null } = await this.chapter.stage(lesson);
      if (key !== this.key) return;
      const focused = this.#focused();
      for (const one of this.scenes) one.remove();
      fill(this.body);
      this.scenes = scenes;
      this.follow = follow;
      this.place();
      if (focused) this.#find(focused)?.focus({ preventScroll: true });
    } catch (problem) {
      if (key !== this.key) return;
      this.key = null;
      if (problem.name === "AbortError") return;
      if (!(problem instanceof Problem || problem instanceof Missing)) throw problem;
      for (const one of this.scenes) one.remove();
      this.scenes = [h("p", { class: "problem scene", role: "status", "data-part": 0 }, prose(problem.message))];
      this.place();
    } finally {
      if (key === this.key || !this.key) this.body.removeAttribute("aria-busy");
    }
  }

  /** The keyboard stays where it was when a picture is drawn anew: [part, key] of the element that has it. */
  #focused() {
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const scene = /** @type {HTMLElement} */ (active?.closest(".scene"));
    return active?.dataset.key && this.scenes.includes(scene) ? [scene.dataset.part, active.dataset.key] : null;
  }

  #find(focused) {
    const [part, key] = focused;
    const scene = this.scenes.find((one) => one.dataset.part === part);
    return /** @type {HTMLElement} */ (scene?.querySelector(`[data-key="${CSS.escape(key)}"]`));
  }

  /** On the stage, or each below its part. */
  place() {
    for (const scene of this.scenes)
      (BESIDE.matches ? this.body : this.slots[Number(scene.dataset.part)]).append(scene);
    this.turn(this.part);
  }

  /** Scroll the stage alone, so far that a block is seen. */
  #bring(block) {
    const [inside, outside] = [block.getBoundingClientRect(), this.body.getBoundingClientRect()];
    const covered = this.body.querySelector(".sum")?.getBoundingClientRect().height ?? 0; // by the sum, which stays below
    this.body.scrollTop += Math.max(0, inside.bottom - outside.bottom + 1.2 * covered);
    this.body.scrollTop += Math.min(0, inside.top - outside.top);
  }

  /** The picture of this part of the text: its own, or the last one before it. */
  turn(part) {
    this.part = part;
    const own = this.scenes.map((one) => Number(one.dataset.part));
    const shown = Math.max(...own.filter((one) => one <= part));
    this.scenes.forEach((scene, index) => {
      scene.hidden = BESIDE.matches && own[index] !== shown;
      for (const block of scene.querySelectorAll("[data-from]")) {
        const from = Number(/** @type {HTMLElement} */ (block).dataset.from);
        block.classList.toggle("now", BESIDE.matches && from === part);
        block.classList.toggle("later", BESIDE.matches && from > part);
        if (BESIDE.matches && from === part && !scene.hidden) this.#bring(/** @type {HTMLElement} */ (block));
      }
    });
    this.steps.forEach((step, index) => step.setAttribute("aria-pressed", String(index === part)));
    this.follow?.(part);
  }
}
