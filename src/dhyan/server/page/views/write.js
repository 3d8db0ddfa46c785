// Write: the tape of a decoder. Its own probabilities beside those after temperature, top-k and top-p, which the
// browser works out from the logits; force, rewind, branch; what each layer would have said; what the cache gains.

import { FoldedFlow } from "../parts/flow/folded.js";
import { Consequence } from "../parts/consequence.js";
import { TraceView } from "../parts/trace-view.js";
import { fill, h, language, refill, select, button, thing } from "../parts/dom.js";
import { neverWritten } from "../parts/notation.js";
import { exact, short, softmax } from "../parts/numbers.js";
import { comparing } from "../parts/sides.js";
import { go } from "../parts/url-state.js";
import { t } from "../parts/i18n.js";
import { branches, columns, forcing } from "../parts/tape.js";
import { panel } from "../parts/panel.js";

const EXAMPLE = "To be, or not to";
const SHOWN = 12; // candidates of the step
const HOTTEST = 3,
  MOST_K = 50; // as far as the sliders go
const SHARE = /** @type {[RegExp, string]} */ ([/^(0?\.\d*[1-9]\d*|1(\.0*)?)$/, "0.9"]);

/** Logits → probabilities after temperature, top-k and top-p, in the order and with the ties of the engines.
 * ruledOut: ids that are never written. */
export function sampled(logits, { temperature, k, p }, ruledOut) {
  const never = new Set(ruledOut);
  const ruled = Array.from(logits, (value, id) => (never.has(id) ? -Infinity : value / temperature));
  const order = ruled.map((_, id) => id).sort((a, b) => ruled[b] - ruled[a] || a - b);
  if (k > 0 && k < ruled.length) {
    const least = ruled[order[k - 1]];
    ruled.forEach((value, id) => {
      if (value < least) ruled[id] = -Infinity;
    });
  }
  if (p < 1) {
    const share = softmax(ruled);
    let before = 0;
    for (const id of order) {
      if (before >= p) ruled[id] = -Infinity;
      before += share[id];
    }
  }
  return softmax(ruled);
}

export class Write extends TraceView {
  static whole = [...TraceView.whole, "k"];
  static positive = ["temperature"];
  static patterns = { ...TraceView.patterns, p: SHARE };

  constructor(container, model, known) {
    super(container, model, known, h("textarea", { id: "prompt", rows: "2", spellcheck: "false" }), EXAMPLE);
    this.said = h("p", { class: "words big" });
    this.live = h("p", { class: "unseen", "aria-live": "polite" });
    this.tape = h("section", { class: "below", ...thing("tape", t("Decoding")) });
    this.flow = new FoldedFlow({ number: (at) => ({ view: "follow", at }) });
    this.options = h("div", { class: "row" });
    this.step = h("section", thing("step", t("Step")));
    this.lens = h("section", thing("lens", t("Logit lens")));
    this.cache = h("section", thing("cache", t("Cache")));
    this.consequence = new Consequence();
    const empty = t("The box is empty: write a beginning.");
    fill(
      container,
      h("h1", null, t("Write")),
      h(
        "p",
        { class: "muted lead unpresented" },
        t("A decoder writes on, piece by piece: see what it could have said at every step, and make it say so."),
      ),
      this.askForm({ label: t("Prompt"), press: t("Go on"), empty, grow: true }),
      this.problem,
      this.said,
      this.live,
      this.tape,
      this.flow.element,
      this.options,
      h("div", { class: "two" }, this.step, this.lens),
      this.cache,
      this.consequence.element,
    );
    document.onkeydown = (event) => {
      this.flow.key(event); // its answer is not returned: false would take every key from the box
    };
  }

  leave() {
    this.flow.leave();
  }

  sizes(trace) {
    return { ...super.sizes(trace), layer: trace.architecture.decoder_layers, k: MOST_K + 1, temperature: HOTTEST + 1 };
  }

  next() {
    this.walk(1);
  }

  previous() {
    this.walk(-1);
  }

  walk(by) {
    if (!this.trace) return;
    const wanted = Number(this.state.step ?? 0) + by;
    go({ step: String(Math.min(this.trace.steps.length - 1, Math.max(0, wanted))) }, true);
  }

  async draw(current) {
    const { trace, state } = this;
    const step = Math.min(trace.steps.length - 1, Math.max(0, Number(state.step ?? 0)));
    const here = trace.steps[step],
      row = here.row;
    refill(
      this.said,
      h("span", { class: "muted", lang: language(state.text) }, state.text),
      h("b", { lang: language(trace.info.text) }, trace.info.text),
    );
    this.consequence.show(trace, state);
    this.live.textContent = `${t("Step")} ${step + 1}: ${here.chosen.text}, ${short(here.chosen.probability)}`;
    const choose = (at, guess) =>
      guess.id === at.chosen.id
        ? go({ step: String(at.step) }, true)
        : go({ force: forcing(state.force, at.step, guess.id), step: String(at.step) });
    refill(this.tape, columns(trace, { ...state, step }, choose), branches(this, trace));
    const [logits, lens, guessed] = await Promise.all([
      trace.numbers(`dec.out.logits[${row}]`),
      trace.ask("lens"),
      trace.ask(`steps/${step}`, { top: SHOWN }),
      this.flow.show(trace, { ...state, step }),
    ]);
    const layer = Math.min(trace.architecture.decoder_layers - 1, Number(state.layer ?? 0));
    const gained = await Promise.all(
      trace.architecture.decoder_self === "ssru"
        ? [trace.numbers(`dec.${layer}.ssru.cell[${row}]`)]
        : ["key", "value"].map((name) => trace.numbers(`dec.${layer}.self.${name}[:,${row},:]`)),
    );
    if (!current()) return;
    this.drawOptions(trace, step, logits.data);
    this.drawStep(guessed, logits.data);
    this.drawLens(lens[step]);
    this.drawCache(gained, layer, row);
  }

