// What a block of the flow picture holds, beside it: its matrix with the real numbers, head by head.

import { parse } from "../address.js";
import { Problem } from "../api.js";
import { button, fill, h } from "../dom.js";
import { t } from "../i18n.js";
import { panel } from "../panel.js";
import { blockOf, blockTitle } from "./plan.js";

const WIDTH = 440;

export class Peek {
  #shown = "";

  /** close(), look(address), number(address): what was pressed; matrices(address): a link to all matrices, or null. */
  constructor({ close, look, number, matrices }) {
    this.close = close;
    this.look = look;
    this.number = number;
    this.matrices = matrices;
    this.element = h("section", { class: "flow-peek", hidden: true, "aria-label": t("What the block holds") });
    this.placed = null;
    new ResizeObserver(() => this.#place()).observe(this.element); // a matrix is as high as it becomes
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  async show(trace, address, picture) {
    const block = address ? blockOf(address) : null;
    if (!address) {
      this.#shown = "";
      this.element.hidden = true;
      return;
    }
    const wanted = JSON.stringify([trace.question, address]);
    if (wanted !== this.#shown) {
      const numbers = await trace.numbers(address).catch((problem) => {
        if (problem instanceof Problem) return problem;
        throw problem;
      });
      this.#shown = wanted;
      if (numbers instanceof Problem) return this.#say(numbers.message);
      if (!block) return this.#say(t("This address belongs to no block of the picture."));
      this.#fill(trace, block, address, numbers);
    }
    if (!block) return;
    this.#mark(block, picture);
    this.placed = { picture, block };
    this.#place();
  }

  /** An address that is not there, from a link that was typed: the picture is there all the same. */
  #say(problem) {
    this.placed = null;
    fill(this.element, h("p", { class: "problem", role: "alert" }, problem), this.#closing());
    this.element.hidden = false;
  }

  #closing() {
    return button("✕", () => this.close(), { class: "small", "aria-label": t("Close"), "data-key": "peek-close" });
  }

  #fill(trace, block, address, numbers) {
    const { head, array } = parse(address);
    const figure = numbers.shape.length && numbers.shape.length < 3 ? panel(trace, numbers) : null;
    figure?.addEventListener("cell-pick", ({ detail }) => this.number(detail.address));
    this.matrix = figure?.matrix ?? null;
    const heads = Array.from({ length: head === null ? 0 : trace.architecture.heads }, (_, number) =>
      button(`h${number}`, () => this.look(`${block}.h${number}.${array}`), {
        class: "small",
        "aria-pressed": String(number === head),
        "data-key": `peek-h${number}`,
      }),
    );
    const active =
      this.element.contains(document.activeElement) && document.activeElement.getAttribute("data-key");
    fill(
      this.element,
      h("div", { class: "row tight" }, h("h3", null, blockTitle(trace, block)), this.#closing()),
      heads.length > 0 && h("div", { class: "tabs", role: "group", "aria-label": t("Head") }, heads),
      figure,
      this.matrices &&
        h("p", null, h("a", { href: this.matrices(address) }, `${t("All matrices of this block")} →`)),
    );
    this.element.hidden = false;
    const key = active && this.element.querySelector(`[data-key="${active}"]`);
    if (key instanceof HTMLElement) key.focus({ preventScroll: true });
  }

  /** The row of the token that is being predicted. */
  #mark(block, picture) {
    if (!this.matrix || picture.row === null || !block.startsWith("dec")) return;
    queueMicrotask(() => this.matrix?.mark({ row: picture.row }));
  }

  /** Beside its block, over the other tower, and within what is seen of the picture. */
  #place() {
    if (this.element.hidden || !this.placed?.picture.plan) return;
    const { picture, block } = this.placed;
    const { plan } = picture;
    const row = plan.row(block) ?? plan.row(block.split(".").slice(0, 2).join("."));
    const { clientWidth, scrollLeft } = picture.element;
    if (!clientWidth) return; // not on the page yet
    const width = Math.min(WIDTH, clientWidth - 16);
    const tower = plan.towers[row?.stack ?? block.slice(0, 3)];
    const { zoom } = picture;
    const wanted = tower === plan.towers.dec ? tower.left * zoom - width - 18 : tower.right * zoom + 18;
    const left = Math.max(scrollLeft + 8, Math.min(wanted, scrollLeft + clientWidth - width - 8));
    const place = { width: `${width}px`, left: `${left}px`, "max-height": `${plan.height * zoom - 16}px` };
    for (const [name, value] of Object.entries(place)) this.element.style.setProperty(name, value);
    const top = Math.min((row?.high ?? 0) * zoom - 20, plan.height * zoom - this.element.offsetHeight - 8);
    this.element.style.setProperty("top", `${Math.max(8, top)}px`);
  }
}
