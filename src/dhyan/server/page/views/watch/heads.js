// Attention of the first text at a checkpoint: every head in small, one of them with its numbers. From one checkpoint to
// the next the weights glide, so that one sees attention take shape; where less motion is asked for, they are just there.

import { cellOf, parse, whole } from "../../parts/address.js";
import { button, fill, h, refill, thing } from "../../parts/dom.js";
import { colour } from "../../parts/matrix.js";
import { exact, Numbers, short } from "../../parts/numbers.js";
import { whenColoursChange } from "../../parts/repaint.js";
import { key, t } from "../../parts/i18n.js";
import { go } from "../../parts/url-state.js";
import { labels } from "./checkpoint.js";

const BLOCKS = {
  cross: key("Decoder looks at the source"),
  enc: key("Encoder looks at itself"),
  dec: key("Decoder looks back"),
};
const GLIDE = 350; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

const blockOf = (address) => (address.includes(".cross.") ? "cross" : address.slice(0, 3));

/** The weights on a canvas, a pixel each; shades are √weight, so that broad heads are seen, too. */
export function paint(canvas, rows, columns, weights) {
  const [red, green, blue] = accent();
  const image = new ImageData(columns, rows);
  weights.forEach((weight, index) => image.data.set([red, green, blue, 255 * Math.sqrt(weight)], 4 * index));
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function accent() {
  const hex = colour("accent").replace("#", "");
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

export class Heads {
  #shown = new Map(); // address → the weights that are drawn now
  #frame = 0;
  #canvases = new Map();

  constructor() {
    this.grid = h("div", { class: "watch-heads" });
    this.matrix = /** @type {import("../../parts/matrix.js").Matrix} */ (document.createElement("dhyan-matrix"));
    this.number = h("p", { class: "watch-number muted" }, "");
    this.caption = h("figcaption", null, "");
    this.matrix.addEventListener("cell-pick", (event) =>
      go({ at: /** @type {CustomEvent} */ (event).detail.address }, true),
    );
    this.matrix.addEventListener("cell-hover", (event) => this.#drawNumber(/** @type {CustomEvent} */ (event).detail));
    this.element = h(
      "section",
      { class: "card watch-attention", ...thing("attention", t("Attention")) },
      h("h2", null, t("Attention")),
      h(
        "p",
        { class: "muted watch-what" },
        t("Where the first text's tokens look: a row looks, a column is looked at."),
      ),
      h(
        "div",
        { class: "watch-look" },
        h("figure", { class: "panel" }, this.caption, h("div", { class: "matrix" }, this.matrix), this.number),
        this.grid,
      ),
    );
  }

  /** The head that is opened: the one that the URL names, else one that tells much, and then stays. */
  opened(one, at = "") {
    if (one.heads.has(whole(at))) return whole(at);
    if (!one.heads.has(this.chosen)) this.chosen = mostTelling(one);
    return this.chosen;
  }

  show(one, at) {
    const address = this.opened(one, at);
    this.one = one;
    this.at = at;
    this.#drawGrid(one, address);
    const head = one.heads.get(address);
    const table = button(t("Table"), () => table.setAttribute("aria-pressed", String(this.matrix.toggleTable())), {
      class: "small",
      "aria-pressed": "false",
      "data-key": "head-table",
    });
    refill(this.caption, h("b", null, t(BLOCKS[blockOf(address)])), " ", h("code", null, address), " ", table);
    this.element.dataset.step = one.step;
    this.matrix.show({
      numbers: head,
      rows: labels(one, head.axes[0]),
      columns: labels(one, head.axes[1]),
      base: address,
      flat: false,
    });
    this.#drawNumber(null);
    this.#glide(one);
  }

  /** The number that the URL names, if it names one. */
  #named() {
    const index = parse(this.at ?? "").index.map(Number);
    const head = this.one.heads.get(whole(this.at ?? ""));
    if (!head || index.length !== 2 || !index.every((one, axis) => one >= 0 && one < head.shape[axis])) return null;
    return { address: cellOf(head.address, index), value: head.at(...index) };
  }

  /** The number under the pointer, else the one that was picked. */
  #drawNumber(pointed) {
    const cell = pointed ?? this.#named();
    fill(
      this.number,
      cell
        ? [
            h("code", null, cell.address),
            " = ",
            h("b", { "data-address": cell.address, "data-value": exact(cell.value) }, short(cell.value, 5)),
          ]
        : t("Point at a cell, or move to it with the arrow keys."),
    );
  }

  #drawGrid(one, opened) {
    const names = [...one.heads.keys()].join();
    if (names !== this.names) {
      this.names = names;
      this.#canvases.clear();
      this.#shown.clear();
      const across = Math.max(...one.attention.map(({ shape }) => shape[0]));
      fill(
        this.grid,
        Object.entries(BLOCKS).map(([block, title]) => {
          const here = [...one.heads.keys()].filter((address) => blockOf(address) === block);
          if (!here.length) return null;
          return h(
            "section",
            null,
            h("h3", null, t(title)),
            h(
              "div",
              { class: "watch-block", style: { "--across": across } },
              here.map((address) => this.#thumbnail(address)),
            ),
          );
        }),
      );
    }
    for (const thumbnail of /** @type {NodeListOf<HTMLElement>} */ (this.grid.querySelectorAll("button")))
      thumbnail.setAttribute("aria-pressed", String(thumbnail.dataset.address === opened));
  }

  #thumbnail(address) {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const name = address.replace(".weights", "");
    this.#canvases.set(address, canvas);
    whenColoursChange(canvas, () => this.#draw(address));
    return h(
      "button",
      {
        type: "button",
        class: "watch-thumbnail",
        onclick: () => go({ at: address }, true),
        "aria-label": `${t("Open")} ${name}`,
        "data-address": address,
        "data-key": `open-${name}`,
      },
      canvas,
      h("small", { title: name }, name.replace(/^(enc|dec)\.(\d+)\.\w+/, "$2")), // the rest stands above all of them
    );
  }

  #draw(address) {
    const head = this.#shown.get(address);
    if (head) paint(this.#canvases.get(address), ...head.shape, head.data);
  }

  /** From the weights that are drawn to the new ones, where the tokens are the same. */
  #glide(one) {
    cancelAnimationFrame(this.#frame);
    const pairs = [...one.heads].map(([address, head]) => {
      const before = this.#shown.get(address);
      return [address, before && String(before.shape) === String(head.shape) ? before : null, head];
    });
    const begun = performance.now();
    const moves = !still.matches && !document.hidden && pairs.every(([, before]) => before);
    const draw = (now) => {
      const share = moves ? Math.min(1, (now - begun) / GLIDE) : 1;
      for (const [address, before, head] of pairs) {
        const data =
          share < 1 ? head.data.map((weight, i) => before.data[i] + share * (weight - before.data[i])) : head.data;
        this.#shown.set(address, new Numbers(address, head.shape, head.axes, data));
        this.#draw(address);
      }
      if (share < 1) this.#frame = requestAnimationFrame(draw);
    };
    draw(begun);
  }
}

const entropy = (shares) => shares.reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0);

/** The mutual information of rows and columns: high where each token looks at one thing, and each at another. */
function information(head) {
  const [rows, columns] = head.shape;
  const mean = new Float64Array(columns);
  let within = 0;
  for (let row = 0; row < rows; row += 1) {
    within += entropy(head.row(row)) / rows;
    head.row(row).forEach((weight, column) => (mean[column] += weight / rows));
  }
  return entropy(mean) - within;
}

/** The head that tells most; of cross-attention where there is any. */
function mostTelling(one) {
  const all = [...one.heads.values()];
  const cross = all.filter((head) => blockOf(head.address) === "cross");
  const ranked = (cross.length ? cross : all).toSorted((a, b) => information(b) - information(a));
  return ranked[0]?.address ?? "";
}
