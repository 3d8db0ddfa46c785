// What moves in the flow picture while it plays. It lies above the drawing and only ever changes its place, so that the
// browser can move it without drawing anything anew.

import { h, language } from "../dom.js";
import { climb } from "./shapes.js";
import { tint } from "./still.js";

const DOTS = 16; // of one phase: more would be a swarm
const SAMPLES = 18; // places along a way

const place = (x, y) => `translate(${x}px, ${y}px)`;

export class Motion {
  #risers = [];

  constructor(picture) {
    this.picture = picture;
    this.layer = picture.motion;
  }

  clear() {
    this.layer.replaceChildren();
    this.#risers = [];
  }

  /** Lanes of a stack begin to fill from below. */
  begin(stack, tokens) {
    const { plan } = this.picture;
    const tower = plan.towers[stack];
    const { low } = plan.row(`${stack}.input`);
    const top = stack === "dec" ? plan.row("dec.out").low : tower.top;
    this.#risers = tokens.map((token) => {
      const riser = h("i", {
        class: "flow-riser",
        style: {
          ...tint(token, tower.lanes.length),
          left: `${tower.lanes[token] - plan.ribbon / 2}px`,
          top: `${top}px`,
          width: `${plan.ribbon}px`,
          height: `${low - top}px`,
        },
      });
      this.layer.append(riser);
      return { riser, low, top, share: 0 };
    });
  }

  /** … and have risen to a height. */
  rise(y, milliseconds) {
    for (const one of this.#risers) {
      const share = Math.min(1, Math.max(one.share, (one.low - y) / (one.low - one.top)));
      one.riser.animate([{ transform: `scaleY(${one.share})` }, { transform: `scaleY(${share})` }], {
        duration: milliseconds,
        easing: "ease-in-out",
        fill: "forwards",
      });
      one.share = share;
    }
  }

  /** Dots run along the strongest slices and ways of a phase, larger where more flows. */
  run(parts, milliseconds) {
    const { ribbon } = this.picture.plan;
    const courses = parts
      .flatMap((part) => [...part.querySelectorAll(".flow-row:not(.past, .future) .flow-slice, .flow-way")])
      .filter((one) => one.course)
      .sort((one, other) => other.course.weight - one.course.weight)
      .slice(0, DOTS);
    for (const one of courses) {
      const size = 3 + Math.sqrt(one.course.weight) * Math.min(10, ribbon * 0.7);
      const points = one.course.ends ? climb(...one.course.ends) : sampled(one);
      this.#along(
        points,
        h("i", {
          class: "flow-dot",
          style: {
            "--along": one.style.getPropertyValue("--along"),
            width: `${size}px`,
            height: `${size}px`,
            margin: `${-size / 2}px`,
          },
        }),
        milliseconds,
      );
    }
  }

  /** Bars grow from nothing. */
  grow(bars, milliseconds) {
    for (const bar of bars) {
      const { x, y, width, height } = bar.getBBox();
      const style = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
      const growing = h("i", { class: "flow-growing", style });
      this.layer.append(growing);
      growing.animate([{ transform: "scaleX(0)" }, { transform: "none" }], {
        duration: milliseconds,
        easing: "ease-out",
      });
    }
  }

  shrink() {
    for (const one of this.layer.querySelectorAll(".flow-growing")) one.remove();
  }

  /** A word on its way: from the bars into the sentence, or back in below. */
  fly(text, points, milliseconds) {
    this.#along(points, h("b", { class: "flow-word", lang: language(text) }, text), milliseconds);
  }

  /** Along a path of the drawing. */
  follow(text, path, milliseconds) {
    this.fly(text, sampled(path), milliseconds);
  }

  #along(points, element, milliseconds) {
    this.layer.append(element);
    const moving = element.animate(
      points.map(([x, y]) => ({ transform: place(x, y) })),
      { duration: milliseconds, easing: "ease-in-out", fill: "both" },
    );
    moving.finished.then(
      () => element.remove(),
      () => {},
    );
  }
}

function sampled(path) {
  const length = path.getTotalLength();
  return Array.from({ length: SAMPLES }, (_, number) => {
    const { x, y } = path.getPointAtLength((length * number) / (SAMPLES - 1));
    return [x, y];
  });
}
