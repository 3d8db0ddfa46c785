// A number box on the spot: any cell, its row, its column or all of an array is set by hand, or copied from another
// sentence's run. The server is asked first, so that what does not fit is said here and the page stays as it is.

import { parse, whole } from "./address.js";
import { Problem, get } from "./api.js";
import { button, h, select } from "./dom.js";
import { readSet, withSet } from "./edits.js";
import { full } from "./numbers.js";
import { go } from "./url-state.js";
import { t } from "./i18n.js";

const MOST_WRITTEN_OUT = 24; // numbers of a row that stand in the box to be rewritten
const EDGE = 8; // pixels to the edge of the window

let shown = null;

/** Open it at a box of the window. address: a cell, a row, an array. typed: what the keyboard has begun with. known: the
 * number that stands there, if it is one and there already. */
function openEditor(trace, address, box, typed = "", known = undefined) {
  shown?.remove();
  const begins = typed || (known === undefined ? "" : full(known));
  shown = new Editor(trace, address, begins, () => place(shown, box)).element;
  document.body.append(shown);
  shown.showPopover();
  place(shown, box);
  const value = shown.querySelector("#by-hand");
  value.focus();
  if (!typed) value.select();
}

/** What listens to the "cell-edit" of matrices and tables. */
export const editing = (trace) => (event) => {
  const { address, box, typed, value } = /** @type {CustomEvent} */ (event).detail;
  openEditor(trace, address, box, typed, value);
};

/** The button that opens it. */
export const editButton = (trace, address, properties = {}) => {
  const opens = button(t("Set by hand"), () => openEditor(trace, address, opens.getBoundingClientRect()), {
    "data-key": "set",
    ...properties,
  });
  return opens;
};

function place(element, box) {
  const { width, height } = element.getBoundingClientRect();
  const left = Math.min(box.left, window.innerWidth - width - EDGE);
  const below = box.bottom + 6;
  const top = below + height + EDGE > window.innerHeight ? box.top - height - 6 : below;
  element.style.setProperty("left", `${Math.max(EDGE, left)}px`);
  element.style.setProperty("top", `${Math.max(EDGE, Math.min(top, window.innerHeight - height - EDGE))}px`);
}

