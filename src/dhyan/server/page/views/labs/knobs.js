// The knobs of a light experiment: sliders for numbers, boxes for lists. Their values are in the URL, by their names.

import { button, h, language, later } from "../../parts/dom.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

const WAIT = 60; // milliseconds after the last move of a slider
const TYPED = 350; // … and after the last key

const joined = (knob, value) =>
  Array.isArray(value) ? value.join(knob.kind === "words" ? " " : ", ") : String(value);
const split = (knob, text) => {
  if (knob.kind === "number") return text;
  return text.split(knob.kind === "words" ? /\s+/ : /[\s,]+/).filter(Boolean);
};

export class Knobs {
  #boxes = new Map();

  constructor({ name, knobs }) {
    this.knobs = knobs;
    this.seedShown = h("span", { class: "muted" });
    const asItWas = Object.fromEntries(["seed", ...knobs.map((one) => one.name)].map((one) => [one, ""]));
    this.element = h(
      "div",
      { class: "knobs", role: "group", "aria-label": t("Knobs") },
      knobs.map((knob) => this.#control(knob, `${name}-${knob.name}`)),
      h(
        "div",
        { class: "row" },
        button(t("Draw again"), () => go({ seed: String(this.seed + 1) }), { "data-key": "seed" }),
        button(t("As it was"), () => go(asItWas), { "data-key": "undo" }),
        this.seedShown,
      ),
    );
  }

  #control(knob, id) {
    const output = knob.kind === "number" && h("output", { for: id });
    const turned = later(knob.kind === "number" ? WAIT : TYPED, (text) =>
      go({ [knob.name]: text.trim() === joined(knob, knob.value) ? "" : text.trim() }, true),
    );
    const box = h("input", {
      id,
      "data-key": id,
      "data-knob": knob.name,
      oninput: ({ target }) => {
        if (output) output.textContent = target.value;
        turned(target.value);
      },
      ...(knob.kind === "number"
        ? { type: "range", min: knob.least, max: knob.most, step: knob.step }
        : { type: "text", autocomplete: "off", spellcheck: "false" }),
      "aria-describedby": `${id}-help`,
    });
    this.#boxes.set(knob, { box, output });
    return h(
      "div",
      { class: "knob" },
      h("label", { for: id }, h("code", null, knob.name), " ", output),
      box,
      h("small", { id: `${id}-help`, class: "muted" }, t(knob.help)),
    );
  }

  /** Put the knobs where the URL says, but for the one that is being turned. */
  set(state) {
    this.seed = Number(state.seed ?? 0) || 0;
    this.seedShown.textContent = `${t("Seed")} ${this.seed}`;
    for (const [knob, { box, output }] of this.#boxes) {
      const text = state[knob.name] || joined(knob, knob.value);
      if (document.activeElement === box && box.type === "text") continue;
      box.value = text;
      box.lang = language(text);
      if (output) output.textContent = text;
    }
  }

  /** The boxes that are written in: words, or numbers. */
  get lists() {
    return [...this.#boxes.values()].map(({ box }) => box).filter((box) => box.type === "text");
  }

  /** What the URL says, for the server; what it does not mention stays as it is. */
  asked(state) {
    const turned = this.knobs.filter((knob) => state[knob.name]);
    const values = turned.map((knob) => [knob.name, split(knob, state[knob.name])]);
    return { knobs: Object.fromEntries(values), seed: this.seed };
  }
}
