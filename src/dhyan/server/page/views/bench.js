// Bench, which the page calls "Look inside": the translator on the table. Input and steps on top, a map, a stage with
// five zooms, an inspector, and below the decode tape or the beam.

import { isAttention, parse } from "../parts/address.js";
import { get } from "../parts/api.js";
import { Consequence } from "../parts/consequence.js";
import { Occlusion } from "../parts/occlusion.js";
import { exampleFor } from "../parts/examples.js";
import { TraceView } from "../parts/trace-view.js";
import { fill, h, language, refill, select, tabs, button, thing, roving } from "../parts/dom.js";
import { hideable } from "../parts/hideable.js";
import { keepKnown } from "../parts/limits.js";
import { short } from "../parts/numbers.js";
import { go } from "../parts/url-state.js";
import { key, t } from "../parts/i18n.js";
import { alignment } from "./bench/alignment.js";
import { atlas, SORTS } from "./bench/atlas.js";
import { beamGrid } from "./bench/beam.js";
import { comparing } from "../parts/sides.js";
import { flow, flowMap } from "./bench/flow.js";
import { inspector } from "./bench/inspector.js";
import { oneHead } from "./bench/head.js";
import { oneNumber } from "../parts/number.js";
import { isFreeForSpace } from "../parts/play.js";
import { tape } from "../parts/tape.js";

// zoom → its name, what draws it, and which parts of the state that hangs on
const ZOOMS = {
  flow: [key("Flow"), flow, ["step", "head", "open", "peek", "token"]],
  alignment: [key("Alignment"), alignment, ["step", "how", "via", "links", "isOccluded"]],
  atlas: [key("Head atlas"), atlas, ["sort", "words", "at"]],
  head: [key("One head"), oneHead, ["at", "step", "words"]],
  number: [key("One number"), oneNumber, ["at"]],
};

// zoom → where two runs are seen in that way
const COMPARED = { flow: "flow", alignment: "alignment", atlas: "heads", head: "at", number: "at" };

export class Bench extends TraceView {
  static choices = {
    ...TraceView.choices,
    zoom: Object.keys(ZOOMS),
    below: ["tape", "beam"],
    sort: Object.keys(SORTS),
    how: ["attention", "occlusion"],
  };

  flow = /** @type {import("../parts/flow/stage.js").FlowStage | null} */ (null); // made when it is first looked at

  constructor(container, model, known) {
    const box = h("input", {
      id: "sentence",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      "data-key": "sentence",
    });
    super(container, model, known, box, exampleFor(model));
    this.options = h("div", { class: "row bench-options" });
    this.said = h("div", { class: "said" });
    this.live = h("p", { class: "unseen", "aria-live": "polite" });
    this.map = h("nav", { class: "map", "aria-label": t("Architecture") });
    this.zooms = h("div", { class: "bench-zooms" });
    this.stage = h("section", { class: "stage" });
    this.inspector = h("aside", { class: "inspector", ...thing("inspector", t("Inspector")) });
    this.below = h("section", { class: "below", ...thing("tape", t("Decoding")) });
    this.consequence = new Consequence((trace) => this.devSet(trace));
    this.drawn = new Map(); // region → what it shows
    const ask = { label: t("Sentence"), empty: t("The box is empty: write a sentence.") };
    fill(
      container,
      h("h1", null, t("Look inside")),
      this.askForm(ask, { at: "", via: "" }),
      this.problem,
      this.options,
      this.said,
      this.live,
      h(
        "div",
        { class: "workbench", "data-zoom": "" },
        this.map,
        h("div", { class: "middle", role: "group", ...thing("stage", t("Stage")) }, this.zooms, this.stage),
        this.inspector,
      ),
      this.below,
      this.consequence.element,
    );
    document.onkeydown = (event) => this.key(event);
  }

