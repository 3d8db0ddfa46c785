// A line chart over steps, as SVG: as wide as there is room, linear or logarithmic, with a cursor that charts share.

import { h, s } from "../../parts/dom.js";
import { whenRoomChanges } from "../../parts/repaint.js";
import { whole } from "./figures.js";

// pixels around the lines at the usual size of type, which presenter mode enlarges
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 8, 20];
const USUAL = 16;

/** Round numbers from `from` to `to`, about so many. */
function ticks(from, to, about) {
  const rough = (to - from) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** 1, 2 and 5 times powers of ten; where that is too many, powers alone. */
function logTicks(from, to) {
  const [lowest, highest] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const powers = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index));
  const all = powers.flatMap((power) => [1, 2, 5].map((one) => Number((one * power).toPrecision(6))));
  const inside = (list) => list.filter((one) => one >= from * 0.999 && one <= to * 1.001);
  return inside(all).length <= 6 ? inside(all) : inside(powers);
}

/** The smallest and the largest value, with room between them. */
function range(values, log, fromZero) {
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [log ? 0.1 : 0, 1];
  if (fromZero && !log) low = Math.min(0, low);
  if (low < high) return [low, high];
  return log ? [low / 2, high * 2] : [low - Math.abs(low) / 10 - 1e-9, high + Math.abs(high) / 10 + 1e-9];
}

/** The index of the step that comes nearest, the later one of two; -1 where there is none. */
export function nearest(steps, step) {
  return steps.reduce(
    (best, one, at) => (Math.abs(one - step) <= Math.abs(steps[best] - step) ? at : best),
    steps.length ? 0 : -1,
  );
}

/** A running mean that forgets: each value weighs 1 − keep, and the beginning is not drawn to zero. */
export function smoothed(values, keep) {
  let mean = 0,
    weight = 0;
  return values.map((value) => {
    if (value === null) return null;
    mean = keep * mean + (1 - keep) * value;
    weight = keep * weight + (1 - keep);
    return mean / weight;
  });
}

export class Chart {
  #shown = null;
  #scale = null;
  #cursor = null;

  /** title: what it shows, for whoever cannot see it. format: a number as a tick says it. */
  constructor({ title, height, format, about = 4, fromZero = false }) {
    this.given = { height, format, about, fromZero };
    this.svg = s("svg", { class: "chart", role: "img", "aria-label": title });
    this.cursor = s("g", { class: "chart-cursor" });
    this.element = h("div", { class: "chart-room" }, this.svg);
    whenRoomChanges(this.element, () => this.draw());
  }

  /** lines: [{ name, steps, values, dots, faint }]; from, to: the steps; marks: steps with a line of their own. */
  show(shown) {
    this.#shown = shown;
    this.draw();
  }

  /** The step that is pointed at, in this chart or another; null for none. */
  point(step) {
    this.#cursor = step;
    this.#drawCursor();
  }

  /** The step under a pointer. */
  stepAt(event) {
    if (!this.#scale) return null;
    const { from, to, x } = this.#scale;
    const [left, right] = [x(from), x(to)];
    const share = (event.clientX - this.svg.getBoundingClientRect().left - left) / Math.max(1, right - left);
    return Math.round(from + Math.min(1, Math.max(0, share)) * (to - from));
  }

  draw() {
    const width = this.element.clientWidth;
    if (!this.#shown || width < 60) return;
    const { x, y, low, high, enlarged, height } = (this.#scale = this.#fit(width));
    const { lines, from, to, log, marks = [] } = this.#shown;
    const { about, format } = this.given;
    const values = log ? logTicks(low, high) : ticks(low, high, about);
    const steps = ticks(from, to, Math.max(2, Math.min(6, Math.floor(width / (110 * enlarged)))));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", String(height));
    this.svg.replaceChildren(
      s(
        "g",
        { class: "chart-grid" },
        values.map((value) => [
          s("line", { x1: x(from), x2: x(to), y1: y(value), y2: y(value) }),
          s("text", { x: x(from) - 6, y: y(value) + 4 * enlarged, "text-anchor": "end" }, format(value)),
        ]),
        steps.map((step) => {
          const anchor = x(step) > width - 30 * enlarged ? "end" : "middle";
          return s("text", { x: x(step), y: height - 4, "text-anchor": anchor }, whole(step));
        }),
      ),
      s(
        "g",
        { class: "chart-marks" },
        marks.map((step) => this.#upright(step)),
      ),
      ...lines.map((line) => s("path", { class: `chart-line ${line.name}`, d: this.#path(line) })),
      ...lines.filter((line) => line.dots).map((line) => this.#dots(line)),
      this.cursor,
    );
    this.#drawCursor();
  }

  /** Where a step and a value lie. */
  #fit(width) {
    const { lines, from, to, log } = this.#shown;
    const enlarged = parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL;
    const height = this.given.height * enlarged;
    const [left, right] = [LEFT * enlarged, width - RIGHT * enlarged];
    const [top, bottom] = [TOP * enlarged, height - BOTTOM * enlarged];
    const usable = (value) => value !== null && (!log || value > 0);
    const [low, high] = range(
      lines.flatMap((line) => line.values.filter(usable)),
      log,
      this.given.fromZero,
    );
    const bend = log ? Math.log : (value) => value;
    const x = (step) => left + ((step - from) / Math.max(1, to - from)) * (right - left);
    const y = (value) => bottom - ((bend(value) - bend(low)) / (bend(high) - bend(low))) * (bottom - top);
    return { x, y, from, to, low, high, usable, enlarged, height, top, bottom };
  }

  /** A line that is broken where there is no value. */
  #path({ steps, values }) {
    const { x, y, usable } = this.#scale;
    const points = steps.map((step, at) =>
      usable(values[at]) ? `${x(step).toFixed(1)} ${y(values[at]).toFixed(1)}` : null,
    );
    return points.map((point, at) => (point === null ? "" : `${points[at - 1] ? "L" : "M"}${point}`)).join("");
  }

  #dots({ name, steps, values }) {
    const { x, y, usable } = this.#scale;
    const drawn = steps.map((step, at) => usable(values[at]) && s("circle", { cx: x(step), cy: y(values[at]), r: 3 }));
    return s("g", { class: `chart-dots ${name}` }, drawn);
  }

  #upright(step) {
    const { x, top, bottom } = this.#scale;
    return s("line", { x1: x(step), x2: x(step), y1: top, y2: bottom });
  }

  #drawCursor() {
    const step = this.#cursor;
    if (!this.#scale || step === null || step < this.#scale.from || step > this.#scale.to)
      return this.cursor.replaceChildren();
    const { x, y, usable } = this.#scale;
    const points = this.#shown.lines
      .filter((line) => !line.faint)
      .map((line) => [line, nearest(line.steps, step)])
      .filter(([line, at]) => at >= 0 && usable(line.values[at]))
      .map(([line, at]) => s("circle", { class: line.name, cx: x(line.steps[at]), cy: y(line.values[at]), r: 4.5 }));
    return this.cursor.replaceChildren(this.#upright(step), ...points);
  }
}
