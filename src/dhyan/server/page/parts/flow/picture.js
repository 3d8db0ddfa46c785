// The flow picture: the encoder–decoder of the lecture notes with the sentence flowing through it. Tokens rise as
// ribbons, a ribbon is put together from slices of those it looks at, and every block leads to its numbers.

import { h, s, save } from "../dom.js";
import { t } from "../i18n.js";
import { AROUND, FONT, layout } from "./layout.js";
import { now } from "./now.js";
import { still, tokens } from "./still.js";
import { weightsOf } from "./weights.js";

const LARGEST = 1.25; // of what is drawn: beyond, too little of it would be seen at once
const SMALLEST = 0.6; // beyond, nobody could read it
const BELOW = 44; // pixels of a presenter's window: the edge of the stage, and the line that says where one is
const LEAST_ROOM = 320;
const LEAST_WIDTH = 400; // of a picture that is made to fit: on a telephone it is scrolled
const isPresented = () => document.documentElement.hasAttribute("data-present");
const pen = document.createElement("canvas").getContext("2d");

function measure(text) {
  pen.font = `${FONT}px ${getComputedStyle(document.documentElement).getPropertyValue("--font")}`;
  return pen.measureText(text).width;
}

export class FlowPicture {
  #given = null;
  #turn = 0;
  #drawn = ""; // what the still part shows

