// What the views share that open one sentence up: a box to write it in, and the trace that belongs to the URL.

import { giveUpUnfinished } from "./api.js";
import { h } from "./dom.js";
import { go, unchanged } from "./url-state.js";
import { Trace, questionOf } from "./trace.js";
import { View } from "./view.js";
import { t } from "./i18n.js";

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
  trace = null;
  branches = []; // what was forced, and what came of it

  constructor(container, model, known, box, example) {
    super(container, model, known);
    this.box = box;
    this.example = example;
  }

  /** The form of this view: another text starts anew, so `forgotten` is what belongs to the one before. */
  askForm(options, forgotten = {}) {
    const run = (text) => {
      this.branches = [];
      go({ text: this.box.matches("textarea") ? text : text.trim(), ...unchanged(), step: "", ...forgotten });
    };
    return askForm(this, this.box, { ...options, run });
  }

  /** What a subclass shows; `current()` is false once something newer is under way. */
  async draw(_current) {}

  update(state) {
    if (!(state.text ?? "").trim()) return go({ text: this.example }, true);
    this.state = state;
    if (document.activeElement !== this.box) this.box.value = state.text;
    const question = questionOf(state, this.model);
    return this.working(this.container, async (current) => {
      if (JSON.stringify(this.trace?.question) !== JSON.stringify(question)) {
        giveUpUnfinished();
        const trace = await Trace.open(this.model, question);
        if (!current()) return;
        this.trace = trace;
        this.remember(trace);
      }
      await this.draw(current);
    });
  }

  /** Branches are kept, so that one can go back and forth between them. */
  remember({ question, info }) {
    const key = JSON.stringify(question.force);
    if (!this.branches.some((one) => one.key === key))
      this.branches.push({ key, force: question.force, text: info.text });
  }
}
