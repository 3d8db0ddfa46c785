// How the flow picture plays a step: the sentence rises through the encoder once, all tokens at a time; then, token by
// token, the decoder: links light up, bars grow, the chosen word drops into the sentence and is read in the next step.

import { Motion } from "./motion.js";

const TIME = { encoder: 1700, decoder: 1300, enter: 200, out: 500, choose: 450, back: 500, end: 700 }; // milliseconds

export class Playing {
  /** turn(step): tells everybody else which step is shown. */
  constructor(picture, { turn }) {
    this.picture = picture;
    this.turn = turn;
    this.motion = new Motion(picture);
  }

  count() {
    return this.picture.trace?.steps.length ?? 0;
  }

  here() {
    return this.picture.step;
  }

  shown() {
    return this.picture.element.isConnected && !document.hidden;
  }

  /** All of the picture is to be seen while it plays. */
  begin() {
    const stage = this.picture.element.parentElement;
    if (stage.getBoundingClientRect().bottom > window.innerHeight) stage.scrollIntoView();
  }

  async start(step, quiet) {
    this.motion.clear();
    this.picture.svg.classList.toggle("playing", !quiet);
    this.picture.svg.classList.remove("chosen");
    for (const one of this.picture.svg.querySelectorAll(".lit")) one.classList.remove("lit");
    this.turn(step);
    await this.picture.turnTo(step);
    this.picture.bringIntoView();
  }

  phases(step, isFirst) {
    const { trace } = this.picture;
    const spread = (stack, time) => {
      const stages = this.#stages(stack);
      return stages.map((stage) => [stage, time / stages.length]);
    };
    return [
      ...(isFirst && step === 0 && trace.hasEncoder
        ? [["begin:enc", 150], ...spread("enc", TIME.encoder)]
        : [["ready", 0]]),
      ["begin:dec", TIME.enter],
      ...spread("dec", TIME.decoder),
      ["dec.out", TIME.out],
      ["choose", TIME.choose],
      step < trace.steps.length - 1 ? ["back", TIME.back] : ["end", TIME.end],
    ];
  }

  phase(name, milliseconds) {
    const { picture, motion } = this;
    const { plan, svg } = picture;
    if (name === "ready") this.#light((stage) => stage.startsWith("enc."));
    else if (name === "begin:enc")
      motion.begin(
        "enc",
        plan.towers.enc.lanes.map((_, token) => token),
      );
    else if (name === "begin:dec") {
      motion.clear();
      motion.begin("dec", [picture.row]);
      motion.rise(plan.row("dec.input").high, milliseconds);
    } else if (name === "choose") {
      svg.classList.add("chosen");
      motion.shrink(); // the drawing has them now
      const [bar, written] = [middle(svg.querySelector(".taken text")), middle(this.#written)];
      motion.fly(picture.chosen.text, [bar, written], milliseconds * 0.75);
    } else if (name === "back") {
      this.#light((stage) => stage === "back");
      motion.follow(picture.chosen.text, svg.querySelector(".flow-back path"), milliseconds);
    } else if (name === "end") this.#light(() => true);
    else this.#flow(name, milliseconds);
  }

  /** One block lights up: what flows into it runs there, and the lanes rise to its top. */
  #flow(stage, milliseconds) {
    const { picture, motion } = this;
    const parts = this.#light((one) => one === stage);
    const row =
      stage === "dec.out"
        ? picture.plan.row("dec.out")
        : picture.plan.row(stage.replace(/\.closed(\.cross)?$/, ""), this.#kindOf(stage));
    motion.run(parts, milliseconds * 0.9);
    if (stage === "dec.out") motion.grow([...picture.svg.querySelectorAll(".flow-bar")], milliseconds * 0.8);
    motion.rise(stage === "dec.out" ? row.low : row.high, milliseconds);
  }

  #kindOf(stage) {
    if (/closed/.test(stage)) return "closed";
    return stage.endsWith(".self") ? "attention" : stage.split(".").at(-1);
  }

  /** Everything as it is when the step is done. */
  rest() {
    this.picture.svg.classList.remove("playing", "chosen");
    this.motion.clear();
  }

  #light(wanted) {
    const parts = [...this.picture.svg.querySelectorAll("[data-stage]")].filter((one) =>
      wanted(one.getAttribute("data-stage")),
    );
    for (const part of parts) part.classList.add("lit");
    return parts;
  }

  get #written() {
    return this.picture.svg.querySelector(`[data-written="${this.picture.row}"]`);
  }

  /** The blocks of a stack in the order in which they are reached. */
  #stages(stack) {
    const { plan, trace } = this.picture;
    return plan.rows
      .filter((row) => row.stack === stack && ["attention", "ssru", "cross", "ffn", "closed"].includes(row.kind))
      .flatMap((row) => {
        if (row.kind !== "closed") return [row.id];
        return stack === "dec" && trace.hasCross
          ? [`${row.id}.closed`, `${row.id}.closed.cross`]
          : [`${row.id}.closed`];
      });
  }
}

function middle(text) {
  const box = text.getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