  settings() {
    const { temperature, k, p } = this.state;
    const own = this.trace.model; // as the pack draws unless asked otherwise
    return {
      temperature: Number(temperature ?? own.temperature),
      k: Number(k ?? own.top_k),
      p: Number(p ?? own.top_p),
    };
  }

  drawOptions(trace, step, logits) {
    const { temperature, k, p } = this.settings();
    const slider = (name, title, value, least, most, by) =>
      h(
        "label",
        { class: "field slider" },
        h("span", null, `${title} `, h("b", null, String(value))), // an <output> would take the label from the slider
        h("input", {
          type: "range",
          min: least,
          max: most,
          step: by,
          value: String(value),
          "data-key": name,
          oninput: (event) => go({ [name]: event.target.value }, true),
        }),
      );
    const draw = () => {
      const shares = sampled(logits, this.settings(), neverWritten(trace.architecture));
      let left = Math.random();
      const id = shares.findIndex((share) => (left -= share) < 0);
      const chosen = id < 0 ? shares.indexOf(Math.max(...shares)) : id;
      go({ force: forcing(this.state.force, step, chosen), step: String(Math.min(step + 1, trace.steps.length)) });
    };
    refill(
      this.options,
      slider("temperature", t("Temperature"), temperature, 0.1, HOTTEST, 0.1),
      slider("k", t("Top-k (0: all)"), k, 0, MOST_K, 1),
      slider("p", t("Top-p"), p, 0.05, 1, 0.05),
      button(t("Draw this step"), draw, { "data-key": "draw" }),
      button(
        t("Rewind to here"),
        () => go({ force: this.state.force.filter((one) => Number(one.split(":")[0]) < step) }),
        { "data-key": "rewind" },
      ),
      select(
        t("Length"),
        [10, 20, 40, 80].map((length) => [length, String(length)]),
        this.state.max_length ?? 20,
        (length) => go({ max_length: length }),
        { "data-key": "length" },
      ),
      h("a", { href: comparing(this.state, this.model, "steps"), "data-key": "compare" }, t("Compare with…")),
    );
  }

  drawStep(here, logits) {
    const shares = sampled(logits, this.settings(), neverWritten(this.trace.architecture));
    refill(
      this.step,
      h("h2", null, `${t("Step")} ${here.step + 1}: → ${here.chosen.text}`),
      h(
        "table",
        { class: "bars both" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            [t("piece"), "", t("model"), "", t("after the sliders")].map((title) => h("th", { scope: "col" }, title)),
          ),
        ),
        h(
          "tbody",
          null,
          here.guesses.map(({ id, text, probability, address }) =>
            h(
              "tr",
              { class: shares[id] === 0 ? "cut" : null },
              h("th", { scope: "row", lang: language(text) }, text),
              h("td", { class: "bar", style: { "--part": probability } }),
              h("td", { "data-address": address, "data-value": exact(probability) }, short(probability, 4)),
              h("td", { class: "bar second", style: { "--part": shares[id] } }),
              h("td", { "data-sampled": id, "data-value": shares[id] }, short(shares[id], 4)),
            ),
          ),
        ),
      ),
    );
  }

  drawLens(glimpses) {
    refill(
      this.lens,
      h("h2", null, t("Logit lens: had it stopped earlier")),
      h(
        "table",
        { class: "lens" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            [t("after"), t("it would say"), t("rank of the chosen one")].map((title) =>
              h("th", { scope: "col" }, title),
            ),
          ),
        ),
        h(
          "tbody",
          null,
          glimpses.map((one) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, one.layer === "before" ? t("embedding") : one.layer),
              h(
                "td",
                null,
                one.guesses.map((guess) => [
                  h(
                    "span",
                    {
                      class: "chip",
                      lang: language(guess.text),
                      title: `${guess.address} = ${short(guess.probability, 5)}`,
                    },
                    guess.text,
                    " ",
                    h("small", null, short(guess.probability, 2)),
                  ),
                  " ",
                ]),
              ),
              h("td", null, String(one.rank + 1)),
            ),
          ),
        ),
      ),
    );
  }

  /** gained: the row's keys and values, or the state of a recurrent unit. */
  drawCache(gained, layer, row) {
    const isState = gained.length === 1;
    const titles = isState ? [""] : ["K", "V"];
    const layers = Array.from({ length: this.model.architecture.decoder_layers }, (_, number) => [
      number,
      `dec.${number}`,
    ]);
    refill(
      this.cache,
      h("h2", null, t("What the cache gains in this step")),
      h(
        "p",
        { class: "muted" },
        isState
          ? t("A recurrent unit keeps one state, however long the text is: this row puts its own in its place.")
          : `${t("Keys and values of the rows before are known; this row adds one of each, head by head. Row")} ${row}.`,
      ),
      select(t("Layer"), layers, layer, (number) => go({ layer: number }), { "data-key": "layer" }),
      h(
        "div",
        { class: "panels" },
        gained.map((one, number) => panel(this.trace, one, { title: titles[number] })),
      ),
    );
  }
}