  /**
   * link(row): the address of the page that a block leads to; candidate(step, guess): that of a candidate;
   * pick(address): a number was pressed; point(token): a token was; tell(words): what the pointer is on, "" for nothing.
   * fits: it is made so small that all of its width is seen.
   */
  constructor({ link, candidate, pick, point, tell, fits = false }) {
    this.fits = fits;
    this.link = link;
    this.candidate = candidate;
    this.pick = pick;
    this.point = point;
    this.tell = tell;
    this.still = s("g");
    this.written = s("g");
    this.now = s("g");
    this.svg = s(
      "svg",
      { class: "flow", role: "group", "aria-label": t("Flow") },
      this.still,
      this.now,
      this.written,
    );
    this.motion = h("div", { class: "flow-motion", "aria-hidden": "true" }); // what moves lies above, on its own layers
    this.sheet = h("div", { class: "flow-sheet" }, this.svg, this.motion);
    this.element = h("div", { class: "flow-scroll", "data-scroll": "flow", tabindex: "-1" }, this.sheet);
    this.svg.addEventListener("pointerover", (event) => this.#pointed(event));
    this.svg.addEventListener("pointerleave", () => {
      this.tell("");
      this.focus(this.#given?.token ?? null);
    });
    this.svg.addEventListener("click", (event) => this.#pressed(event));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#resized()).observe(this.element);
  }

  /** given: trace, step (a number), head (or null), open ({ enc, dec }), here (an address), token ("enc:3" or null). */
  async show(given) {
    const { trace, open, head } = given;
    const opened = trace.parts.filter((part) => {
      const [stack, layer] = part.split(".");
      return open[stack] === Number(layer);
    });
    this.#turn += 1;
    const turn = this.#turn;
    const weights = await weightsOf(trace, head, opened);
    if (turn !== this.#turn) return; // something newer is wanted
    this.#given = { ...given, weights };
    this.#draw();
  }

  #resized() {
    if (this.#given && this.element.clientWidth && this.element.clientWidth !== this.plannedFor) this.#draw();
  }

  #draw() {
    const { trace, step, head, open, here, weights, token } = this.#given;
    const width = this.element.clientWidth || 960;
    const root = getComputedStyle(document.documentElement);
    const room = this.#room;
    const shown = JSON.stringify([trace.question, head, open, width, room, root.fontSize, document.documentElement.lang]);
    if (shown !== this.#drawn || trace !== this.drawnTrace) {
      this.#drawn = shown;
      this.drawnTrace = trace;
      this.plannedFor = width;
      const planned = (zoom) => layout(trace, { width: (width - 2) / zoom, tall: room / zoom + AROUND, open, measure });
      this.zoom = Math.min(LARGEST, parseFloat(root.fontSize) / 16); // presenter mode has larger letters
      this.plan = planned(this.zoom);
      const fitting = Math.min(
        isPresented() ? room / this.plan.height : Infinity, // nobody there who scrolls
        this.fits && width >= LEAST_WIDTH ? (width - 2) / this.plan.width : Infinity,
      );
      if (fitting < this.zoom) {
        this.zoom = Math.max(SMALLEST, fitting);
        this.plan = planned(this.zoom);
      }
      const { plan, zoom } = this;
      for (const [name, value] of Object.entries({
        width: plan.width * zoom,
        height: plan.height * zoom,
        viewBox: `0 0 ${plan.width} ${plan.height}`,
      }))
        this.svg.setAttribute(name, value);
      this.sheet.style.setProperty("width", `${plan.width * zoom}px`);
      this.motion.style.setProperty("width", `${plan.width}px`);
      this.motion.style.setProperty("height", `${plan.height}px`);
      this.motion.style.setProperty("transform", `scale(${zoom})`);
      const key = this.svg.contains(document.activeElement)
        ? document.activeElement.getAttribute("data-key")
        : null;
      this.still.replaceChildren(...still(trace, plan, weights).flat(Infinity).filter(Boolean));
      this.written.replaceChildren(
        ...(trace.hasDecoder
          ? [tokens(plan.row("dec.written"), plan.towers.dec, trace.info.predicted.tokens, { above: true })]
          : []),
      );
      this.#rove(key);
    }
    for (const one of this.still.querySelectorAll("a")) {
      one.setAttribute("href", this.link(/** @type {any} */ (one).row));
      if (here && one.getAttribute("data-address") === here) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    this.#step(step);
    this.focused = undefined; // what was pointed out may have been drawn anew
    this.focus(token);
  }

  /** The height that there is for it: in presenter mode, what is left of the window. */
  get #room() {
    if (!isPresented()) return window.innerHeight - AROUND;
    const above = this.element.getBoundingClientRect().top + window.scrollY;
    return Math.max(LEAST_ROOM, window.innerHeight - above - BELOW);
  }

  get trace() {
    return this.#given?.trace;
  }

  get step() {
    return this.#given?.step ?? 0;
  }

  /** What this step writes. */
  get chosen() {
    return this.trace.steps[this.step].chosen;
  }

  /** Another step of the same trace, at once. */
  async turnTo(step) {
    this.#given.step = step;
    this.#step(step);
  }

  /** Where the picture is wider than the page: sideways to the lane that is being written, and to the picture itself. */
  bringIntoView() {
    const x = this.plan.towers.dec.lanes[this.row] * this.zoom;
    const { scrollLeft, clientWidth } = this.element;
    if (x < scrollLeft + 60 || x > scrollLeft + clientWidth - 60) this.element.scrollLeft = x - clientWidth / 2;
  }

  /** The rows before the step's are past, those after it are not written yet. */
  #step(number) {
    const { trace, weights, head } = this.#given;
    const shown = JSON.stringify([number, head, this.#drawn, location.hash.replace(/([?&])step=\d+/, "$1")]);
    if (shown === this.shownStep && this.shownOf === trace) return; // it may be playing
    this.shownStep = shown;
    this.shownOf = trace;
    const step = trace.hasDecoder ? (trace.steps[number] ?? null) : null;
    this.row = step?.row ?? null;
    this.now.replaceChildren(
      ...now(trace, this.plan, weights, step, this.candidate).flat(Infinity).filter(Boolean),
    );
    if (!step) return;
    const time = (row, of) => (row < of ? "past" : row === of ? "now" : "future");
    for (const one of this.svg.querySelectorAll('[data-row^="dec:"]')) {
      one.classList.remove("past", "now", "future");
      one.classList.add(time(Number(one.getAttribute("data-row").slice(4)), step.row));
    }
  }

  /** Point a token out: what it looks at stays, the rest fades. */
  focus(token) {
    if (this.focused === token) return;
    this.focused = token;
    this.svg.classList.toggle("focused", Boolean(token));
    for (const one of this.svg.querySelectorAll(".focus")) one.classList.remove("focus");
    if (token)
      for (const one of this.svg.querySelectorAll(`[data-row="${token}"], [data-token="${token}"]`))
        one.classList.add("focus");
  }

  #pointed({ target }) {
    this.tell(target.querySelector?.(":scope > title")?.textContent ?? "");
    const row = target.closest?.("[data-row]")?.getAttribute("data-row") ?? target.getAttribute?.("data-token");
    this.focus(
      row?.startsWith("enc:") || target.closest?.(".flow-token, .flow-lane") ? row : (this.#given?.token ?? null),
    );
  }

  #pressed(event) {
    const cell = event.target.closest("[data-cell]")?.getAttribute("data-cell");
    const token = event.target.closest(".flow-token, .flow-lane")?.getAttribute("data-row");
    if (cell) this.pick(cell);
    else if (token) this.point(token);
  }

  // The picture is one stop of the Tab key; the arrow keys walk through its blocks.
  get #stops() {
    return [
      .../** @type {NodeListOf<SVGAElement>} */ (
        this.svg.querySelectorAll("a.flow-block, a.flow-fold, a.flow-candidate")
      ),
    ];
  }

  #rove(key) {
    const stops = this.#stops;
    stops.forEach((one) => one.setAttribute("tabindex", "-1"));
    const kept = stops.find((one) => one.getAttribute("data-key") === key);
    (kept ?? stops[0])?.setAttribute("tabindex", "0");
    if (key) kept?.focus({ preventScroll: true });
  }

  #key(event) {
    const ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const here = event.target.closest("a");
    if (!here || !(event.key in ways)) return;
    event.preventDefault();
    event.stopPropagation();
    const [right, down] = ways[event.key];
    const middle = (one) => {
      const box = one.getBBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = middle(here);
    const far = (one) => {
      const [ox, oy] = middle(one);
      const [along, aside] = right ? [(ox - x) * right, Math.abs(oy - y)] : [(oy - y) * down, Math.abs(ox - x)];
      return along > 1 ? along + 4 * aside : Infinity;
    };
    const next = this.#stops
      .filter((one) => one !== here && far(one) < Infinity)
      .sort((one, other) => far(one) - far(other))[0];
    if (!next) return;
    here.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  /** What is shown, as a file that stands alone; `caption` says below it what that is. */
  export(name, caption) {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true));
    const kept = [
      "fill",
      "fill-opacity",
      "stroke",
      "stroke-width",
      "stroke-dasharray",
      "stroke-opacity",
      "opacity",
      "font-family",
      "font-size",
      "font-weight",
      "text-anchor",
      "paint-order",
      "visibility",
    ];
    const originals = [this.svg, ...this.svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((one, number) => {
      const look = getComputedStyle(originals[number]);
      one.removeAttribute("style");
      for (const property of kept) one.setAttribute(property, look.getPropertyValue(property));
      for (const attribute of ["href", "tabindex", "data-key"]) one.removeAttribute(attribute);
    });
    const paper = s("rect", {
      width: "100%",
      height: "100%",
      fill: getComputedStyle(document.documentElement).getPropertyValue("--paper").trim(),
    });
    copy.prepend(paper);
    const { width, height } = this.plan;
    const look = getComputedStyle(this.svg);
    copy.append(
      s(
        "text",
        {
          x: width / 2,
          y: height + 22,
          "text-anchor": "middle",
          "font-size": 12,
          "font-family": look.fontFamily,
          fill: look.color,
        },
        caption,
      ),
    );
    copy.setAttribute("height", String(height + 34));
    copy.setAttribute("viewBox", `0 0 ${width} ${height + 34}`);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    save(name, new XMLSerializer().serializeToString(copy), "image/svg+xml");
  }
}
