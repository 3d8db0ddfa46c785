// The decode tape: one column per step, the top candidates as bars, the choice marked. Another candidate is forced by
// a click, and the model goes on from there; branches are kept.

import { h, language, tabs, button } from "./dom.js";
import { exact, short } from "./numbers.js";
import { exportBar } from "./exports.js";
import { go } from "./url-state.js";
import { t } from "./i18n.js";

export const belowTabs = (state) =>
  tabs(
    t("Decoding"),
    [
      ["tape", t("Decode tape")],
      ["beam", t("Beam")],
    ],
    state.below === "beam" ? "beam" : "tape",
    (name) => go({ below: name }),
  );

/** What to ask so that a piece is written at a step: earlier forced ones stay, later ones may not fit. */
export const forcing = (force, step, id) => [
  ...force.filter((one) => Number(one.split(":")[0]) < step),
  `${step}:${id}`,
];

export function columns(trace, state, choose) {
  return h(
    "div",
    { class: "tape", tabindex: "0", "data-scroll": "tape", role: "group", "aria-label": t("Decode tape") },
    trace.steps.map((step) =>
      h(
        "div",
        { class: `column${step.step === state.step ? " here" : ""}` },
        button(
          `${step.step + 1}. ${step.chosen.text}${step.forced ? " ⚑" : ""}`,
          () => go({ step: String(step.step) }, true),
          {
            class: "chosen",
            lang: language(step.chosen.text),
            "aria-pressed": String(step.step === state.step),
            "data-key": `column-${step.step}`,
          },
        ),
        candidates(step).map((guess) =>
          h(
            "button",
            {
              type: "button",
              class: `guess${guess.id === step.chosen.id ? " taken" : ""}`,
              "data-address": guess.address,
              "data-value": exact(guess.probability),
              "data-key": `guess-${step.step}-${guess.id}`,
              style: { "--part": guess.probability },
              onclick: () => choose(step, guess),
              title: `${guess.address} = ${short(guess.probability, 6)}`,
              "aria-label": `${t("Force")} ${guess.text} ${short(guess.probability)}`,
            },
            h("span", { lang: language(guess.text) }, guess.text),
            h("small", null, short(guess.probability)),
          ),
        ),
      ),
    ),
  );
}

/** The top candidates, and the chosen one if it is not among them. */
const candidates = ({ guesses, chosen }) =>
  guesses.some((guess) => guess.id === chosen.id) ? guesses : [...guesses, chosen];

/** What the columns show, and no more: the probabilities of all pieces are a thousand times as many. */
const asShown = (trace) => ({
  name: "tape",
  columns: ["step", "piece", "id", "probability", "chosen", "address"],
  values: "probability",
  rows: trace.steps.flatMap((step) =>
    candidates(step).map((guess) => [
      step.step + 1,
      guess.text,
      guess.id,
      guess.probability,
      guess.id === step.chosen.id,
      guess.address,
    ]),
  ),
});

export async function tape(trace, state, bench) {
  const choose = (step, guess) => {
    if (guess.id !== step.chosen.id)
      go({ force: forcing(state.force, step.step, guess.id), step: String(step.step) });
    else go({ at: guess.address, zoom: "number", step: String(step.step) });
  };
  return [
    h(
      "div",
      { class: "row" },
      belowTabs(state),
      h("span", { class: "muted" }, t("Bars are probabilities. Click another candidate to force it; [ and ] walk.")),
    ),
    columns(trace, state, choose),
    branches(bench, trace),
    exportBar(trace, "dec.out.probs", { shown: asShown(trace), tell: (message) => bench.tell(message) }),
  ];
}

export function branches(bench, trace) {
  if (bench.branches.length < 2) return null;
  const here = JSON.stringify(trace.question.force);
  return h(
    "div",
    { class: "row branches" },
    h("b", null, t("Branches")),
    bench.branches.map((one) =>
      button(one.text || "∅", () => go({ force: one.force }), {
        class: "chip",
        lang: language(one.text),
        "aria-pressed": String(one.key === here),
        "data-key": `branch-${one.key}`,
      }),
    ),
  );
}
