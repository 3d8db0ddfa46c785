// Understand: one word in two sentences, stage by stage; a classifier's label, word by word; the nearest texts.

import { answerAddress, saysNumber, surest } from "../parts/answer.js";
import { get, post } from "../parts/api.js";
import { Consequence } from "../parts/consequence.js";
import { askForm } from "../parts/trace-view.js";
import { fill, h, language, refill, s } from "../parts/dom.js";
import { hideable } from "../parts/hideable.js";
import { exact, short } from "../parts/numbers.js";
import { greyWhatIsStale } from "../parts/stale.js";
import { go, hash, unchanged } from "../parts/url-state.js";
import { Trace } from "../parts/trace.js";
import { View } from "../parts/view.js";
import { t } from "../parts/i18n.js";

const EXAMPLE = { first: "the river bank flows", second: "the money bank grows", word: "bank" };
const MOST_WORDS = 12; // of a words head

export class Understand extends View {
  constructor(container, model, known) {
    super(container, model, known);
    const field = (name, title) => {
      const box = h("input", { id: name, type: "text", autocomplete: "off", spellcheck: "false" });
      this[name] = box;
      return h("label", { class: "field grow", for: name }, h("span", null, title), box);
    };
    this.contexts = h("section");
    this.labels = h("section");
    this.near = h("section");
    this.consequence = new Consequence();
    this.shown = { labels: null, contexts: null, near: null }; // of which texts each of them is
    fill(
      container,
      h("h1", null, t("Understand")),
      h(
        "p",
        { class: "muted lead" },
        t("An encoder turns every word into a vector that its sentence has changed: see how far, and what it was changed by."),
      ),
      this.problem,
      model.labels.length > 0 && this.labelForm(),
      this.labels,
      h("h2", null, t("One word, two sentences")),
      h(
        "form",
        {
          class: "ask wrap",
          onsubmit: (event) => {
            event.preventDefault();
            this.compare();
          },
        },
        field("first", t("First sentence")),
        field("second", t("Second sentence")),
        field("word", t("The word in both")),
        h("button", { class: "strong" }, t("Compare")),
      ),
      this.contexts,
      model.shape === "encoder" && this.nearForm(),
      this.near,
      this.consequence.element,
    );
    const boxes = {
      labels: [this.text],
      contexts: Object.keys(EXAMPLE).map((name) => this[name]),
      near: [this.query, this.among],
    };
    this.looks = Object.entries(boxes)
      .filter(([, all]) => all[0])
      .map(([name, all]) => {
        const form = all[0].form;
        form.classList.add("alone"); // there are several: each has what stands right behind it
        return greyWhatIsStale(form, all, () => this.shown[name]);
      });
  }

  /** These texts are what a part shows now. */
  show(part, texts) {
    this.shown[part] = texts;
    this.looks.forEach((look) => look());
  }

  compare() {
    const asked = Object.fromEntries(["first", "second", "word"].map((name) => [name, this[name].value.trim()]));
    if (Object.values(asked).some((one) => !one)) return this.tell(t("Fill in both sentences and the word."));
    return go(asked);
  }

  labelForm() {
    this.text = h("input", { id: "text", type: "text", autocomplete: "off", spellcheck: "false" });
    return [
      h("h2", null, t("The label, and what it hangs on")),
      askForm(this, this.text, {
        label: t("Sentence"),
        press: t("Classify"),
        empty: t("The box is empty: write a sentence."),
        run: (text) => go({ text: text.trim(), ...unchanged() }),
      }),
    ];
  }

  nearForm() {
    this.query = h("input", { id: "query", type: "text", value: "the river", autocomplete: "off" });
    this.among = h("textarea", { id: "among", rows: "4" }, "the river bank flows\nthe money bank grows\n2 + 2 = 4");
    return [
      h("h2", null, t("Nearest in meaning")),
      h(
        "form",
        {
          class: "ask wrap",
          onsubmit: (event) => {
            event.preventDefault();
            this.similar();
          },
        },
        h("label", { class: "field grow", for: "query" }, h("span", null, t("Text")), this.query),
        h("label", { class: "field grow", for: "among" }, h("span", null, t("Among (one per line)")), this.among),
        h("button", null, t("Sort by nearness")),
      ),
    ];
  }

