// Watch a training while it runs, or afterwards: curves, checkpoints, what each makes of a few texts, where it looks.
//
// What is shown is asked for again every few seconds, with the tag of the last answer: where nothing has changed, the
// server says so in four bytes. A page that nobody sees asks for nothing.

import { getNow } from "../parts/api.js";
import { button, fill, h, refill, tabs } from "../parts/dom.js";
import { filled, key, t } from "../parts/i18n.js";
import { keepKnown } from "../parts/limits.js";
import { isFreeForSpace } from "../parts/play.js";
import { go } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { checkpoint } from "./watch/checkpoint.js";
import { Curves, SMOOTHINGS } from "./watch/curves.js";
import { duration, loss, whole } from "./watch/figures.js";
import { Heads } from "./watch/heads.js";
import { SampleTexts } from "./watch/samples.js";
import { Strip } from "./watch/strip.js";

const RUNNING = 2000,
  RESTING = 10_000; // milliseconds between two looks
const SILENT = 90; // seconds without a word after which that is said
const HOW = {
  preparing: key("Reading the data"),
  prepared: key("Prepared, not begun"),
  running: key("Running"),
  finished: key("Finished"),
  stopped: key("Stopped"),
  failed: key("Failed"),
  killed: key("Ended without a word"),
};
const HIGHER_IS_BETTER = ["bleu", "chrf", "accuracy", "f1", "micro_f1", "exact_match", "pearson", "spearman", "r2"];
const USE = {
  translate: key("Translate with it"),
  write: key("Write with it"),
  embed: key("Open it"),
  classify: key("Open it"),
};
const VIEW_OF = { translate: "translate", write: "write", embed: "understand", classify: "understand" };

export class Watch extends View {
  static whole = ["checkpoint"];
  static choices = { scale: ["log"], smooth: SMOOTHINGS, with: ["all"] };

  names = [];
  here = null; // the step that is shown
  #infos = new Map(); // name → the server's last answer
  #timer = 0;
  #left = false;

  constructor(container, model, known) {
    super(container, model, known);
    this.status = h("div", { class: "watch-status" });
    this.said = h("p", { class: "unseen", role: "status" });
    this.curves = new Curves(this);
    this.strip = new Strip(this);
    this.texts = new SampleTexts();
    this.heads = new Heads();
    this.waiting = h("p", { class: "muted" });
    this.body = h("div", { class: "watch", hidden: true });
    this.samples = h(
      "div",
      { class: "watch-samples", hidden: true },
      this.strip.element,
      h("div", { class: "watch-two" }, this.texts.element, this.heads.element),
    );
    fill(
      container,
      h("h1", null, t("Watch a training")),
      this.problem,
      this.status,
      this.said,
      fill(this.body, this.curves.element, this.waiting, this.samples),
    );
    this.seen = () => (document.hidden ? clearTimeout(this.#timer) : this.#look());
    document.addEventListener("visibilitychange", this.seen);
    document.onkeydown = (event) => this.#key(event);
  }

  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!this.info?.checkpoints.length || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "[") this.previous();
    else if (event.key === "]") this.next();
    else if (event.key === " " && isFreeForSpace(target)) {
      event.preventDefault();
      this.strip.toggle();
    }
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#timer);
    this.strip.pause();
    document.removeEventListener("visibilitychange", this.seen);
  }

  update(state) {
    this.state = state;
    return this.working(this.container, async (current) => {
      if (!this.names.length) this.names = (await getNow("trainings")).map((one) => one.name);
      if (!current()) return;
      if (!this.names.length)
        return this.tell(t("No training is watched here: start with `dhyan serve --training FOLDER`."));
      if (state.training && !this.names.includes(state.training)) {
        const sentence = t("No training {name} is watched here; there is {known}.");
        return this.tell(filled(sentence, { name: state.training, known: this.names.join(", ") }));
      }
      await this.#renew();
      if (!current()) return;
      await this.draw(current);
      this.#later();
    });
  }

  get name() {
    return this.state.training || this.names[0];
  }

  get info() {
    return this.#infos.get(this.name);
  }

  get others() {
    return this.state.with ? this.names.filter((one) => one !== this.name).map((one) => this.#infos.get(one)) : [];
  }

  // -- what the server says ------------------------------------------------------------------------------------

  /** Whether anything has changed. */
  async #renew() {
    const wanted = this.state.with ? this.names : [this.name];
    const answers = await Promise.all(
      wanted.map((name) => {
        const seen = this.#infos.get(name)?.tag ?? "";
        return getNow(`trainings/${encodeURIComponent(name)}?seen=${seen}`);
      }),
    );
    answers.forEach(
      (answer, index) => answer && this.#infos.set(wanted[index], { ...answer, came: Date.now() / 1000 }),
    );
    return answers.some(Boolean);
  }

