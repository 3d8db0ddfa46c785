// Compare: two sentences, two packs, or heads on and off, side by side, with the difference.

import { giveUpUnfinished, Problem } from "../parts/api.js";
import { fill, h, language, refill, select, tabs, thing, button } from "../parts/dom.js";
import { keepLayers, OPEN } from "../parts/flow/open-layers.js";
import { keepWithin } from "../parts/limits.js";
import { isFreeForSpace } from "../parts/play.js";
import { greyWhatIsStale } from "../parts/stale.js";
import { chooseSentence, openText } from "../parts/open-text.js";
import { copied, lookedAt, onSide, sideOf, swapped } from "../parts/sides.js";
import { go, hash, unchanged } from "../parts/url-state.js";
import { questionOf } from "../parts/trace.js";
import { View } from "../parts/view.js";
import { filled, key, t } from "../parts/i18n.js";
import { alignment } from "./compare/alignment.js";
import { cards } from "./compare/cards.js";
import { flow } from "./compare/flow.js";
import { heads, SORTS } from "./compare/heads.js";
import { oneAddress } from "./compare/one-address.js";
import { outputs } from "./compare/outputs.js";
import { SideTrace, together } from "./compare/side-trace.js";
import { steps } from "./compare/steps.js";
import { sizesOf } from "./follow/where.js";

// zoom → its name, what draws it from both traces, and whether it shows one step
const ZOOMS = {
  steps: [key("Steps"), steps, true],
  flow: [key("Flow"), flow, true],
  alignment: [key("Alignment"), alignment, true],
  heads: [key("Heads"), heads, false],
  at: [key("One head or number"), oneAddress, false],
  cards: [key("Follow"), cards, true],
};
const HINDI = ["मैं कल दिल्ली गया था।", "मैं कल दिल्ली गई थी।"];
// shape → what is worth comparing with such a pack
const EXAMPLES = {
  "encoder-decoder": [
    { text: "He is my teacher.", text2: "She is my teacher." },
    { text: "The old man sat on the bank.", text2: "The old man sat on the river bank." },
    { text: "The teacher gave the boy a book.", off2: ["dec.1.cross.h3"] },
    { text: "I love my brother.", set2: ["enc.output[3]=0"] },
  ],
  encoder: [
    { text: "We walked along the river bank.", text2: "We took money from the bank." },
    { text: "The food was good.", text2: "The food was not good." },
  ],
  decoder: [
    { text: "To be, or not to", text2: "To live, or not to" },
    { text: "My lord,", off2: ["dec.0.self.h0"] },
  ],
};

export class Compare extends View {
  static whole = [...View.whole, "beam2", "max_length2"];
  static choices = { zoom: Object.keys(ZOOMS), sort: Object.keys(SORTS), how: ["attention", "occlusion"] };
  static patterns = { open: OPEN };

  traces = /** @type {SideTrace[] | null} */ (null); // of both sides
  flow = null; // both flow pictures, made when they are first looked at
  cards = 0; // of the walk
  asked = ""; // what the traces are of
  parts = 1; // of the longer text, where it is too long to be opened up at once
  shown = /** @type {string[] | null} */ (null); // the texts that what is seen belongs to