  async similar() {
    this.tell();
    try {
      const among = this.among.value.split("\n").filter((line) => line.trim());
      const asked = [this.query.value, this.among.value];
      const found = await post("similar", { text: asked[0], among, model: this.model.name });
      fill(this.near, bars(found.map((one) => [one.text, one.cosine])));
      this.show("near", asked);
    } catch (problem) {
      this.tell(problem.message);
    }
  }

  update(state) {
    const asked = {
      ...EXAMPLE,
      ...Object.fromEntries(
        ["first", "second", "word"].filter((name) => state[name]).map((name) => [name, state[name]]),
      ),
    };
    for (const name of Object.keys(EXAMPLE))
      if (document.activeElement !== this[name]) this[name].value = asked[name];
    const text = state.text || EXAMPLE.first;
    if (this.text && document.activeElement !== this.text) this.text.value = text;
    this.looks.forEach((look) => look());
    return this.working(this.container, async (current) => {
      const jobs = [
        get("contexts", { ...asked, model: this.model.name }).then(
          (found) => current() && this.drawContexts(found, asked),
        ),
      ];
      if (this.model.labels.length) jobs.push(this.classify(text, state, current));
      const failed = (await Promise.allSettled(jobs)).find((one) => one.status === "rejected");
      if (failed) throw failed.reason;
    });
  }

  async classify(text, state, current) {
    const { hide } = state;
    const question = { text, model: this.model.name };
    const [trace, changed] = await Promise.all([
      Trace.open(this.model, question),
      Trace.open(this.model, hide.length ? { ...question, hide } : question),
    ]);
    const [says, said] = [saysNumber(this.model), surest(trace.info.labels)];
    const best = this.model.labels.indexOf(said);
    const [occlusion, known] = await Promise.all([trace.numbers("occlusion"), knownWords(trace, best)]);
    if (!current()) return;
    this.consequence.show(changed, state);
    this.show("labels", [text]);
    const words = trace.info.source.words.filter((word) => !word.special);
    const costs = words.map((_, j) => occlusion.at(best, j)),
      most = Math.max(1e-9, ...costs.map(Math.abs));
    refill(
      this.labels,
      bars(
        this.model.labels.map((label, number) => [
          label,
          changed.info.labels[label],
          answerAddress(this.model, number),
        ]),
        says ? null : 1,
      ),
      h(
        "p",
        null,
        says
          ? t("Click a word to hide it. The number below it is what hiding it does to the answer.")
          : [
              t("Click a word to hide it. The number is what hiding it does to the log-probability of"),
              " ",
              h("b", null, said),
              ":",
            ],
      ),
      h(
        "div",
        { class: "row" },
        words.map((word, j) =>
          h(
            "span",
            { class: "linkword" },
            hideable(changed, word.text, j, {
              also: { text },
              style: { "--strength": Math.max(0, -costs[j]) / most },
            }),
            h(
              "small",
              { class: "muted", "data-address": `occlusion[${best},${j}]`, "data-value": exact(costs[j]) },
              short(costs[j], 3),
            ),
          ),
        ),
      ),
      known.length > 0 && [
        h(
          "p",
          null,
          t("What each known word adds by itself to the logit of"),
          " ",
          h("b", null, said),
          ":",
        ),
        bars(known),
      ],
    );
  }