class Editor {
  /** begins: what stands in the box at first. grown: called when there is more of it to see. */
  constructor(trace, address, begins, grown) {
    this.trace = trace;
    this.scopes = scopes(trace, address);
    this.address = address;
    this.value = h("input", {
      id: "by-hand",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.where = h("code", { class: "where" });
    const value = this.#all.map(readSet).findLast((one) => one.from)?.from ?? ""; // whence the last was copied
    this.sentence = h("input", { id: "copy-from", type: "text", autocomplete: "off", spellcheck: "false", value });
    this.other = h("input", { id: "copy-address", type: "text", autocomplete: "off", spellcheck: "false" });
    this.note = h("p", { class: "muted" });
    this.element = h(
      "form",
      { popover: "auto", class: "editor", role: "dialog", "aria-label": t("Set by hand"), onsubmit: this.#submit },
      h(
        "div",
        { class: "what" },
        this.where,
        this.scopes.length > 1 && select(t("What"), this.scopes, address, (chosen) => this.#choose(chosen)),
      ),
      h(
        "div",
        { class: "value-row" },
        h("label", { class: "unseen", for: "by-hand" }, t("Value")),
        this.value,
        h("button", { class: "strong" }, t("Set")),
        button(t("Zero"), () => this.#set("0")),
        this.#isSet() && button(t("Take back"), () => this.#takeBack()),
      ),
      this.note,
      h(
        "details",
        {
          ontoggle: () => {
            grown();
            if (this.sentence.checkVisibility()) this.sentence.focus();
          },
        },
        h("summary", null, t("Copy from another sentence")),
        h(
          "div",
          { class: "copied" },
          h("label", { class: "field", for: "copy-from" }, h("span", null, t("Sentence")), this.sentence),
          h("label", { class: "field", for: "copy-address" }, h("span", null, t("Address")), this.other),
          button(t("Copy"), () => this.#copy()),
        ),
      ),
      this.problem,
    );
    this.sentence.addEventListener("keydown", this.#enterCopies);
    this.other.addEventListener("keydown", this.#enterCopies);
    this.element.addEventListener("toggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "closed") this.element.remove();
    });
    this.#choose(address, begins);
  }

  /** All that is set by hand in this run. */
  get #all() {
    return this.trace.question.set ?? [];
  }

  #enterCopies = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.#copy();
  };

  #submit = (event) => {
    event.preventDefault();
    if (this.value.value.trim()) this.#set(this.value.value.replaceAll("−", "-").replaceAll("∞", "inf").replace(/\s+/g, ""));
  };

  /** Another part of the array: its numbers go into the box where they are few. */
  async #choose(address, begins = "") {
    this.address = address;
    this.where.textContent = address;
    this.other.value = address;
    this.note.hidden = parse(address).array !== "weights";
    this.note.textContent = t("A row of weights need not sum to 1: it is taken as it is.");
    this.value.value = begins;
    const { data } = await this.trace.numbers(address).catch(() => ({ data: [] }));
    if (this.address !== address || this.value.value) return; // something was written meanwhile
    this.value.value = data.length <= MOST_WRITTEN_OUT ? Array.from(data, (one) => full(one)).join(", ") : "";
    this.value.placeholder = data.length > 1 ? `${t("one number, or as many as there are")}: ${data.length}` : "";
    if (document.activeElement === this.value) this.value.select();
  }

  #copy() {
    const text = this.sentence.value.trim();
    if (!text) return this.#tell(t("The box is empty: write a sentence."));
    const other = this.other.value.trim();
    return this.#set(`${other === this.address ? "" : other}~${text}`);
  }

  #isSet = () => this.#all.some((one) => this.scopes.some(([address]) => readSet(one).address === address));

  #takeBack() {
    const mine = this.scopes.map(([address]) => address);
    this.#leave(this.#all.filter((one) => !mine.includes(readSet(one).address)));
  }

  /** Ask whether the model can go on from there; then let the page show it. */
  async #set(value) {
    const set = withSet(this.#all, this.address, value);
    this.#tell("");
    this.element.setAttribute("aria-busy", "true");
    try {
      await get("explain", { ...this.trace.question, set });
    } catch (problem) {
      if (problem.name === "AbortError") return undefined;
      if (!(problem instanceof Problem)) throw problem;
      return this.#tell(problem.message);
    } finally {
      this.element.removeAttribute("aria-busy");
    }
    return this.#leave(set);
  }

  #leave(set) {
    this.element.hidePopover();
    go(this.trace.asking({ set }));
  }

  #tell(message) {
    this.problem.textContent = message;
    this.problem.hidden = !message;
  }
}

/** What can be set around an address: [address, name] of itself, its row, its column, all of its array. */
function scopes(trace, address) {
  const { name, head, index } = parse(address),
    array = whole(address);
  const all = [array, t("all of it")];
  if (!index.length) return [all];
  const axes = (trace.info.addresses[name]?.length ?? NaN) - (head === null ? 0 : 1); // a weight's are not known here
  const isSingle = index.every((cell) => /^\d+$/.test(cell));
  if (isSingle && index.length === axes - 1) return [[address, t("this row")], all];
  if (!isSingle || index.length < axes) return [[address, t("these cells")], all];
  if (index.length === 1) return [[address, t("this cell")], all];
  const [row, column] = [index.slice(0, -1), index.map((cell, axis) => (axis === index.length - 2 ? ":" : cell))];
  return [
    [address, t("this cell")],
    [`${array}[${row.join(",")}]`, t("its row")],
    [`${array}[${column.join(",")}]`, t("its column")],
    all,
  ];
}