  constructor(container, model, known) {
    super(container, model, known);
    this.boxes = [0, 1].map((side) =>
      h("input", {
        id: `text-${side}`,
        type: "text",
        autocomplete: "off",
        spellcheck: "false",
        "data-key": `text-${side}`,
      }),
    );
    this.changes = [0, 1].map(() => h("div", { class: "row" }));
    this.choices = [0, 1].map(() => h("div", { class: "sentences" }));
    this.examples = h("div", { class: "row compared-examples" });
    this.output = h("section", { ...thing("output", t("What came out")) });
    this.zooms = h("div");
    this.walk = h("div", { class: "steps", role: "group", "aria-label": t("Steps") });
    this.stage = h("section", { class: "card" });
    fill(
      container,
      h("h1", null, t("Compare")),
      h(
        "p",
        { class: "muted lead unpresented" },
        t("Two sentences, two packs, or a model as it is and changed: side by side in every way of looking, with the difference."),
      ),
      h(
        "form",
        {
          class: "compared",
          onsubmit: (event) => {
            event.preventDefault();
            this.ask();
          },
        },
        this.boxes.map((box, side) =>
          h(
            "fieldset",
            { class: `card side-${"ab"[side]}` },
            h("legend", null, h("b", null, side ? "■ B" : "● A")),
            h("label", { class: "field grow", for: box.id }, h("span", null, t("Sentence")), box),
            this.choices[side],
            this.changes[side],
          ),
        ),
        h(
          "div",
          { class: "compared-buttons" },
          h("button", { class: "strong" }, t("Compare")),
          button("⇄", () => go(swapped(this.state)), {
            title: t("Swap"),
            "aria-label": t("Swap"),
            "data-key": "swap",
          }),
          button("A → B", () => go(copied(this.state)), {
            title: t("Copy A to B"),
            "aria-label": t("Copy A to B"),
            "data-key": "copy",
          }),
        ),
      ),
      this.examples,
      this.problem,
      this.output,
      h(
        "div",
        { role: "group", ...thing("difference", t("The difference")) },
        h("div", { class: "row" }, this.zooms, this.walk),
        this.stage,
      ),
    );
    this.greyWhatIsStale = greyWhatIsStale(container.querySelector("form"), this.boxes, () => this.shown);
    document.onkeydown = (event) => this.key(event);
  }

  ask() {
    const [first, second] = this.boxes.map((box) => box.value.trim());
    if (!first) return this.tell(t("The box is empty: write a sentence."));
    const anew = (side, text) =>
      text === sideOf(this.state, side).text ? {} : onSide(side, { force: [], hide: [] });
    return go({ ...anew(0, first), ...anew(1, second), text: first, text2: second, at2: "", step: "", sentence: "" });
  }

  /** [ and ] walk through the steps of both, ← and → through the cards, the space bar plays; except while typing. */
  key(event) {
    if (event.target.matches("input, textarea, select, canvas") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "[") this.step(-1);
    if (event.key === "]") this.step(1);
    if (event.key === "ArrowLeft" && this.zoom === "cards") this.turn(-1);
    if (event.key === "ArrowRight" && this.zoom === "cards") this.turn(1);
    if (event.key === " " && this.zoom === "flow" && this.flow && isFreeForSpace(event.target)) {
      event.preventDefault(); // it would scroll
      this.flow.play.toggle();
    }
  }

  leave() {
    this.flow?.play.pause();
  }

  next() {
    if (this.zoom !== "cards" || !this.turn(1)) this.step(1);
  }

  previous() {
    if (this.zoom !== "cards" || !this.turn(-1)) this.step(-1);
  }

  /** Through the steps of both; false where there are none. */
  step(by) {
    const last = (this.traces?.[0].rows.length ?? 0) - 1;
    const wanted = Number(this.state.step ?? 0) + by;
    if (wanted < 0 || wanted > last) return false;
    go({ step: String(wanted), zoom: ZOOMS[this.zoom][2] ? this.zoom : "steps" }, true);
    return true;
  }

  /** Through the cards of both walks; false where there are none. */
  turn(by) {
    const wanted = Number(this.state.card ?? 0) + by;
    if (wanted < 0 || wanted >= this.cards) return false;
    go({ card: String(wanted) }, true);
    return true;
  }

  /** How the two are looked at. */
  get zoom() {
    const first = this.traces?.every((trace) => trace.hasDecoder) ? "steps" : "heads";
    return ZOOMS[this.state.zoom] ? this.state.zoom : first;
  }

  /** The pack of a side: A has the one that the frame shows. */
  modelOf(side) {
    const wanted = side ? this.state.model2 : "";
    const found = wanted ? this.known.models.find((one) => one.name === wanted) : this.model;
    if (!found) throw new Problem(filled(t("There is no pack {name} here."), { name: wanted }));
    return found;
  }

