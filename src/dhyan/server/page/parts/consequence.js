// The consequence bar: whatever is done to the model (a head off, a token forced, a word hidden, a number set), it says
// in view of it what came of it: before, after, and how the log-probability moved. Undo takes the last step back.

import { saysNumber } from "./answer.js";
import { copyButton } from "./copying.js";
import { button, h, language, refill } from "./dom.js";
import { inWords } from "./edits.js";
import { exact, short } from "./numbers.js";
import { go, unchanged } from "./url-state.js";
import { t } from "./i18n.js";

const HIT = 3; // tokens that are named because they moved most
const MOVED = 0.05; // log-probability: less is not worth a word

/** One for each view: it remembers the changes before the present ones, for as long as the text is the same. */
export class Consequence {
  #past = []; // what was changed before, the latest last
  #now = null;
  #shown = null;
  #about = "";

  /** more: what a view has to add, made anew whenever the changes are others. */
  constructor(more = (_trace) => null) {
    this.more = more;
    this.element = h("section", { class: "consequence", "aria-label": t("Before and after"), hidden: true });
  }

  show(trace, state) {
    if (trace === this.#shown) return this.element;
    this.#shown = trace;
    this.#remember(trace, state);
    const { change } = trace.info;
    this.element.hidden = !change;
    if (!change) return refill(this.element);
    const made = changes(trace, state);
    return refill(
      this.element,
      h(
        "div",
        { class: "what" },
        made.map((one) =>
          button([one.text, " ✕"].flat(), () => go(one.without), {
            class: "chip",
            lang: "en",
            "aria-label": `${t("Remove this change")}: ${one.name}`,
            title: t("Remove this change"),
            "data-key": `without-${one.name}`,
          }),
        ),
        h(
          "div",
          { class: "buttons", role: "group", "aria-label": t("Changes") },
          button(t("Undo"), () => this.undo(made), { "data-key": "undo" }),
          button(t("As it was"), () => go(unchanged()), { "data-key": "as-it-was" }),
          copyButton(t("Share"), () => location.href, { title: t("Copy a link to this"), "data-key": "share" }),
        ),
      ),
      h(
        "div",
        { class: "sides" },
        side(t("Before"), change.before, change.words, "gone"),
        side(t("After"), change.after, change.words, "new"),
        h("div", { class: "moved" }, moved(trace, change)),
      ),
      this.more(trace),
    );
  }

  /** One step back: to what was changed before, or (after a link) without the last change. */
  undo(made) {
    this.#now = null; // going back is no step to go back from
    go(this.#past.pop() ?? made.at(-1).without);
  }

  #remember(trace, state) {
    const about = JSON.stringify([trace.model.name, trace.info.asked]);
    const now = Object.fromEntries(Object.keys(unchanged()).map((name) => [name, state[name]]));
    if (about !== this.#about) this.#past = [];
    else if (this.#now && JSON.stringify(this.#now) !== JSON.stringify(now)) this.#past.push(this.#now);
    this.#about = about;
    this.#now = now;
  }
}

/** Every single change, in words, and the state without it. */
function changes(trace, state) {
  const { heads_off: off, hide, force } = trace.info;
  const words = trace.info.source.words.filter((word) => !word.special);
  const foreign = (text) => h("span", { lang: language(text) }, text);
  return [
    ...off.map((head) => ({
      name: head,
      text: [head, ` ${t("off")}`],
      without: { off: off.filter((one) => one !== head) },
    })),
    ...hide.map((number) => ({
      name: words[number].text,
      text: ["“", foreign(words[number].text), `” ${t("hidden")}`],
      without: { hide: hide.filter((one) => one !== number).map(String) },
    })),
    ...state.set.map((one) => ({
      name: inWords(one),
      text: [foreign(inWords(one))],
      without: { set: state.set.filter((other) => other !== one) },
    })),
    ...force.map(([step], rank) => {
      const piece = trace.steps[step]?.chosen.text ?? "?";
      return {
        name: `${t("Step")} ${step + 1}`,
        text: [`${t("Forced")} ${step + 1}: `, foreign(piece)],
        without: { force: state.force.slice(0, rank) }, // what was forced behind it may not fit any more
      };
    }),
  ];
}

/** One of the two texts, with what only it has marked. */
function side(title, text, words, mine) {
  const shown = words.filter(([kind]) => kind === "same" || kind === mine);
  const tag = { same: "span", gone: "del", new: "ins" };
  return h(
    "div",
    { class: `side ${mine}` },
    h("b", { class: "label" }, title),
    h(
      "p",
      { class: "difference", lang: language(text), role: mine === "new" ? "status" : null },
      shown.length ? shown.map(([kind, word]) => [h(tag[kind], null, word), " "]) : "∅",
    ),
    mine === "new" && words.every(([kind]) => kind === "same") && h("small", { class: "muted" }, t("the same")),
  );
}

/** From, to, and the difference, all of them log-probabilities. */
const line = (title, to, difference, properties) =>
  h(
    "p",
    null,
    h("span", { class: "label", lang: language(title) }, title),
    " ",
    h("span", null, `${short(to - difference, 2)} → ${short(to, 2)} `),
    h("b", { ...properties, "data-value": exact(difference) }, signed(difference)),
  );

function moved(trace, change) {
  const { score, heads_off: off, hide, set } = trace.info;
  if (score === null) return ofEncoder(trace, change);
  const before = score - change.score;
  // A forced token leaves the model as it is: only another model thinks otherwise of the old words.
  const isOther = off.length + hide.length + set.length > 0;
  const hit = change.labels
    .map((label, number) => [label, change.log_probability[number]])
    .filter(([, by]) => Math.abs(by) > MOVED)
    .toSorted((one, other) => Math.abs(other[1]) - Math.abs(one[1]))
    .slice(0, HIT);
  return [
    h("b", { class: "label" }, t("Log-probability")),
    line(t("of what is written"), score, change.score, { id: "score-change" }),
    isOther && line(t("of the text before"), before + change.total, change.total, { id: "delta" }),
    isOther &&
      hit.length > 0 &&
      h(
        "p",
        { class: "muted" },
        `${t("most moved")}: `,
        hit.map(([label, by]) => [h("span", { lang: language(label) }, label), ` ${signed(by)} `]),
      ),
  ];
}

/** An encoder writes nothing: its labels, or its vector, move. */
function ofEncoder(trace, change) {
  if (!change.labels.length)
    return h("p", null, t("Cosine of the vectors"), " ", h("b", { id: "delta" }, short(change.cosine, 4)));
  const says = saysNumber(trace.model);
  return [
    !says && h("b", { class: "label" }, t("Log-probability")),
    change.labels.map((label, number) => {
      const found = trace.info.labels[label];
      return line(label, says ? found : Math.log(found), change.log_probability[number], { "data-moved": label });
    }),
  ];
}

const signed = (value) => (value > 0 ? "+" : "") + short(value, 2);