  /** [ and ] walk through the steps wherever the keyboard is, except while typing. */
  key(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "[") this.step(-1);
    if (event.key === "]") this.step(1);
    if (event.key === " " && this.flow?.element.isConnected && isFreeForSpace(event.target)) {
      event.preventDefault(); // it would scroll
      this.flow.play.toggle();
    }
  }

  // for whoever presents: a key on, a key back
  next() {
    this.step(1);
  }

  previous() {
    this.step(-1);
  }

  leave() {
    this.flow?.play.pause();
  }

  step(by) {
    if (!this.trace) return;
    const wanted = Math.min(this.trace.steps.length - 1, Math.max(0, Number(this.state.step ?? 0) + by));
    go({ step: String(wanted) }, true);
  }

  async draw(current) {
    const { trace, state } = this;
    const step = Math.min(trace.steps.length - 1, Math.max(0, Number(state.step ?? 0)));
    const zoom = state.zoom in ZOOMS ? state.zoom : "flow";
    keepKnown("via", trace.crossHeads, state);
    const shown = { ...state, ...this.looksAt(zoom), step, zoom, words: state.words === "1" };
    this.map.parentElement.dataset.zoom = zoom;
    this.drawOptions(trace, shown);
    this.drawSaid(trace, shown);
    this.consequence.show(trace, state);
    if (zoom !== "flow") refill(this.map, flowMap(trace, shown, this.map.querySelector("details")?.open));
    refill(
      this.zooms,
      tabs(
        t("Zoom"),
        Object.entries(ZOOMS).map(([name, [title]]) => [name, t(title)]),
        zoom,
        (name) => go({ zoom: name }),
      ),
    );
    const [, onStage, hangsOn] = ZOOMS[zoom];
    const below = state.below === "beam" ? beamGrid : tape;
    const drawn = await Promise.allSettled([
      this.redraw(current, this.stage, onStage, shown, hangsOn),
      this.redraw(current, this.inspector, inspector, shown, ["at", "words", "zoom"]),
      this.redraw(current, this.below, below, shown, ["step"]),
    ]);
    const failed = drawn.find((one) => one.status === "rejected");
    if (current() && failed) throw failed.reason;
  }

  /** The address that is looked at, and the cross-attention head that the reader has chosen, if any (via): the links and
   * the inspector show the same one. */
  looksAt(zoom) {
    const { trace, state } = this;
    const occlusion = Occlusion.of(trace);
    const opened = zoom === "flow" && state.peek ? state.peek : (state.at ?? "");
    const { part, head } = parse(opened);
    const named = isAttention(part) && head !== null ? `${part}.h${head}` : (state.via ?? "");
    const via = trace.crossHeads.includes(named) ? named : "";
    const links = via || occlusion.best || occlusion.usual || trace.crossHeads.at(-trace.architecture.heads);
    const isElsewhere = zoom === "alignment" && !via; // what is looked at draws no links
    const at = opened && !isElsewhere ? opened : `${links}.weights`;
    return { via, links, at, isOccluded: occlusion.isComplete };
  }

  /** Fill a region, unless the trace and all of the state that it hangs on are those that it shows already. */
  async redraw(current, region, make, shown, hangsOn) {
    const wanted = JSON.stringify([make.name, this.trace.question, hangsOn.map((name) => shown[name])]);
    if (this.drawn.get(region) === wanted) return;
    this.drawn.delete(region); // while it is made, and if that fails, it shows something else
    const made = await make(this.trace, shown, this);
    if (!current()) return;
    if (region.firstChild !== made) refill(region, made); // the flow picture stays, and plays on
    this.drawn.set(region, wanted);
  }

  drawOptions(trace, state) {
    const last = trace.steps.length - 1;
    const walk = (text, label, to) =>
      button(text, () => go({ step: String(to) }, true), {
        "aria-label": label,
        disabled: to < 0 || to > last,
        "data-key": `step-${label}`,
      });
    refill(
      this.options,
      h(
        "div",
        { class: "steps", role: "group", "aria-label": t("Steps") },
        walk("⏮", t("First step"), state.step > 0 ? 0 : -1),
        walk("‹", t("Step back"), state.step - 1),
        h("output", { class: "count" }, `${t("Step")} ${state.step + 1} / ${last + 1}`),
        walk("›", t("Next step"), state.step + 1),
        walk("⏭", t("Last step"), state.step < last ? last : last + 1),
      ),
      select(
        t("Beam"),
        [1, 2, 3, 4, 6, 8].map((width) => [width, width === 1 ? t("1, greedy") : String(width)]),
        trace.info.beam,
        (beam) => go({ beam, force: [] }),
        { "data-key": "beam" },
      ),
      h(
        "label",
        { class: "field" },
        h("input", {
          type: "checkbox",
          checked: state.words,
          "data-key": "words",
          onchange: (event) => go({ words: event.target.checked ? "1" : "" }),
        }),
        h("span", null, t("Whole words")),
      ),
      trace.info.seconds >= 0.001 && // else nothing was computed: it was known already
        h("span", { class: "muted" }, `${(1000 * trace.info.seconds).toFixed(0)} ms`),
      h("a", { href: comparing(this.state, this.model, COMPARED[state.zoom]), "data-key": "compare" }, t("Compare with…")),
    );
    const chosen = trace.steps[state.step];
    if (chosen)
      this.live.textContent = `${t("Step")} ${state.step + 1}: ${chosen.chosen.text}, ${short(chosen.chosen.probability)}`;
  }

  /** What the model said, word by word. */
  drawSaid(trace, state) {
    const { predicted } = trace.info;
    const word = predicted.tokens[trace.firstRow + state.step]?.word;
    const words = predicted.words.map((one, number) => ({ ...one, number })).filter((one) => !one.special);
    refill(
      this.said,
      state.zoom !== "alignment" && this.given(trace), // whose links have the words of the source, too
      roving(
        h(
          "p",
          { class: "words", lang: language(trace.info.text), role: "group", "aria-label": t("Translation") },
          words.map((one) => [
            button(one.text, () => go({ step: String(one.start) }, true), {
              class: "chip",
              lang: language(one.text),
              "aria-pressed": String(one.number === word),
              "data-key": `word-${one.number}`,
            }),
            " ",
          ]),
        ),
      ),
      h(
        "p",
        { class: "muted" },
        t("Log-probability"),
        " ",
        h("span", { "data-value": trace.info.score }, short(trace.info.score)),
        " · ",
        t("while predicting"),
        " ",
        h(
          "b",
          { lang: language(trace.steps[state.step]?.chosen.text ?? "") },
          `→ ${trace.steps[state.step]?.chosen.text ?? ""}`,
        ),
      ),
    );
  }

  /** The words that were given: each can be hidden. */
  given(trace) {
    const words = trace.info.source.words.filter((word) => !word.special);
    return roving(
      h(
        "p",
        { class: "given", role: "group", "aria-label": t("Words of the source") },
        words.map((word, number) => [hideable(trace, word.text, number), " "]),
        h("small", { class: "muted" }, t("Press a word to hide it from the model.")),
      ),
    );
  }

  /** Without some heads: how does a dev set fare? */
  devSet({ info: { heads_off: off } }) {
    if (!off.length) return null;
    if (!this.known.dev_pairs)
      return h(
        "p",
        { class: "muted" },
        t("Start `dhyan serve --dev pairs.tsv` to see how a dev set fares without these heads."),
      );
    const line = h("p", { class: "muted" });
    const asked = () => {
      line.textContent = t("Running the dev set…");
      get("dev", { model: this.model.name, off })
        .then((found) => {
          line.textContent = `${t("Dev set")} (${found.pairs}): ${t("log-probability per token")} ${short(found.before)} → ${short(found.after)}`;
        })
        .catch((problem) => {
          line.textContent = problem.message;
        });
    };
    line.append(button(t("How does the dev set fare without?"), asked));
    return line;
  }
}
