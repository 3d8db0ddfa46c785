// The flow picture twice: the same layers unfolded, the same head, the same block opened, playing together; and how the
// attention of the unfolded layers and the next token differ.

import { h, refill } from "../../parts/dom.js";
import { openLayers } from "../../parts/flow/open-layers.js";
import { FlowStage, howToRead, thickness } from "../../parts/flow/stage.js";
import { weightsOf } from "../../parts/flow/weights.js";
import { Numbers } from "../../parts/numbers.js";
import { Play } from "../../parts/play.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";
import { candidates } from "./candidates.js";
import { difference, mean } from "./difference.js";
import { differencePanel, why } from "./difference-panel.js";
import { legend } from "./legend.js";
import { absent, between, panes } from "./panes.js";
import { PlayingTogether } from "./playing-together.js";

/** It stays while the steps go by: it may be playing. */
export async function flow(traces, state, compare) {
  compare.flow ??= new FlowPair();
  return compare.flow.show(traces, state);
}

class FlowPair {
  traces = [];
  row = 0; // of their steps
  #apart = ""; // what the differences are of

  constructor() {
    const number = (at) => ({ zoom: "at", at, at2: "", peek: "" });
    this.stages = [0, 1].map(() => new FlowStage({ number, matrices: number, together: true }));
    this.controls = h("div", { class: "row" });
    this.tokens = h("div");
    this.attention = h("div");
    this.element = h("div", { class: "flow-pair" });
    this.play = new Play(
      new PlayingTogether(
        this.stages.map((stage) => stage.playing),
        {
          element: this.element,
          rows: () => this.traces[0].rows,
          here: () => this.row,
          turn: (row) => go({ step: String(row) }, true),
        },
      ),
    );
    this.element.append(
      h("div", { class: "row" }, this.play.controls, this.controls),
      h("p", { class: "muted" }, howToRead()),
      panes(this.stages.map((stage) => stage.element)),
      between(this.tokens, this.attention),
    );
  }

  async show(traces, state) {
    if (this.play.playing && (traces !== this.traces || state.step !== this.play.step)) this.play.pause();
    Object.assign(this, { traces, row: state.step });
    this.play.controls.hidden = !traces[0].rows.length;
    const head = state.head ? Number(state.head) : null;
    refill(this.controls, thickness(Math.min(...traces.map((trace) => trace.architecture.heads)), head));
    await Promise.all(
      this.stages.map((stage, side) => stage.show(traces[side], { ...state, step: traces[side].stepIn(state.step) })),
    );
    refill(this.tokens, await candidates(traces, state.step));
    const wanted = JSON.stringify([traces.map((trace) => trace.question), head, state.open ?? ""]);
    if (wanted !== this.#apart) refill(this.attention, await attention(traces, head, state.open));
    this.#apart = wanted;
    return this.element;
  }
}

/** B − A of the attention in the layers that are unfolded. */
async function attention(traces, head, given) {
  const opened = traces.map((trace) => {
    const layers = openLayers(trace, given);
    return trace.parts.filter((part) => layers[part.slice(0, 3)] === Number(part.split(".")[1]));
  });
  const parts = opened[0].filter((part) => opened[1].includes(part));
  if (!parts.length) return absent(t("No layer is unfolded on both sides: press one to see how its attention differs."));
  const weights = await Promise.all(traces.map((trace, side) => weightsOf(trace, head, opened[side])));
  const drawn = parts.map((part) => {
    const both = traces.map((trace, side) => numbersOf(trace, weights[side].get(part)));
    const apart = difference(traces, both);
    if (!apart) return absent(`${part}: ${why(both)}`);
    if (apart.whole && !mean(apart.numbers)) return absent(`${both[0].address}: ${t("the same on both sides.")}`);
    const figure = differencePanel(apart, both[0].address);
    figure.addEventListener("cell-pick", () => go({ zoom: "at", at: `${part}.h${head ?? 0}.weights`, at2: "" }));
    return figure;
  });
  return [
    h("p", { class: "muted" }, t("Attention in the unfolded layers; tokens that both have are compared."), " ", legend()),
    h("div", { class: "three-panels" }, drawn),
  ];
}

/** The weights that are drawn, as a matrix: of one head, or the mean. */
function numbersOf(trace, weights) {
  const { part, head, rows, columns } = weights;
  const data = Float32Array.from({ length: rows * columns }, (_, cell) =>
    weights.at(Math.floor(cell / columns), cell % columns),
  );
  const address = head === null ? `${part}.weights` : `${part}.h${head}.weights`;
  return new Numbers(address, [rows, columns], trace.sides(part), data);
}
