// Zoom 1, flow: the whole model as one picture, with the sentence flowing through it. Beside the other zooms it stands
// in small, to find one's way.

import { parse } from "../../parts/address.js";
import { button, h, refill, select } from "../../parts/dom.js";
import { compact } from "../../parts/flow/compact.js";
import { FlowPicture } from "../../parts/flow/picture.js";
import { blockOf, openedBy } from "../../parts/flow/plan.js";
import { Playing } from "../../parts/flow/playing.js";
import { Play } from "../../parts/play.js";
import { forcing } from "../../parts/tape.js";
import { go, hash, state as url } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

/** Which layer of each stack is shown in full: `open=enc.3,dec.0` in the URL; none is written `enc.`. */
export function openLayers(trace, given = "") {
  const a = trace.architecture;
  const found = { enc: trace.hasEncoder ? 0 : null, dec: trace.hasDecoder ? a.decoder_layers - 1 : null };
  for (const one of given.split(",").filter(Boolean)) {
    const [stack, layer] = one.split(".");
    const most = { enc: a.encoder_layers, dec: a.decoder_layers }[stack];
    if (stack in found && found[stack] !== null)
      found[stack] = layer !== "" && Number(layer) < most ? Number(layer) : null;
  }
  return found;
}

const written = (open) =>
  Object.entries(open)
    .map(([stack, layer]) => `${stack}.${layer ?? ""}`)
    .join(",");

export class FlowStage {
  constructor(bench) {
    this.bench = bench;
    this.controls = h("div", { class: "row" });
    this.words = h(
      "p",
      { class: "muted" },
      t(
        "A ribbon is a token. It is put together from slices of those that it looks at: as wide as their attention. Press a block for its numbers.",
      ),
    );
    this.picture = new FlowPicture({
      link: (row) => this.#link(row),
      candidate: (step, guess) => this.#candidate(step, guess),
      pick: (address) => go({ at: address, zoom: "number" }),
      point: (token) => this.#point(token),
    });
    this.play = new Play(new Playing(this.picture, { turn: (step) => go({ step: String(step) }, true) }));
    const full = button("⛶", () => this.#fullScreen(), {
      "aria-label": t("Full screen"),
      title: t("Full screen"),
    });
    const saved = button("SVG", () => this.picture.export("flow.svg"), {
      "aria-label": t("Save the picture as SVG"),
    });
    this.element = h(
      "div",
      { class: "flow-stage" },
      h(
        "div",
        { class: "row" },
        this.play.controls,
        this.controls,
        h("div", { class: "row flow-tools" }, saved, full),
      ),
      this.words,
      this.picture.element,
    );
  }

  async show(trace, state) {
    if (this.play.playing && (state.step !== this.play.step || trace !== this.trace)) this.play.pause(); // somebody else steps
    this.trace = trace;
    const head =
      state.head === undefined || state.head === ""
        ? null
        : Math.min(trace.architecture.heads - 1, Number(state.head) || 0);
    this.#drawControls(head);
    await this.picture.show({
      trace,
      step: state.step,
      head,
      open: openLayers(trace, state.open),
      here: url.at ? state.at : null,
      token: state.token ? `enc:${Number(state.token)}` : null,
    });
    return this.element;
  }

  #drawControls(head) {
    const { trace } = this;
    refill(
      this.controls,
      select(
        t("Thickness"),
        [
          ["", t("mean of all heads")],
          ...Array.from({ length: trace.architecture.heads }, (_, number) => [number, `h${number}`]),
        ],
        head ?? "",
        (number) => go({ head: number }, true),
        { "data-key": "flow-head" },
      ),
    );
  }

  #fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.element.requestFullscreen();
  }

  #link(row) {
    const open = openLayers(this.trace, url.open);
    if (row.close) return hash({ ...url, open: written({ ...open, [row.stack]: null }) });
    if (row.kind === "closed") return hash({ ...url, open: written({ ...open, [row.stack]: row.layer }) });
    const at = ["norm", "add", "both"].includes(row.kind)
      ? row.at
      : openedBy(row.id, parse(url.at ?? "").head ?? 0);
    return hash({ ...url, at, zoom: "head" });
  }

  #candidate(step, guess) {
    if (guess.id === step.chosen.id)
      return hash({ ...url, at: guess.address, zoom: "number", step: String(step.step) });
    return hash({ ...url, force: forcing(url.force, step.step, guess.id), step: String(step.step) });
  }

  #point(token) {
    const [stack, number] = token.split(":");
    if (stack === "enc") go({ token: url.token === number ? "" : number }, true);
    else
      go(
        { step: String(Math.max(0, Math.min(this.trace.steps.length - 1, Number(number) - this.trace.firstRow))) },
        true,
      );
  }
}

export async function flow(trace, state, bench) {
  bench.flow ??= new FlowStage(bench);
  return bench.flow.show(trace, state);
}

/** wasOpen: whether the reader has it open already. */
export function flowMap(trace, state, wasOpen) {
  const a = trace.architecture;
  const head = parse(state.at).head ?? 0;
  return h(
    "details",
    { open: wasOpen ?? window.innerWidth > 760 },
    h(
      "summary",
      null,
      t("Map"),
      " ",
      h("span", { class: "muted" }, `d_model ${a.d_model}, ${a.heads} × ${a.d_model / a.heads}`),
    ),
    compact(trace, {
      here: blockOf(state.at),
      link: (block) => hash({ ...url, at: openedBy(block, head), zoom: "head" }),
      off: (block) => trace.info.heads_off.some((one) => one.startsWith(`${block}.`)),
    }),
  );
}
