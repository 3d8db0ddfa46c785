// Loss, and beside it learning rate, speed, norm of the gradient and the metric: all over the same steps, with one cursor.

import { button, fill, h, refill, select, thing } from "../../parts/dom.js";
import { exact } from "../../parts/numbers.js";
import { key, filled, t } from "../../parts/i18n.js";
import { go } from "../../parts/url-state.js";
import { Chart, nearest, smoothed } from "./chart.js";
import * as figures from "./figures.js";

const SMOOTH = [
  ["0", key("none")],
  ["0.6", key("a little")],
  ["0.9", key("more")],
  ["0.98", key("strong")],
];
export const SMOOTHINGS = SMOOTH.map(([value]) => value);
const USUAL = "0.6";
const FEW = 3; // points, which a line alone would hardly show
// column of the training's curve → its title, and how its numbers are written
const SMALL = {
  learning_rate: [key("Learning rate"), figures.rate],
  tokens_per_second: [key("Tokens per second"), figures.speed],
  gradient_norm: [key("Norm of the gradient"), figures.loss],
};

export class Curves {
  step = null; // that is pointed at

  constructor(view) {
    this.view = view;
    this.loss = new Chart({ title: t("Loss over steps"), height: 300, format: figures.loss, about: 5 });
    this.small = Object.fromEntries(
      [...Object.entries(SMALL), ["metric", [key("Metric"), figures.loss]]].map(([name, [title, format]]) => {
        const chart = new Chart({ title: t(title), height: 140, format, about: 2, fromZero: name !== "gradient_norm" });
        const caption = h("figcaption", null, t(title));
        return [name, { chart, caption, figure: h("figure", { class: "watch-small" }, caption, chart.element) }];
      }),
    );
    this.controls = h("div", { class: "row watch-controls" });
    this.readout = h("dl", { class: "watch-readout" });
    this.table = h("div", { hidden: true });
    this.slider = h(
      "div",
      {
        class: "watch-loss",
        tabindex: "0",
        role: "slider",
        "aria-label": t("Step that is pointed at"),
        "data-key": "curve",
        onkeydown: (event) => this.#key(event),
        onpointermove: (event) => this.point(this.loss.stepAt(event)),
        onpointerleave: () => this.point(null),
        onclick: (event) => this.view.choose(this.loss.stepAt(event)),
      },
      this.loss.element,
    );
    for (const { chart, figure } of Object.values(this.small)) {
      figure.addEventListener("pointermove", (event) => this.point(chart.stepAt(event)));
      figure.addEventListener("pointerleave", () => this.point(null));
    }
    this.element = h(
      "section",
      { class: "card watch-curves", ...thing("curves", t("Curves")) },
      h(
        "div",
        { class: "watch-main" },
        h("div", { class: "row watch-head" }, h("h2", null, t("Loss")), this.controls),
        this.slider,
        this.readout,
      ),
      h(
        "div",
        { class: "watch-more" },
        Object.values(this.small).map(({ figure }) => figure),
      ),
      this.table,
    );
  }