  update(state, before = state) {
    this.state = state;
    if (!(state.text ?? "").trim()) return go({ ...this.offered[0], ...lookedAt(state) }, true);
    this.boxes.forEach((box, side) => {
      if (document.activeElement !== box) box.value = sideOf(state, side).text;
    });
    this.greyWhatIsStale();
    this.drawExamples();
    return this.working(this.container, async (current) => {
      const models = [0, 1].map((side) => this.modelOf(side));
      const sides = models.map((_, side) => ({ ...sideOf(state, side), sentence: state.sentence }));
      const asked = JSON.stringify(sides.map((one, side) => [questionOf(one, models[side]), one.sentence]));
      if (asked !== this.asked) {
        giveUpUnfinished();
        const isFirst = !this.traces;
        const opened = await bothOrWhose(sides.map((one, side) => openText(one, models[side], SideTrace)));
        if (!current()) return;
        this.asked = asked;
        this.traces = together(opened.map((one) => one.trace));
        this.parts = Math.max(...opened.map((one) => one.parts.length));
        opened.forEach((one, side) => refill(this.choices[side], chooseSentence(one.parts, one.part)));
        if (isFirst) before = {};
        refill(this.output, await outputs(this.traces));
        this.shown = [0, 1].map((side) => sideOf(state, side).text);
        this.greyWhatIsStale();
      }
      this.keepWithin(state, before);
      this.drawChanges(models);
      const { zoom } = this;
      if (zoom !== "flow") this.flow?.play.pause();
      this.drawWalk();
      refill(
        this.zooms,
        tabs(
          t("Zoom"),
          Object.entries(ZOOMS).map(([name, [title]]) => [name, t(title)]),
          zoom,
          (name) => go({ zoom: name }),
        ),
      );
      const drawn = await ZOOMS[zoom][1](this.traces, { ...state, step: Number(state.step ?? 0) }, this);
      if (current() && this.stage.firstChild !== drawn) refill(this.stage, drawn); // the flow picture stays, and plays on
      if (zoom === "cards") keepWithin({ card: this.cards }, state, before);
      if (before.step !== state.step) this.stage.querySelector("tr.here")?.scrollIntoView({ block: "nearest" });
    });
  }

  /** What both sides have. */
  keepWithin(state, before) {
    const [a, b] = this.traces.map(sizesOf);
    const sizes = Object.fromEntries(Object.keys(a).map((name) => [name, Math.min(a[name], b[name])]));
    keepWithin({ ...sizes, token: a.token, step: this.traces[0].rows.length, sentence: this.parts }, state, before);
    keepLayers(this.traces[0], state);
  }

  /** One step back, one on, for both. */
  drawWalk() {
    const { length } = this.traces[0].rows;
    const here = Number(this.state.step ?? 0);
    const walk = (text, label, by) =>
      button(text, () => this.step(by), {
        "aria-label": label,
        disabled: here + by < 0 || here + by >= length,
        "data-key": `step-${label}`,
      });
    this.walk.hidden = !length || !ZOOMS[this.zoom][2];
    refill(
      this.walk,
      walk("‹", t("Step back"), -1),
      h("output", { class: "count" }, `${t("Step")} ${here + 1} / ${length}`),
      walk("›", t("Next step"), 1),
    );
  }

  get offered() {
    if (this.model.shape === "encoder-decoder" && this.model.languages?.[0] === "hi")
      return [
        { text: HINDI[0], text2: HINDI[1] },
        { text: HINDI[0], off2: ["dec.1.cross.h0"] },
      ];
    const found = EXAMPLES[this.model.shape];
    return this.model.labels.length ? found.toReversed() : found; // a classifier first shows another label
  }

  drawExamples() {
    const plain = { ...onSide(0, unchanged()), ...onSide(1, { ...unchanged(), text: "", model: "", beam: "" }) };
    const others = this.known.models.filter((one) => one.shape === this.model.shape && one !== this.model);
    const packs = others
      .filter((one) => this.model.shape === "encoder" || String(one.languages) === String(this.model.languages))
      .map((one) => ({ text: this.offered[0].text, model2: one.name }));
    const other = (one) =>
      one.off2 ? filled(t("without {heads}"), { heads: one.off2.join(", ") }) : (one.set2 ?? one.model2 ?? one.text2);
    const name = (one) => `${one.text} · ${other(one)}`;
    refill(
      this.examples,
      h("span", { class: "muted" }, t("Try")),
      [...this.offered.filter((one) => this.has(one.off2 ?? [])), ...packs].map((one) =>
        button(name(one), () => go({ ...plain, ...one, at: "", at2: "", step: "" }), {
          class: "chip",
          lang: language(one.text),
          "data-key": name(one),
        }),
      ),
    );
  }

