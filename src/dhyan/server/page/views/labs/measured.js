// What was measured: the result that this machine keeps; or how to get it, and the quick run with its progress.

import { get, getNow, post, stop, Problem } from "../../parts/api.js";
import { button, fill, h, refill, select } from "../../parts/dom.js";
import { chosenLanguage, t } from "../../parts/i18n.js";
import { tab } from "../../parts/transport.js";
import { go } from "../../parts/url-state.js";
import { figures, figureWidth, tables } from "./figures.js";
import { badge, verdictText } from "./verdict.js";

const LOOK_EVERY = 700; // milliseconds

const seconds = (value) => (value < 100 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`);
const when = (time) =>
  new Date(time).toLocaleString(chosenLanguage() === "hi" ? "hi-IN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  });

export class Measured {
  constructor(view) {
    this.view = view;
    this.body = h("div");
    const name = t("Measured");
    this.element = h("section", { class: "measured", "aria-label": name }, h("h3", null, name), this.body);
  }

  /** id: a result of several; empty for the newest. */
  async show(lab, id) {
    const key = `${lab.name} ${id ?? ""} ${lab.kept.map((one) => one.id).join(" ")}`;
    if (key === this.shown) return;
    this.shown = key;
    const kept = lab.kept.find((one) => one.id === id) ?? lab.kept[0];
    if (!kept) await this.offer(lab);
    else {
      const width = figureWidth(this.element);
      const result = await get(`labs/${lab.name}/kept/${kept.id}`, { width });
      if (this.shown === key) refill(this.body, this.drawn(lab, kept, result));
    }
  }

  drawn(lab, kept, result) {
    const named = (one) => `${when(one.measured)} · ${verdictText(one.verdict)} · ${seconds(one.seconds)}`;
    return [
      h("p", { class: "says" }, badge(result.verdict), " ", h("span", { lang: "en" }, result.because)),
      lab.kept.length > 1 &&
        select(
          t("Result of"),
          lab.kept.map((one) => [one.id, named(one)]),
          kept.id,
          (id) => go({ kept: id }),
          { "data-key": "kept" },
        ),
      h("div", { class: "figures" }, figures(result.figures, lab.name)),
      tables(result.tables),
      h(
        "dl",
        { class: "lines" },
        line(t("Fair"), result.fair.join(" "), "en"),
        line(t("Seeds"), result.seeds.join(", ")),
        line(t("When"), when(kept.measured)),
        line(t("Took"), seconds(result.seconds)),
        line(t("Where"), result.machines.join("; "), "en"),
        line(t("Kept in"), h("code", null, result.folder)),
      ),
      h(
        "details",
        null,
        h("summary", null, t("All settings of this run")),
        h("pre", { tabindex: "0" }, h("code", null, JSON.stringify(result.knobs, null, 1))),
      ),
      commands(lab),
    ];
  }

  async offer(lab) {
    if (tab) {
      refill(this.body, h("p", null, t("A tab cannot measure it; Dhyan itself does, in a terminal:")), commands(lab));
      return;
    }
    const run = await getNow("labs/measuring");
    if (run?.running) {
      this.follow(run);
      return;
    }
    const press = `${t("Measure it now, the quick way")} (${t("about")} ${seconds(lab.quick_seconds)})`;
    refill(
      this.body,
      h("p", null, t("It has not been measured on this machine yet.")),
      h("p", null, button(press, () => this.start(lab), { class: "strong", "data-key": "measure" })),
      commands(lab),
    );
  }

  async start(lab) {
    try {
      this.follow(await post(`labs/${lab.name}/measure`, { quick: true }));
    } catch (problem) {
      this.tell(problem);
    }
  }

  /** Look how far it is, as long as the page shows it. */
  async follow(run) {
    const bar = h("progress", { max: "1", "aria-label": t("Progress") });
    const said = h("p", { class: "muted" });
    refill(
      this.body,
      h("p", { role: "status" }, `${t("Being measured")}: ${run.name}`),
      h("p", { class: "row" }, bar, button(t("Stop"), () => stop("labs/measuring"), { "data-key": "stop" })),
      said,
    );
    try {
      while (bar.isConnected && run?.running) {
        bar.value = run.share;
        fill(said, run.doing, " · ", seconds(run.seconds));
        await new Promise((done) => setTimeout(done, LOOK_EVERY));
        run = await getNow("labs/measuring");
      }
      if (!bar.isConnected) return;
      this.shown = null;
      await this.view.renew();
      if (run?.failed) this.view.tell(run.failed);
    } catch (problem) {
      this.tell(problem);
    }
  }

  tell(problem) {
    if (!(problem instanceof Problem)) throw problem;
    this.view.tell(problem.message);
  }
}

const line = (title, content, lang = null) => [h("dt", null, title), h("dd", { lang }, content)];

const commands = (lab) =>
  h(
    "dl",
    { class: "lines" },
    line(h("code", null, `dhyan lab ${lab.name} --quick`), `${t("about")} ${seconds(lab.quick_seconds)}`),
    line(h("code", null, `dhyan lab ${lab.name}`), `${t("about")} ${seconds(60 * lab.full_minutes)}`),
  );