  drawContexts(found, { first, second, word }) {
    this.show("contexts", [first, second, word]);
    const both = hash({ view: "compare", model: this.model.name, text: first, text2: second });
    const stage = (name) => ({ embedded: t("static embedding"), input: t("with its position") })[name] ?? name;
    refill(
      this.contexts,
      h("h3", null, `${t("Cosine of the two vectors of")} “${found.word}”`),
      bars(
        found.stages.map((name, index) => [stage(name), found.cosines[index]]),
        1,
      ),
      h(
        "p",
        { class: "muted" },
        t("Exactly 1 where only the word counts; every layer below 1 is context."),
        " ",
        h("a", { href: both, "data-key": "compare" }, t("Both sentences side by side")),
      ),
      h(
        "div",
        { class: "two" },
        [first, second].map((sentence, number) =>
          h(
            "div",
            null,
            h("h3", null, `${t("What moved it in")} “${sentence}”`),
            bars(found.moved_by[number]),
            h("p", { class: "muted" }, t("1 − cosine of its last vector when the other word is hidden.")),
          ),
        ),
      ),
      h("h3", null, t("Nearest pieces")),
      h(
        "div",
        { class: "three" },
        list(t("static"), found.static),
        list(`“${first}”`, found.contextual[0]),
        list(`“${second}”`, found.contextual[1]),
      ),
      h("h3", null, t("A map of all words in both sentences")),
      scatter(found.map),
      h(
        "p",
        { class: "muted" },
        t(
          "The last layer's vectors in the two directions in which they differ most. Circles: first sentence; squares: second.",
        ),
      ),
    );
  }
}

const list = (title, found) =>
  h(
    "div",
    null,
    h("b", null, title),
    h(
      "ol",
      { class: "plain" },
      found.map(([text, cosine]) =>
        h(
          "li",
          null,
          h("span", { class: "chip", lang: language(text) }, text),
          " ",
          h("small", { class: "muted" }, short(cosine, 3)),
        ),
      ),
    ),
  );

/** What a words head finds, as rows of bars: the words that add most to a label or take most from it come first. */
async function knownWords(trace, label) {
  const words = trace.info.words_head?.words ?? [];
  if (!words.length) return [];
  const { data } = await trace.numbers(`cls.words.parts[:,${label}]`);
  const rows = words.map((word, w) => [word, data[w], `cls.words.parts[${w},${label}]`]);
  return rows.sort((one, other) => Math.abs(other[1]) - Math.abs(one[1])).slice(0, MOST_WORDS);
}

/** [label, value, address] as bars that are also a table. */
export function bars(rows, full = null) {
  const most = full ?? Math.max(1e-9, ...rows.map(([, value]) => Math.abs(value)));
  return h(
    "table",
    { class: "bars" },
    h(
      "tbody",
      null,
      rows.map(([label, value, address]) =>
        h(
          "tr",
          null,
          h("th", { scope: "row", lang: language(label) }, label),
          h("td", { class: "bar", style: { "--part": Math.min(1, Math.abs(value) / most) } }),
          h("td", { "data-address": address, "data-value": value }, short(value, 4)),
        ),
      ),
    ),
  );
}

function scatter(points) {
  const [width, height, edge] = [640, 320, 50];
  const span = (name) => {
    const all = points.map((point) => point[name]);
    return [Math.min(...all), Math.max(1e-6, Math.max(...all) - Math.min(...all))];
  };
  const [[left, wide], [low, high]] = [span("x"), span("y")];
  return s(
    "svg",
    {
      class: "scatter",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": points.map((point) => `${point.word} (${point.sentence + 1})`).join(", "),
    },
    points.map((point) => {
      const [x, y] = [
        edge + ((point.x - left) / wide) * (width - 2 * edge),
        edge + ((point.y - low) / high) * (height - 2 * edge),
      ];
      const mark =
        point.sentence === 0
          ? s("circle", { cx: x, cy: y, r: 6 })
          : s("rect", { x: x - 5.5, y: y - 5.5, width: 11, height: 11 });
      mark.setAttribute(
        "class",
        `${point.sentence === 0 ? "accentmark" : "secondmark"}${point.asked ? " asked" : ""}`,
      );
      return s(
        "g",
        null,
        mark,
        s(
          "text",
          {
            x,
            y: point.sentence === 0 ? y - 11 : y + 20,
            "text-anchor": "middle",
            class: point.asked ? "strongtext" : "",
          },
          point.word,
        ),
      );
    }),
  );
}