  #later() {
    clearTimeout(this.#timer);
    if (this.#left || document.hidden) return;
    this.#timer = window.setTimeout(() => this.#look(), this.info?.how === "running" ? RUNNING : RESTING);
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      const before = this.info;
      const changed = await this.#renew();
      if (this.#left) return;
      if (changed) await this.draw(() => !this.#left);
      else this.#drawStatus();
      if (before && before.how !== this.info.how) this.said.textContent = t(HOW[this.info.how]);
    } catch (problem) {
      if (!this.#left) this.tell(problem.message);
    }
    this.#later();
  }

  // -- what is shown ---------------------------------------------------------------------------------------------

  /** The newest checkpoint, from now on. */
  follow() {
    this.strip.pause();
    go({ checkpoint: "" }, true);
  }

  show(step) {
    go({ checkpoint: String(step) }, true);
  }

  /** The checkpoint that comes nearest to a step of the curve. */
  choose(step) {
    const { checkpoints } = this.info;
    if (step === null || !checkpoints.length) return;
    this.show(checkpoints.toSorted((a, b) => Math.abs(a - step) - Math.abs(b - step))[0]);
  }

  next() {
    this.strip.move(1);
  }

  previous() {
    this.strip.move(-1);
  }

  async draw(current) {
    const { info } = this;
    this.#drawStatus();
    this.body.hidden = false;
    const curved = info.train.step.length + info.validations.length > 0;
    this.curves.element.hidden = !curved;
    if (curved) this.curves.show(info, this.others.filter(Boolean));
    const { checkpoints } = info;
    if (checkpoints.length) keepKnown("checkpoint", checkpoints.map(String), this.state);
    const wanted = this.state.checkpoint ? Number(this.state.checkpoint) : checkpoints.at(-1);
    const at = checkpoints.includes(wanted) ? wanted : checkpoints.findLast((one) => one <= wanted);
    this.samples.hidden = at === undefined;
    this.waiting.hidden = at !== undefined;
    this.waiting.textContent = at === undefined ? this.#whatIsWaitedFor(info) : "";
    if (at === undefined) return;
    const before = checkpoints[checkpoints.indexOf(at) - 1];
    const [now, earlier] = await Promise.all(
      [at, before].map((step) => (step === undefined ? null : checkpoint(info.name, step, info.began))),
    );
    if (!current() || info.name !== this.name) return;
    keepKnown("at", [...now.heads.keys()], { at: this.state.at?.replace(/\[.*$/, "") }); // a cell is one of a head
    const isNew = this.here !== at;
    this.here = at;
    this.strip.show(info, at, this.heads.opened(now, this.state.at));
    this.texts.show(info.objective, now, earlier);
    if (this.heads.one?.key !== now.key || this.heads.at !== this.state.at) this.heads.show(now, this.state.at);
    if (isNew) this.said.textContent = filled(t("step {step}"), { step: whole(at) });
  }

  #whatIsWaitedFor(info) {
    if (info.step > 0) return t("This training has recorded no sample texts: it was begun with an earlier version.");
    return t("The curve begins with the first seconds of training, the checkpoints before its first step.");
  }

  #drawStatus() {
    const { info } = this;
    const age = info.heard === null ? null : info.now - info.heard + (Date.now() / 1000 - info.came);
    const running = info.how === "running";
    const left = running && info.seconds_left !== null ? Math.max(0, info.seconds_left - Math.max(0, age)) : null;
    const halted = ["stopped", "failed", "killed"].includes(info.how);
    refill(
      this.status,
      this.names.length > 1 &&
        tabs(
          t("Trainings"),
          this.names.map((name) => [name, name]),
          this.name,
          (name) => go({ training: name, checkpoint: "", at: "" }),
        ),
      h(
        "p",
        { class: "watch-line" },
        h("b", { class: "watch-name" }, info.name),
        h("span", { class: `watch-how ${info.how}`, "data-how": info.how }, t(HOW[info.how])),
        info.steps > 0 &&
          h("span", null, filled(t("step {step} of {steps}"), { step: whole(info.step), steps: whole(info.steps) })),
        this.#best(info),
        left !== null && age <= SILENT && h("span", null, filled(t("about {time} left"), { time: duration(left) })),
        running &&
          age > SILENT &&
          h("span", { class: "watch-silent" }, filled(t("nothing heard for {time}"), { time: duration(age) })),
        info.how === "finished" && info.pack && this.#useIt(info),
      ),
      info.steps > 0 && h("progress", { max: info.steps, value: info.step, "aria-label": t("Progress") }),
      info.said && h("p", { class: info.how === "failed" ? "problem" : "muted" }, info.said),
      halted &&
        !info.said.includes("--resume") &&
        h(
          "p",
          { class: "muted" },
          t("Go on with:"),
          " ",
          h("code", null, `dhyan train --resume ${info.name}.training`),
        ),
    );
  }

  /** Which checkpoint becomes the pack, as of now. */
  #best(info) {
    const sign = HIGHER_IS_BETTER.includes(info.metric) ? -1 : 1;
    const [best] = info.validations
      .filter((one) => info.metric in one.metrics)
      .toSorted((a, b) => sign * (a.metrics[info.metric] - b.metrics[info.metric]) || a.metrics.loss - b.metrics.loss);
    if (!best) return null;
    const said = { metric: info.metric, value: loss(best.metrics[info.metric]), step: whole(best.step) };
    return h("span", null, filled(t("best {metric} {value} at step {step}"), said));
  }

  /** The finished pack came after this page had asked what there is: the page is loaded anew. */
  #useIt(info) {
    const use = () => {
      location.hash = `#/${VIEW_OF[info.task]}?model=${encodeURIComponent(info.pack)}`;
      location.reload();
    };
    return button(t(USE[info.task]), use, { "data-key": "use" });
  }
}
