// What the views share that open one sentence up: a box to write it in, and the trace that belongs to the URL.

import { Problem, giveUpUnfinished } from "./api.js";
import { h, refill } from "./dom.js";
import { chooseSentence, offerSpeltOut, openText } from "./open-text.js";
import { keepLayers, OPEN } from "./flow/open-layers.js";
import { keepWithin } from "./limits.js";
import { remark } from "./remarks.js";
import { greyWhatIsStale } from "./stale.js";
import { amend, go, unchanged } from "./url-state.js";
import { questionOf } from "./trace.js";
import { View } from "./view.js";
import { filled, t } from "./i18n.js";

/** A form around a box. What is written there goes to `run`; an empty box is refused. grow: as wide as there is room. */
export function askForm(view, box, { label, press = t("Run"), empty, grow = false, run }) {
  const submit = (event) => {
    event.preventDefault();
    if (box.value.trim()) run(box.value);
    else view.tell(empty);
  };
  const named = grow
    ? h("label", { class: "field grow", for: box.id }, h("span", null, label), box)
    : [h("label", { for: box.id }, label), box];
  return h(
    "form",
    { class: grow ? "ask wrap" : "ask", onsubmit: submit },
    named,
    h("button", { class: "strong" }, press),
  );
}

/** A view of one trace. A subclass draws `this.trace` in `draw(current)`, and gives the box and an example. */
export class TraceView extends View {
  /** @type {Record<string, string[]>} */
  static choices = { words: ["1"], flow: ["1"] };
  static patterns = { open: OPEN };

  trace = null;
  asked = ""; // what it is the trace of
  shown = ""; // the text that what is seen belongs to
  parts = 1; // of the text, where it is too long to be opened up at once
  branches = []; // what was forced, and what came of it

  constructor(container, model, known, box, example) {
    super(container, model, known);
    this.box = box;
    this.example = example;
    this.choice = h("div", { class: "sentences" });
  }

  /** The form of this view: another text starts anew, so `forgotten` is what belongs to the one before. */
  askForm(options, forgotten = {}) {
    const run = (text) => {
      this.branches = [];
      go({ text: this.box.matches("textarea") ? text : text.trim(), ...unchanged(), step: "", sentence: "", ...forgotten });
    };
    this.form = askForm(this, this.box, { ...options, run });
    this.greyWhatIsStale = greyWhatIsStale(this.form, [this.box], () => this.trace && [this.shown]);
    return [this.form, this.choice];
  }

  /** What a subclass shows; `current()` is false once something newer is under way. */
  async draw(_current) {}

  update(state, before = state) {
    if (!(state.text ?? "").trim()) return go({ text: this.example }, true);
    this.state = state;
    if (document.activeElement !== this.box) this.box.value = state.text;
    this.greyWhatIsStale();
    return this.working(this.container, async (current) => {
      const isFirst = !this.asked;
      const question = () => JSON.stringify([questionOf(state, this.model), state.sentence ?? ""]);
      if (this.asked !== question()) {
        giveUpUnfinished();
        const { trace, parts, part } = await this.openWhatCanBe(state, current);
        if (!current()) return;
        if (this.trace?.info.asked !== trace.info.asked) this.branches = [];
        Object.assign(this, { trace, asked: question(), shown: state.text });
        this.greyWhatIsStale();
        this.remember(trace);
        refill(this.choice, chooseSentence(parts, part), offerSpeltOut(trace));
        this.parts = parts.length;
      }
      keepWithin({ ...this.sizes(this.trace), sentence: this.parts }, state, isFirst ? {} : before);
      keepLayers(this.trace, state);
      await this.draw(current);
    });
  }

  /** Parameters of a link that count something → how many of it there are. */
  sizes({ steps, info, architecture }) {
    return { step: steps.length, token: info.source.tokens.length, head: architecture.heads };
  }

  /** Where a link changes the model as it cannot be changed: the model as it is, and a word about it. */
  async openWhatCanBe(state, current) {
    try {
      return await openText(state, this.model);
    } catch (problem) {
      const plain = { ...unchanged(), beam: "", max_length: "" };
      const isChanged = Object.keys(plain).some((name) => state[name]?.length);
      if (!(problem instanceof Problem && problem.isRefused && isChanged && current())) throw problem;
      const found = await openText({ ...state, ...plain }, this.model);
      if (current()) {
        remark([filled(t("What this link changes in the model is left out: {why}"), { why: problem.message })]);
        amend(plain);
      }
      return found;
    }
  }

  /** Branches are kept, so that one can go back and forth between them. */
  remember({ question, info }) {
    const key = JSON.stringify(question.force);
    if (!this.branches.some((one) => one.key === key))
      this.branches.push({ key, force: question.force, text: info.text });
  }
}
