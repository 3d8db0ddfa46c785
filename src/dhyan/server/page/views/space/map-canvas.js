// <dhyan-map>: words as dots on a canvas, and tokens that move over them and leave trails. The words are drawn once for
// each look and then copied, so that a moving token costs little.

import { h } from "../../parts/dom.js";
import { colour } from "../../parts/matrix.js";
import { whenRoomChanges } from "../../parts/repaint.js";
import { t } from "../../parts/i18n.js";

const LABEL = 12; // pixels of a word's letters where 1 rem is 16: presenter mode enlarges all of it
const EDGE = 36; // pixels that stay free around what is fitted
const REACH = 16; // pixels around the pointer in which a dot is found
const CLOSEST = 40; // times the whole map
const WHOLE = { x: 0.5, y: 0.5, zoom: 1 };

export class SpaceMap extends HTMLElement {
  #given = null; // { words: [{ text, place }], trails: [{ text, places, side, chosen }], bounds, axes }
  #at = 0; // which stage, with fractions while moving
  #look = { ...WHOLE }; // the middle of what is seen, in shares of the whole, and how close
  #back = null; // the words, drawn already
  #pointed = null;
  #waiting = 0;
  #drag = null;
  #large = 1; // how large letters and marks are drawn

  connectedCallback() {
    if (this.canvas) return;
    this.canvas = h("canvas", { tabindex: "0", role: "img" });
    this.canvas.addEventListener("pointermove", (event) => this.#pointer(event));
    this.canvas.addEventListener("pointerleave", () => this.#point(null));
    this.canvas.addEventListener("pointerdown", (event) => this.#grab(event));
    this.canvas.addEventListener("pointerup", () => this.#drop());
    this.canvas.addEventListener("pointercancel", () => this.#drop());
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.append(this.canvas);
    whenRoomChanges(this, () => this.redraw());
  }

  /** What there is to see; `about` says it in words. */
  show(given, about) {
    this.#given = given;
    this.#pointed = null;
    this.canvas.setAttribute("aria-label", `${about} ${t("Plus and minus zoom, arrow keys move, 0 shows all.")}`);
    this.redraw();
  }

  /** Where the tokens are: 0 is the first stage, 1.5 half-way between the second and the third. */
  set at(stage) {
    this.#at = stage;
    this.#soon();
  }

  get at() {
    return this.#at;
  }

  set look(look) {
    this.#look = { ...look };
    this.redraw();
  }

  get look() {
    return { ...this.#look };
  }

  /** How to look so that these places fill the canvas. */
  lookAt(places) {
    const { left, right, bottom, top } = this.#given.bounds;
    const xs = places.map(([x]) => (x - left) / (right - left)),
      ys = places.map(([, y]) => (y - bottom) / (top - bottom));
    const [broad, high] = [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
    return {
      x: (Math.max(...xs) + Math.min(...xs)) / 2,
      y: (Math.max(...ys) + Math.min(...ys)) / 2,
      zoom: Math.min(CLOSEST, Math.max(1, 0.6 / Math.max(0.02, broad, high))),
    };
  }

  redraw() {
    this.#back = null;
    this.#soon();
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = requestAnimationFrame(() => {
      this.#waiting = 0;
      if (this.isConnected) this.#draw();
    });
  }

  // -- looking closer ---------------------------------------------------------------------------------------

  #changed(look) {
    const zoom = Math.min(CLOSEST, Math.max(1, look.zoom)),
      free = 0.5 / zoom;
    const within = (share) => Math.min(1 - free * 0.5, Math.max(free * 0.5, share));
    this.#look = zoom === 1 ? { ...WHOLE } : { x: within(look.x), y: within(look.y), zoom };
    this.redraw();
    this.dispatchEvent(new CustomEvent("look", { detail: this.look, bubbles: true }));
  }

  closer(by) {
    this.#changed({ ...this.#look, zoom: this.#look.zoom * by });
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; pinching and Ctrl zoom
    event.preventDefault();
    this.closer(Math.exp(-event.deltaY / 200));
  }

  #key(event) {
    const step = 0.15 / this.#look.zoom;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key === "+" || event.key === "=") this.closer(1.4);
    else if (event.key === "-") this.closer(1 / 1.4);
    else if (event.key === "0") this.#changed(WHOLE);
    else if (event.key in moves && this.#look.zoom > 1) {
      const [x, y] = moves[event.key];
      this.#changed({ ...this.#look, x: this.#look.x + x, y: this.#look.y + y });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #grab(event) {
    if (this.#look.zoom === 1) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#drag = { x: event.clientX, y: event.clientY, look: this.look };
  }

  #drop() {
    if (this.#drag) this.#changed(this.#look);
    this.#drag = null;
  }

  #pointer(event) {
    if (this.#drag) {
      const { zoom } = this.#drag.look;
      this.#look.x = this.#drag.look.x - (event.clientX - this.#drag.x) / (this.clientWidth * zoom);
      this.#look.y = this.#drag.look.y + (event.clientY - this.#drag.y) / (this.clientHeight * zoom);
      this.redraw();
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    this.#point([event.clientX - box.left, event.clientY - box.top]);
  }

  /** The dot under the pointer gets its name. */
  #point(pixel) {
    let found = null,
      nearest = REACH;
    for (const word of pixel && this.#given ? this.#given.words : []) {
      const [x, y] = this.#pixel(word.place);
      const apart = Math.hypot(x - pixel[0], y - pixel[1]);
      if (apart < nearest) [found, nearest] = [word, apart];
    }
    if (found === this.#pointed) return;
    this.#pointed = found;
    this.#soon();
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  #pixel([x, y]) {
    const { left, right, bottom, top } = this.#given.bounds;
    const { x: middle, y: height, zoom } = this.#look;
    const across = ((x - left) / (right - left) - middle) * zoom + 0.5,
      up = ((y - bottom) / (top - bottom) - height) * zoom + 0.5;
    return [EDGE + across * (this.clientWidth - 2 * EDGE), EDGE + (1 - up) * (this.clientHeight - 2 * EDGE)];
  }

  #draw() {
    const [wide, high] = [this.clientWidth, this.clientHeight];
    if (!this.#given || !wide || !high) return;
    const dense = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(wide * dense) || this.canvas.height !== Math.round(high * dense)) {
      this.canvas.width = Math.round(wide * dense);
      this.canvas.height = Math.round(high * dense);
      this.#back = null;
    }
    const ink = Object.fromEntries(
      ["paper", "ink", "muted", "line", "accent", "second", "font"].map((name) => [name, colour(name)]),
    );
    this.#large = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
    this.#back ??= this.#words(ink, wide, high, dense);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.#back, 0, 0);
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    const order = this.#given.trails.toSorted((one, other) => Number(one.chosen) - Number(other.chosen));
    for (const trail of order) this.#trail(pen, ink, trail);
    const taken = [];
    for (const trail of order.toReversed()) this.#name(pen, ink, trail, taken);
    if (this.#pointed) {
      const [x, y] = this.#pixel(this.#pointed.place);
      pen.fillStyle = ink.ink;
      pen.beginPath();
      pen.arc(x, y, 3.5, 0, 2 * Math.PI);
      pen.fill();
      written(pen, ink, this.#pointed.text, x + 8, y, { size: 14 * this.#large, weight: 600 });
    }
  }

  /** All words as dots; names for as many as there is room for, the commonest first. */
  #words(ink, wide, high, dense) {
    const canvas = h("canvas", { width: this.canvas.width, height: this.canvas.height });
    const pen = canvas.getContext("2d");
    pen.scale(dense, dense);
    pen.fillStyle = ink.paper;
    pen.fillRect(0, 0, wide, high);
    this.#axes(pen, ink, wide, high);
    const letters = LABEL * this.#large;
    pen.font = `${letters}px ${ink.font}`;
    pen.textBaseline = "middle";
    const taken = [];
    const named = new Set(this.#given.trails.filter((one) => one.chosen).map((one) => one.text.toLowerCase()));
    const first = this.#given.words.filter((word) => named.has(word.text.toLowerCase()));
    for (const word of [...first, ...this.#given.words]) {
      const [x, y] = this.#pixel(word.place);
      if (x < 0 || y < 0 || x > wide || y > high) continue;
      pen.fillStyle = ink.muted;
      pen.globalAlpha = 0.5;
      pen.beginPath();
      pen.arc(x, y, 1.6, 0, 2 * Math.PI);
      pen.fill();
      const length = pen.measureText(word.text).width;
      const box = [x + 5, y - letters * 0.7, x + 9 + length, y + letters * 0.7];
      if (box[2] > wide || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      pen.globalAlpha = 0.85;
      pen.fillText(word.text, x + 6, y);
    }
    pen.globalAlpha = 1;
    return canvas;
  }

  #axes(pen, ink, wide, high) {
    const { axes } = this.#given;
    if (!axes) return;
    const [x, y] = this.#pixel([0, 0]);
    const letters = LABEL * this.#large;
    pen.strokeStyle = ink.line;
    pen.lineWidth = 1;
    for (const [fromX, fromY, toX, toY] of [
      [x, 0, x, high],
      [0, y, wide, y],
    ]) {
      pen.beginPath();
      pen.moveTo(fromX, fromY);
      pen.lineTo(toX, toY);
      pen.stroke();
    }
    written(pen, { ...ink, ink: ink.muted }, axes[0], wide - 10, Math.min(high - 12, y + 14 * this.#large), {
      align: "right",
      size: letters,
    });
    written(pen, { ...ink, ink: ink.muted }, axes[1], Math.max(10, x + 8), 14 * this.#large, { size: letters });
  }

  /** Places of a trail up to now. */
  #walked({ places }) {
    const last = Math.min(places.length - 1, this.#at),
      whole = Math.floor(last),
      part = last - whole;
    const here = places[whole],
      next = places[Math.min(places.length - 1, whole + 1)];
    const now = [here[0] + (next[0] - here[0]) * part, here[1] + (next[1] - here[1]) * part];
    return [...places.slice(0, whole + 1), now];
  }

  #trail(pen, ink, trail) {
    const points = this.#walked(trail).map((place) => this.#pixel(place));
    const [x, y] = points.at(-1);
    pen.strokeStyle = pen.fillStyle = trail.side ? ink.second : ink.accent;
    pen.globalAlpha = trail.chosen ? 0.9 : 0.3;
    pen.lineWidth = (trail.chosen ? 2.5 : 1) * this.#large;
    pen.lineJoin = "round";
    pen.beginPath();
    points.forEach(([px, py], index) => (index ? pen.lineTo(px, py) : pen.moveTo(px, py)));
    pen.stroke();
    for (const [px, py] of points.slice(0, -1)) mark(pen, trail.side, px, py, (trail.chosen ? 3 : 1.5) * this.#large);
    pen.globalAlpha = trail.chosen ? 1 : 0.65;
    mark(pen, trail.side, x, y, (trail.chosen ? 7 : 4) * this.#large);
    if (trail.chosen) {
      pen.strokeStyle = ink.paper;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  #name(pen, ink, trail, taken) {
    const [x, y] = this.#pixel(this.#walked(trail).at(-1));
    const size = (trail.chosen ? 16 : 12) * this.#large;
    pen.font = `${trail.chosen ? 700 : 500} ${size}px ${ink.font}`;
    const length = pen.measureText(trail.text).width;
    const places = [
      [x - length / 2, trail.side ? y + 20 * this.#large : y - 18 * this.#large],
      [x - length / 2, trail.side ? y - 18 * this.#large : y + 20 * this.#large],
      [x + 12 * this.#large, y],
      [x - 12 * this.#large - length, y],
    ];
    const boxes = places.map(([px, py]) => [px - 2, py - size * 0.7, px + length + 2, py + size * 0.7]);
    const free = boxes.findIndex((box) => !taken.some((other) => overlap(box, other)));
    if (free < 0 && !trail.chosen) return;
    const chosen = Math.max(0, free);
    taken.push(boxes[chosen]);
    const shade = { ...ink, ink: trail.side ? ink.second : ink.accent };
    written(pen, shade, trail.text, places[chosen][0], places[chosen][1], { size, weight: trail.chosen ? 700 : 500 });
  }
}

const overlap = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

/** Circles for the first sentence, squares for the second: colour alone says nothing. */
function mark(pen, side, x, y, size) {
  pen.beginPath();
  if (side) pen.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  else pen.arc(x, y, size, 0, 2 * Math.PI);
  pen.fill();
}

/** Whole words, never letter by letter, with a rim of paper so that they are read over dots. */
function written(pen, ink, text, x, y, { size = 12, weight = 400, align = "left" }) {
  pen.font = `${weight} ${size}px ${ink.font}`;
  pen.textAlign = /** @type {CanvasTextAlign} */ (align);
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = ink.paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = ink.ink;
  pen.fillText(text, x, y);
  pen.textAlign = "left";
}

customElements.define("dhyan-map", SpaceMap);