  /** Whether the pack has these heads. */
  has(names) {
    return names.every((name) => {
      const [, stack, layer, part, head] = /^(enc|dec)\.(\d+)\.(\w+)\.h(\d+)$/.exec(name);
      if (stack === "dec" && part === "self" && this.model.architecture.decoder_self === "ssru") return false;
      const layers = this.model.architecture[stack === "enc" ? "encoder_layers" : "decoder_layers"];
      return Number(layer) < layers && Number(head) < this.model.architecture.heads;
    });
  }

  /** What makes a side what it is, beside its sentence: the pack, and what was changed in it. */
  drawChanges(models) {
    this.changes.forEach((row, side) => {
      const here = sideOf(this.state, side),
        trace = this.traces[side];
      const set = (changes) => go({ ...onSide(side, changes), at2: "" });
      const all = trace.parts.flatMap((part) =>
        Array.from({ length: trace.architecture.heads }, (_, head) => `${part}.h${head}`),
      );
      const chips = Object.keys(unchanged()).flatMap((name) =>
        here[name].map((one) =>
          button(
            `${t(CHANGED[name] ?? name)} ${inWords(trace, name, one)} ✕`,
            () => set({ [name]: here[name].filter((other) => other !== one) }),
            {
              class: "chip",
              "aria-label": `${t("Take back")}: ${name} ${one}`,
              "data-key": `${name}-${side}-${one}`,
            },
          ),
        ),
      );
      const view = this.zoom === "cards" ? "follow" : trace.hasCross ? "bench" : trace.hasDecoder ? "write" : "follow";
      const step = trace.hasDecoder ? String(trace.stepIn(Number(this.state.step ?? 0))) : "";
      const alone = { view, ...here, model: models[side].name, zoom: OPENED[this.zoom], ...lookedAt(this.state), step };
      refill(
        row,
        select(
          t("Pack"),
          this.known.models.map((one) => [one.name, one.name]),
          models[side].name,
          (name) => go({ ...onSide(side, { model: name, ...unchanged(), beam: "" }), at: "", at2: "" }),
          { "data-key": `model-${side}` },
        ),
        select(
          t("Switch off"),
          [["", "–"], ...all.filter((name) => !here.off.includes(name)).map((name) => [name, name])],
          "",
          (name) => name && set({ off: [...here.off, name] }),
          { "data-key": `off-${side}` },
        ),
        chips,
        h("a", { class: "open-side", href: hash(alone) }, t("Open it up")),
      );
    });
  }
}

// how the two are looked at → how one alone is, in the Bench
const OPENED = { flow: "flow", alignment: "alignment", heads: "atlas", at: "head" };
// how a model may be changed → the word in front of it
const CHANGED = { off: key("Off"), force: key("Forced"), hide: key("Hidden"), set: key("Set by hand") };

/** A change as a person reads it: pieces and words instead of their numbers. */
function inWords(trace, name, one) {
  const word = (number) => trace.info.source.words.filter((other) => !other.special)[number]?.text;
  const step = Number(one.split(":")[0]);
  if (name === "force") return `${step + 1}: ${trace.steps[step]?.chosen.text ?? "?"}`;
  return name === "hide" ? (word(one) ?? one) : one;
}

/** Both traces; what is wrong says which side it is about. */
async function bothOrWhose(asked) {
  const found = await Promise.allSettled(asked);
  found.forEach((one, side) => {
    if (one.status === "fulfilled") return;
    throw one.reason instanceof Problem ? new Problem(`${"AB"[side]}: ${one.reason.message}`) : one.reason;
  });
  return found.map((one) => /** @type {PromiseFulfilledResult<any>} */ (one).value);
}