  get #keep() {
    return SMOOTHINGS.includes(this.view.state.smooth) ? this.view.state.smooth : USUAL;
  }

  /** info: the chosen training; others: those that are shown beside it. */
  show(info, others) {
    this.info = info;
    const log = this.view.state.scale === "log";
    const all = [info, ...others];
    this.span = { from: 0, to: Math.max(1, ...all.map((one) => one.step)) };
    const losses = info.train.loss;
    const curve = smoothed(losses, Number(this.#keep));
    const validations = info.validations;
    const steps = validations.map((one) => one.step);
    this.curve = curve;
    this.loss.show({
      ...this.span,
      log,
      marks: info.resumed,
      lines: [
        ...others.map((one, index) => ({
          name: `other other-${index % 3}`,
          steps: one.train.step,
          values: smoothed(one.train.loss, Number(this.#keep)),
        })),
        { name: "raw", steps: info.train.step, values: losses, faint: true },
        { name: "train", steps: info.train.step, values: curve, dots: losses.length <= FEW },
        { name: "valid", steps, values: validations.map((one) => one.metrics.loss ?? null), dots: steps.length <= 60 },
      ],
    });
    for (const name of Object.keys(SMALL)) {
      const values = info.train[name];
      const known = values.some((value) => value !== null);
      this.small[name].figure.hidden = !known;
      if (known)
        this.small[name].chart.show({
          ...this.span,
          log: name === "gradient_norm" && log,
          lines: [{ name: "train", steps: info.train.step, values, dots: values.length <= FEW }],
        });
    }
    this.#showMetric(info, steps);
    this.#drawControls(others);
    this.#drawReadout();
    if (!this.table.hidden) this.#drawTable();
    this.slider.setAttribute("aria-valuemin", String(this.span.from));
    this.slider.setAttribute("aria-valuemax", String(this.span.to));
  }

  /** The metric that decides; where that is the loss itself, another that is measured. */
  #showMetric(info, steps) {
    const measured = Object.keys(info.validations.at(-1)?.metrics ?? {}).filter((name) => name !== "loss");
    this.metric = measured.includes(info.metric) ? info.metric : (measured[0] ?? null);
    const { figure, caption, chart } = this.small.metric;
    figure.hidden = !this.metric;
    if (!this.metric) return;
    caption.textContent = filled(t("{metric} of the validation"), { metric: this.metric });
    const values = info.validations.map((one) => one.metrics[this.metric] ?? null);
    chart.show({ ...this.span, lines: [{ name: "valid", steps, values, dots: steps.length <= 30 }] });
  }

  point(step) {
    this.step = step;
    for (const chart of [this.loss, ...Object.values(this.small).map((one) => one.chart)]) chart.point(step);
    this.#drawReadout();
  }

  #key(event) {
    const steps = this.info?.train.step.length ? this.info.train.step : (this.info?.checkpoints ?? []);
    const here = this.step === null ? steps.length - 1 : nearest(steps, this.step);
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (event.key === "Enter" && this.step !== null) this.view.choose(this.step);
    if (to === undefined || !steps.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.point(steps[Math.min(steps.length - 1, Math.max(0, to))]);
  }

  #drawControls(others) {
    const { state } = this.view;
    const log = state.scale === "log";
    const drawn = JSON.stringify([log, this.#keep, state.with, others.map((one) => one.name)]);
    if (drawn === this.drawn) return; // somebody may be choosing
    this.drawn = drawn;
    refill(
      this.controls,
      h(
        "span",
        { class: "watch-legend" },
        h("span", { class: "swatch train" }, t("training")),
        h("span", { class: "swatch valid" }, t("validation")),
        others.map((one, index) => h("span", { class: `swatch other-${index % 3}` }, one.name)),
      ),
      button(t("Logarithmic"), () => go({ scale: log ? "" : "log" }, true), {
        class: "small",
        "aria-pressed": String(log),
        "data-key": "log",
      }),
      select(
        t("Smoothing"),
        SMOOTH.map(([value, text]) => [value, t(text)]),
        this.#keep,
        (value) => go({ smooth: value === USUAL ? "" : value }, true),
        { "data-key": "smooth" },
      ),
      this.view.names.length > 1 &&
        button(t("All trainings"), () => go({ with: state.with ? "" : "all" }, true), {
          class: "small",
          "aria-pressed": String(Boolean(state.with)),
          "data-key": "with",
        }),
      button(t("Table"), () => this.#toggleTable(), {
        class: "small",
        "aria-pressed": String(!this.table.hidden),
        "data-key": "table",
      }),
    );
  }

  /** The numbers under the cursor; without one, the newest. Each has its place in the server's answer as address. */
  #drawReadout() {
    const { info } = this;
    if (!info) return;
    const at = this.step === null ? info.train.step.length - 1 : nearest(info.train.step, this.step);
    const before = info.validations.filter((one) => this.step === null || one.step <= this.step);
    const valid = before.length - 1;
    const parts = [];
    const add = (title, text, address, value) =>
      parts.push(
        h(
          "div",
          null,
          h("dt", null, title),
          h("dd", { "data-address": address, "data-value": value === null ? null : exact(value) }, text),
        ),
      );
    const steps = info.train.step;
    const last = this.step ?? steps[at] ?? info.step;
    add(t("Step"), figures.whole(last), null, null);
    const column = (name, title, write) => {
      const value = at < 0 ? null : info.train[name][at];
      if (value !== null) add(title, write(value), `train.${name}[${at}]`, value);
    };
    column("loss", t("Training loss"), figures.loss);
    if (valid >= 0)
      for (const [name, value] of Object.entries(before[valid].metrics)) {
        const title = name === "loss" ? t("Validation loss") : name;
        add(title, figures.loss(value), `validations[${valid}].metrics.${name}`, value);
      }
    for (const [name, [title, write]] of Object.entries(SMALL)) column(name, t(title), write);
    fill(this.readout, parts);
    if (at >= 0 && info.entries_per_point > 1)
      this.readout.append(
        h(
          "p",
          { class: "muted" },
          filled(t("A point is the mean of {count} log entries."), { count: info.entries_per_point }),
        ),
      );
    this.slider.setAttribute("aria-valuenow", String(last));
    this.slider.setAttribute("aria-valuetext", parts.map((one) => one.textContent).join(", "));
  }

  #toggleTable() {
    this.table.hidden = !this.table.hidden;
    if (!this.table.hidden) this.#drawTable();
    this.controls.querySelector('[data-key="table"]').setAttribute("aria-pressed", String(!this.table.hidden));
  }

  /** Every validation, and what training was like there. */
  #drawTable() {
    const { info } = this;
    const metrics = Object.keys(info.validations.at(-1)?.metrics ?? {});
    const rows = info.validations.map((one, index) => {
      const at = nearest(info.train.step, one.step);
      const trained = at < 0 ? null : info.train.loss[at];
      return h(
        "tr",
        null,
        h("th", { scope: "row" }, figures.whole(one.step)),
        h(
          "td",
          { "data-value": trained === null ? null : exact(trained) },
          trained === null ? "" : figures.loss(trained),
        ),
        metrics.map((name) =>
          h(
            "td",
            { "data-address": `validations[${index}].metrics.${name}`, "data-value": exact(one.metrics[name]) },
            figures.loss(one.metrics[name]),
          ),
        ),
      );
    });
    fill(
      this.table,
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Validations") },
        h(
          "table",
          { class: "numbers" },
          h("caption", null, t("Validations")),
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              [
                t("Step"),
                t("Training loss"),
                ...metrics.map((name) => (name === "loss" ? t("Validation loss") : name)),
              ].map((title) => h("th", { scope: "col" }, title)),
            ),
          ),
          h("tbody", null, rows),
        ),
      ),
    );
  }
}
