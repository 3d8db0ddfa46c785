// <dhyan-matrix>: a matrix on a canvas, with labels, a cell that follows the pointer or the arrow keys, and a table
// for whoever prefers to read it. A number is the accent colour with more or less opacity; orange is negative.

import { cellOf } from "./address.js";
import { h, language } from "./dom.js";
import { exact, short } from "./numbers.js";
import { whenRoomChanges } from "./repaint.js";
import { t } from "./i18n.js";

const LARGE = 36,
  SMALL_LABEL = 11,
  FONT = 12,
  LONGEST = 108;

/** In presenter mode the page's type is larger, and a matrix as much: it is laid out as ever, and drawn larger. */
const larger = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
const NUMBERS_FROM = 34; // pixels of a cell that has room for its number
const MOST_IN_TABLE = 4000;
const SECOND_CLICK = 260; // milliseconds in which a click may become a double click

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

let lastEdited = null; // the cell that a box was opened for: { base, cell }

export class Matrix extends HTMLElement {
  #given = null;
  #marks = {};
  #cell = null;
  #byHandCells = null; // a byte for each cell, or null where none was set by hand
  #first = 0; // the timer of a click that may be the first of two

  /** numbers: Numbers of two axes. rows, columns: labels or null. base: the address whose cells these are.
   * isEditable: whether a cell can be set by hand ("cell-edit" asks for it). isSet(i, j): whether it was.
   * scale: what is drawn in full colour. positive, negative: the colours. */
  show(given) {
    this.#given = given;
    this.#cell = null;
    this.#byHandCells = given.isSet && marked(given);
    this.dataset.address = given.base;
    if (!this.canvas) this.#build();
    this.canvas.setAttribute(
      "aria-label",
      [
        `${given.base}, ${given.numbers.shape.join(" × ")}.`,
        t("Arrow keys move, Enter opens the number."),
        given.isEditable ? t("Double-click a cell, or type a number on it, to set it by hand.") : "",
      ].join(" "),
    );
    this.table?.remove();
    this.table = null;
    this.draw();
  }

