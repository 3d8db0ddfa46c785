// Labs: the notes' claims. A question first, then the knobs where an experiment is light, then what was measured.

import { getNow, post } from "../parts/api.js";
import { fill, h, language, refill } from "../parts/dom.js";
import { keepKnown } from "../parts/limits.js";
import { remark } from "../parts/remarks.js";
import { greyWhatIsStale } from "../parts/stale.js";
import { go, hash } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { filled, key, t } from "../parts/i18n.js";
import { figures, figureWidth, tables } from "./labs/figures.js";
import { Knobs } from "./labs/knobs.js";
import { Measured } from "./labs/measured.js";
import { mark } from "./labs/verdict.js";
import { tab } from "../parts/transport.js";

const FIRST = "sqrt-dk"; // a live one to begin with
const STORED = key("As it came out when this site was built; dhyan serve has knobs to turn.");

export class Labs extends View {
  static whole = ["seed"]; // the knobs have their names in a link, too, each with bounds of its own

  labs = null;
  lab = null;
  #stop = new AbortController();

  constructor(container, model, known) {
    super(container, model, known);
    this.list = h("ol", { class: "contents labs-list" });
    this.card = h("article", { class: "card lab" });
    fill(
      container,
      h("h1", null, t("Labs")),
      h(
        "p",
        { class: "muted" },
        t("What the notes claim, measured. The same experiments are in the terminal:"),
        " ",
        h("code", null, "dhyan lab"),
      ),
      this.problem,
      h("div", { class: "walk" }, h("nav", { "aria-label": t("Experiments") }, this.list), this.card),
    );
  }

  update(state) {
    this.state = state;
    return this.working(this.container, async (current) => {
      this.labs ??= await getNow("labs");
      if (!current()) return;
      const lab = this.labs.find((one) => one.name === (state.lab || FIRST));
      if (!lab) {
        remark([filled(t("There is no experiment called {name}; this is the first."), { name: state.lab })]);
        return go({ lab: "" }, true);
      }
      const opened = lab.name !== this.lab?.name;
      if (opened) this.open(lab);
      this.drawList();
      if (opened) {
        const [inside, outside] = [this.list.querySelector("[aria-current]").closest("li"), this.list].map((one) =>
          one.getBoundingClientRect(),
        );
        const isSeen = inside.top >= outside.top && inside.bottom <= outside.bottom;
        if (!isSeen) this.list.scrollTop += inside.top - outside.top; // on a telephone the list is a small box
      }
      keepKnown(
        "kept",
        lab.kept.map((one) => one.id),
        state,
      );
      const jobs = [this.measured.show(lab, state.kept)];
      if (lab.live) jobs.push(this.turn(current));
      const failed = (await Promise.allSettled(jobs)).find((one) => one.status === "rejected");
      if (failed) throw failed.reason;
    });
  }

  /** Another experiment: its card, with room for what comes. */
  open(lab) {
    this.lab = lab;
    this.says = h("p", { class: "says", role: "status", "aria-live": "polite" });
    this.plots = h("div", { class: "figures" });
    this.tables = h("div");
    this.knobs = new Knobs(lab);
    this.live = h("section", { class: "live", "aria-label": t("Live") });
    this.shown = null; // the lists that what is seen was computed with
    this.greyWhatIsStale = greyWhatIsStale(this.live, this.knobs.lists, () => this.shown);
    this.measured = new Measured(this);
    fill(
      this.card,
      h("h2", null, t(lab.question)),
      h("blockquote", null, h("b", null, t("The notes"), ": "), t(lab.claim)),
      h("p", null, h("b", null, t("Method"), ": "), t(lab.method)),
      lab.live &&
        fill(
          this.live,
          h(
            "h3",
            null,
            h("span", { class: "chip" }, t(tab ? "Stored" : "Live")),
            " ",
            t(tab ? STORED : "Turn a knob: everything here is computed anew, on this machine."),
          ),
          !tab && this.knobs.element,
          this.problem, // where one looks while turning
          this.says,
          this.plots,
          this.tables,
        ),
      !lab.live && this.problem,
      this.measured.element,
    );
  }

  drawList() {
    refill(
      this.list,
      this.labs.map((one) =>
        h(
          "li",
          null,
          h(
            "a",
            {
              href: hash({ view: "labs", lab: one.name, text: this.state.text, model: this.state.model }),
              "aria-current": one === this.lab ? "page" : null,
              "data-key": `lab-${one.name}`,
            },
            one.name,
          ),
          " ",
          one.live && h("small", { class: "chip" }, t(tab ? "Stored" : "Live")),
          " ",
          one.kept.length > 0 && mark(one.kept[0].verdict),
          h("div", { class: "muted" }, t(one.question)),
        ),
      ),
    );
  }

  /** Ask for what the knobs make of it; a newer turn stops an older one. */
  async turn(current) {
    this.knobs.set(this.state);
    this.#stop.abort();
    this.#stop = new AbortController();
    const asked = { ...this.knobs.asked(this.state), width: figureWidth(this.plots) };
    const key = JSON.stringify([this.lab.name, asked]);
    if (key === this.turned) return;
    const lists = this.knobs.lists.map((box) => box.value);
    const found = await post(`labs/${this.lab.name}/live`, asked, this.#stop.signal);
    if (!current()) return;
    this.turned = key;
    this.shown = lists;
    this.greyWhatIsStale();
    const said = filled(t(found.sentence), found.numbers);
    this.says.lang = language(said);
    this.says.textContent = said;
    refill(this.plots, figures(found.figures, this.lab.name));
    refill(this.tables, tables(found.tables));
  }

  /** After a run: what is kept has changed. */
  async renew() {
    this.labs = await getNow("labs");
    this.lab = this.labs.find((one) => one.name === this.lab.name);
    this.drawList();
    await this.measured.show(this.lab, "");
  }
}
