// Which word comes from which, drawn: the words of both sides, and a ribbon for every strong attention weight.

import { h, roving, s } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

const STRONG = 0.6; // of a target word's largest weight: so much more is drawn
const LEAST = 0.12; // a weight below it is no link, unless it is the largest
const GAP = 84; // pixels between the two lines of words
let drawn = 0;

/** The links that are drawn: [source word, target word, weight]. */
function strongest(weights) {
  return weights.flatMap((row, target) => {
    const most = Math.max(...row);
    return row
      .map((weight, source) => [source, target, weight])
      .filter(([, , weight]) => weight === most || (weight >= STRONG * most && weight >= LEAST));
  });
}

/** An element that draws itself as wide as there is room: words beside each other, or below where they do not fit. */
export class Ribbon extends HTMLElement {
  #watch = new ResizeObserver(() => this.#lay());
  #words = { source: [], target: [] };
  #links = [];
  #width = 0;

  /** aligned: what /api/v1/align answers; languages: codes of the two sides. */
  show(aligned, languages) {
    const side = (name, row) =>
      aligned[name].map((text, number) => {
        const point = () => this.point(name, number);
        const weights = row(number);
        const best = weights.indexOf(Math.max(...weights));
        const other = aligned[name === "source" ? "target" : "source"][best];
        return h(
          "button",
          {
            type: "button",
            class: "chip",
            lang: languages[name],
            title: other && `${other} · ${weights[best].toFixed(2)}`,
            onpointerenter: point,
            onfocus: point,
            onpointerleave: () => this.point(),
            onblur: () => this.point(),
          },
          text,
        );
      });
    const { weights } = aligned;
    this.#words = {
      source: side("source", (number) => weights.map((row) => row[number])),
      target: side("target", (number) => weights[number]),
    };
    this.#links = strongest(weights).map(([source, target, weight], number, all) => ({
      source,
      target,
      weight,
      path: s("path", {
        class: "ribbon-band",
        pathLength: "1",
        "data-value": weight,
        style: { "--nth": number / all.length },
      }),
    }));
    drawn += 1;
    const paint = `ribbon-paint-${drawn}`;
    this.paint = s(
      "linearGradient",
      { id: paint, gradientUnits: "userSpaceOnUse" },
      s("stop", { offset: "0", class: "from" }),
      s("stop", { offset: "1", class: "to" }),
    );
    for (const { path } of this.#links) path.setAttribute("stroke", `url(#${paint})`);
    this.picture = s(
      "svg",
      { class: "ribbon-bands", "aria-hidden": "true" },
      s("defs", null, this.paint),
      this.#links.map((one) => one.path),
    );
    this.rows = h(
      "div",
      { class: "ribbon-sides" },
      this.picture,
      roving(h("div", { class: "ribbon-side" }, this.#words.source)),
      roving(h("div", { class: "ribbon-side" }, this.#words.target)),
    );
    this.replaceChildren(this.rows, asTable(aligned));
    this.#width = 0;
    this.#lay();
    document.fonts?.ready.then(() => this.#lay(true));
    return this;
  }

  connectedCallback() {
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
  }

  /** Bring out the links of one word; of none: all of them as they were. */
  point(side = "", number = -1) {
    const chosen = this.#links.filter((one) => one[side] === number);
    this.classList.toggle("pointing", Boolean(side));
    for (const one of this.#links) one.path.classList.toggle("on", chosen.includes(one));
    for (const name of ["source", "target"])
      this.#words[name].forEach((word, at) =>
        word.classList.toggle("pointed", (name === side && at === number) || chosen.some((one) => one[name] === at)),
      );
  }

  #lay(again = false) {
    const width = this.clientWidth;
    if (!this.rows || !width || (width === this.#width && !again)) return;
    this.#width = width;
    const sides = [...this.rows.querySelectorAll(".ribbon-side")];
    const fit = () => sides.every((side) => side.scrollWidth <= width);
    this.classList.remove("upright", "tight");
    if (!fit()) this.classList.add("tight");
    const fits = fit();
    this.classList.toggle("upright", !fits);
    this.style.setProperty("--space", `${fits ? GAP : 0}px`);
    const box = this.rows.getBoundingClientRect();
    this.picture.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    const middle = (word) => {
      const one = word.getBoundingClientRect();
      return {
        x: (one.left + one.right) / 2 - box.left,
        y: (one.top + one.bottom) / 2 - box.top,
        left: one.left - box.left,
        right: one.right - box.left,
        top: one.top - box.top,
        bottom: one.bottom - box.top,
      };
    };
    for (const { source, target, weight, path } of this.#links) {
      const [from, to] = [middle(this.#words.source[source]), middle(this.#words.target[target])];
      path.setAttribute("d", fits ? down(from, to) : across(from, to));
      path.style.setProperty("--weight", weight);
    }
    const ends = fits ? { x1: 0, x2: 0, y1: 0, y2: box.height } : { x1: 0, x2: box.width, y1: 0, y2: 0 };
    for (const [name, value] of Object.entries(ends)) this.paint.setAttribute(name, value);
  }
}

const down = (from, to) => {
  const middle = (from.bottom + to.top) / 2;
  return `M ${from.x} ${from.bottom} C ${from.x} ${middle}, ${to.x} ${middle}, ${to.x} ${to.top}`;
};
const across = (from, to) => {
  const middle = (from.right + to.left) / 2;
  return `M ${from.right} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y}, ${to.left} ${to.y}`;
};

function asTable({ source, target, weights }) {
  return h(
    "details",
    { class: "as-table" },
    h("summary", null, t("Table")),
    h(
      "div",
      { class: "scroll", tabindex: "0" },
      h(
        "table",
        { class: "numbers" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("td"),
            source.map((word) => h("th", { scope: "col" }, word)),
          ),
        ),
        h(
          "tbody",
          null,
          target.map((word, row) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, word),
              weights[row].map((weight) => h("td", { "data-value": weight }, weight.toFixed(2))),
            ),
          ),
        ),
      ),
    ),
  );
}

customElements.define("dhyan-ribbon", Ribbon);