  /** Whoever has set a cell stays on it, though the matrix is made anew with what came of it. */
  connectedCallback() {
    if (!this.#given || lastEdited?.base !== this.#given.base || document.activeElement !== document.body) return;
    this.#cell = lastEdited.cell;
    this.canvas.focus({ preventScroll: true });
    lastEdited = null;
  }

  /** Rows and columns to point out: hovering one panel marks the others. */
  mark(marks) {
    this.#marks = marks;
    this.draw();
  }

  #build() {
    this.canvas = h("canvas", { tabindex: "0", role: "img" });
    this.canvas.addEventListener("pointermove", (event) => this.#move(this.#under(event)));
    this.canvas.addEventListener("pointerleave", () => this.#move(null));
    this.canvas.addEventListener("click", (event) => this.#click(/** @type {PointerEvent} */ (event)));
    this.canvas.addEventListener("dblclick", (event) => this.#edit(this.#under(event)));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.append(this.canvas);
    whenRoomChanges(this, () => this.draw());
  }

  #key(event) {
    const [rows, columns] = this.#given.numbers.shape;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key in steps) {
      event.preventDefault();
      const [i, j] = this.#cell ?? [0, 0];
      const [down, right] = this.#cell ? steps[event.key] : [0, 0];
      this.#move([Math.min(rows - 1, Math.max(0, i + down)), Math.min(columns - 1, Math.max(0, j + right))]);
    } else if (event.key === "Enter" && this.#cell) this.#pick(this.#cell);
    else if (this.#given.isEditable && this.#cell && /^([\d.−-]|F2)$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault(); // the box is given what was typed
      event.stopPropagation(); // in presenter mode digits lead to other views
      this.#edit(this.#cell, event.key === "F2" ? "" : event.key);
    }
  }

  /** A click opens the number; where it can be set, once it is clear that no second click follows. */
  #click(event) {
    clearTimeout(this.#first);
    const cell = this.#under(event);
    if (!this.#given.isEditable || event.pointerType === "touch") this.#pick(cell);
    else if (event.detail < 2) this.#first = setTimeout(() => this.isConnected && this.#pick(cell), SECOND_CLICK);
  }

  #edit(cell, typed = "") {
    clearTimeout(this.#first);
    if (!cell || !this.#given.isEditable) return;
    lastEdited = { base: this.#given.base, cell };
    const { left, top, width, height } = this.#layout;
    const canvas = this.canvas.getBoundingClientRect();
    const [x, y, wide, tall] = [left + cell[1] * width, top + cell[0] * height, width, height].map((one) => one * larger());
    const box = new DOMRect(canvas.left + x, canvas.top + y, wide, tall);
    const detail = { address: this.address(cell), value: this.#given.numbers.at(...cell), box, typed };
    this.dispatchEvent(new CustomEvent("cell-edit", { detail, bubbles: true }));
  }

  #under(event) {
    const { left, top, width, height } = this.#layout;
    const box = this.canvas.getBoundingClientRect();
    const [rows, columns] = this.#given.numbers.shape;
    const i = Math.floor(((event.clientY - box.top) / larger() - top) / height),
      j = Math.floor(((event.clientX - box.left) / larger() - left) / width);
    return i >= 0 && j >= 0 && i < rows && j < columns ? [i, j] : null;
  }

  address([i, j]) {
    return cellOf(this.#given.base, this.#given.flat ? [j] : [i, j]);
  }

  #move(cell) {
    if (String(cell) === String(this.#cell)) return;
    this.#cell = cell;
    this.draw();
    const detail = cell && {
      i: cell[0],
      j: cell[1],
      value: this.#given.numbers.at(...cell),
      address: this.address(cell),
    };
    if (detail) this.canvas.title = `${detail.address} = ${short(detail.value, 6)}`;
    this.dispatchEvent(new CustomEvent("cell-hover", { detail, bubbles: true }));
  }

  #pick(cell) {
    if (!cell) return;
    const detail = { i: cell[0], j: cell[1], value: this.#given.numbers.at(...cell), address: this.address(cell) };
    this.dispatchEvent(new CustomEvent("cell-pick", { detail, bubbles: true }));
  }

  #layout = { left: 0, top: 0, width: 1, height: 1 };

  draw() {
    if (!this.#given || !this.canvas) return;
    const { numbers, rows, columns } = this.#given;
    const [high, broad] = numbers.shape;
    const large = larger();
    const room = Math.max(120, (this.parentElement?.clientWidth || 300) / large) - 2;
    const pen = this.canvas.getContext("2d");
    pen.font = `${FONT}px ${colour("font") || "sans-serif"}`;
    const longest = (labels) =>
      Math.min(LONGEST, Math.max(0, ...(labels ?? []).map((label) => pen.measureText(label).width)));
    let left = rows ? longest(rows) + 8 : 0;
    if (left > room / 2) left = room / 2;
    const beyond = columns ? longest(columns.slice(-2)) * 0.72 : 0; // slanted labels lean over the right edge
    const least = columns ? SMALL_LABEL + 1 : 1;
    const width = Math.max(least, Math.min(LARGE, (room - left - beyond - 1) / broad));
    const low = high > 24 ? 14 : 18;
    const height = Math.max(rows ? 13 : 3, Math.min(LARGE * 0.72, Math.max(width, high === 1 ? 22 : low)));
    const slanted = columns && width >= SMALL_LABEL;
    const top = slanted ? longest(columns) * 0.72 + 14 : 2;
    const right = slanted ? beyond : 0;
    this.#layout = { left, top, width, height };
    const [wide, tall] = [left + broad * width + right + 2, top + high * height + 2];
    const dense = large * (window.devicePixelRatio || 1);
    this.canvas.width = wide * dense;
    this.canvas.height = tall * dense;
    this.canvas.style.width = `${wide * large}px`;
    this.canvas.style.height = `${tall * large}px`;
    pen.scale(dense, dense);
    pen.font = `${FONT}px ${colour("font") || "sans-serif"}`;
    this.#labels(pen, rows, slanted ? columns : null);
    this.#cells(pen, numbers, high, broad);
    this.#byHand(pen, high, broad);
    this.#frame(pen, high, broad);
  }

  #labels(pen, rows, columns) {
    const { left, top, width, height } = this.#layout;
    const [ink, muted] = [colour("ink"), colour("muted")];
    const { row, column } = this.#marked();
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    (rows ?? []).forEach((label, i) => {
      pen.fillStyle = row === i ? colour("accent") : ink;
      pen.fillText(label, left - 6, top + (i + 0.5) * height, left - 8);
    });
    pen.textAlign = "left";
    (columns ?? []).forEach((label, j) => {
      pen.save();
      pen.translate(left + (j + 0.5) * width + 2, top - 6);
      pen.rotate(-Math.PI / 4);
      pen.fillStyle = column === j ? colour("accent") : ink;
      pen.fillText(label, 0, 0, LONGEST);
      pen.restore();
    });
    pen.fillStyle = muted;
  }

  #marked() {
    return { row: this.#cell?.[0] ?? this.#marks.row, column: this.#cell?.[1] ?? this.#marks.column };
  }

  #cells(pen, numbers, high, broad) {
    const { left, top, width, height } = this.#layout;
    const { scale = numbers.scale, positive = "accent", negative: below = "negative" } = this.#given;
    const [accent, negative, line] = [colour(positive), colour(below), colour("line")];
    const printed = width >= NUMBERS_FROM && high * broad <= 400;
    const [paper, ink] = [colour("paper"), colour("ink")];
    for (let i = 0; i < high; i += 1) {
      for (let j = 0; j < broad; j += 1) {
        const value = numbers.at(i, j),
          x = left + j * width,
          y = top + i * height;
        const strength = Number.isFinite(value) ? Math.min(1, Math.abs(value) / scale) : 0;
        if (!Number.isFinite(value)) {
          // a mask: neither zero nor a number
          pen.globalAlpha = 0.6;
          pen.fillStyle = line;
          pen.fillRect(x, y, width, height);
        } else if (strength > 0.002) {
          pen.globalAlpha = strength;
          pen.fillStyle = value < 0 ? negative : accent;
          pen.fillRect(x, y, Math.max(1, width - (width > 6 ? 1 : 0)), Math.max(1, height - (height > 6 ? 1 : 0)));
        }
        pen.globalAlpha = 1;
        if (printed) {
          pen.fillStyle = strength > 0.55 ? paper : ink;
          pen.textAlign = "center";
          pen.font = `10px ${colour("font")}`;
          pen.fillText(short(value, Math.abs(value) < 100 ? 2 : 0), x + width / 2, y + height / 2);
        }
      }
    }
  }

  /** What was set by hand has a line around it, and a corner turned up. */
  #byHand(pen, high, broad) {
    const cells = this.#byHandCells;
    if (!cells) return;
    const { left, top, width, height } = this.#layout;
    const is = (i, j) => i >= 0 && j >= 0 && i < high && j < broad && cells[i * broad + j] === 1;
    const corner = Math.min(7, height / 2);
    pen.strokeStyle = pen.fillStyle = colour("second");
    pen.lineWidth = 2;
    pen.beginPath();
    for (let i = 0; i < high; i += 1) {
      for (let j = 0; j < broad; j += 1) {
        if (!is(i, j)) continue;
        const [x, y] = [left + j * width, top + i * height];
        const [right, bottom] = [x + width, y + height];
        const line = (...ends) => (pen.moveTo(ends[0], ends[1]), pen.lineTo(ends[2], ends[3]));
        if (!is(i - 1, j)) line(x, y, right, y);
        if (!is(i + 1, j)) line(x, bottom, right, bottom);
        if (!is(i, j - 1)) line(x, y, x, bottom);
        if (!is(i, j + 1)) line(right, y, right, bottom);
        if (!is(i - 1, j) && !is(i, j + 1)) turnUp(pen, right, y, corner);
      }
    }
    pen.stroke();
  }

  #frame(pen, high, broad) {
    const { left, top, width, height } = this.#layout;
    const { row, column } = this.#marked();
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    pen.strokeRect(left, top, broad * width, high * height);
    pen.strokeStyle = colour("accent");
    pen.lineWidth = 1.5;
    if (row !== undefined && row !== null && row < high)
      pen.strokeRect(left, top + row * height, broad * width, height);
    if (column !== undefined && column !== null && column < broad)
      pen.strokeRect(left + column * width, top, width, high * height);
  }

  /** The same as a table, shown or put away again. */
  toggleTable() {
    if (this.table) {
      this.table.remove();
      this.table = null;
      return false;
    }
    this.table = tableOf(this.#given);
    this.append(this.table);
    return true;
  }
}

export function tableOf({ numbers, rows, columns, base, flat = false, isSet = null, isEditable = false }) {
  const [high, broad] = numbers.shape;
  const shown = Math.max(1, Math.min(high, Math.floor(MOST_IN_TABLE / broad)));
  const name = (labels, index) => labels?.[index] ?? String(index);
  const body = Array.from({ length: shown }, (_, i) =>
    h(
      "tr",
      null,
      h("th", { scope: "row", lang: language(name(rows, i)) }, name(rows, i)),
      Array.from({ length: broad }, (_, j) =>
        h(
          "td",
          {
            "data-address": cellOf(base, flat ? [j] : [i, j]),
            "data-value": exact(numbers.at(i, j)),
            ...((flat ? isSet?.(j) : isSet?.(i, j)) ? { class: "by-hand", title: t("set by hand") } : {}),
          },
          short(numbers.at(i, j), 4),
        ),
      ),
    ),
  );
  const head = h(
    "tr",
    null,
    h("td", null),
    Array.from({ length: broad }, (_, j) =>
      h("th", { scope: "col", lang: language(name(columns, j)) }, name(columns, j)),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": base },
    h(
      "table",
      { class: "numbers" },
      h("caption", null, base, shown < high ? ` (${shown} / ${high})` : ""),
      h("thead", null, head),
      h("tbody", { ondblclick: isEditable && editCell }, body),
    ),
  );
}

/** A byte for each cell: found out once, for a matrix is drawn at every move of the pointer. */
function marked({ numbers, isSet, flat }) {
  const [high, broad] = numbers.shape;
  const at = (cell) => (flat ? isSet(cell) : isSet(Math.floor(cell / broad), cell % broad));
  return Uint8Array.from({ length: high * broad }, (_, cell) => Number(at(cell)));
}

/** A filled corner, right and up. */
function turnUp(pen, x, y, size) {
  const corner = new Path2D();
  corner.moveTo(x - size, y);
  corner.lineTo(x, y);
  corner.lineTo(x, y + size);
  pen.fill(corner);
}

function editCell(event) {
  const cell = event.target.closest("td[data-address]");
  const detail = cell && { address: cell.dataset.address, box: cell.getBoundingClientRect(), typed: "" };
  if (detail) cell.dispatchEvent(new CustomEvent("cell-edit", { detail, bubbles: true }));
}

customElements.define("dhyan-matrix", Matrix);
