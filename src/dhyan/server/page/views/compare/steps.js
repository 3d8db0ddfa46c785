// The steps of both sides beside each other, with their candidates and log-probabilities. Steps that write the same piece
// stand in one row, and the difference between them.

import { h, language, button } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { forcing } from "../../parts/tape.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";
import { signed } from "./outputs.js";
import { onSide, sideOf } from "../../parts/sides.js";

export async function steps(traces, state) {
  if (!traces.every((trace) => trace.hasDecoder))
    return h(
      "p",
      { class: "muted" },
      t("An encoder alone writes nothing, so there are no steps: look at the heads."),
    );
  const { rows } = traces[0];
  const here = state.step;
  return h(
    "div",
    null,
    h(
      "p",
      { class: "muted" },
      t(
        "Steps that write the same piece share a row. Bars are probabilities, numbers log-probabilities; click a candidate to force it.",
      ),
    ),
    h(
      "div",
      { class: "scroll steps-scroll", tabindex: "0", role: "region", "aria-label": t("Steps") },
      h(
        "table",
        { class: "compared-steps" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col", class: "side-a" }, h("b", null, "● A")),
            h("th", { scope: "col" }, "B − A"),
            h("th", { scope: "col", class: "side-b" }, h("b", null, "■ B")),
          ),
        ),
        h(
          "tbody",
          null,
          rows.map((pair, row) => {
            const both = pair.map((number, side) => (number === null ? null : traces[side].steps[number]));
            const same = both[0]?.chosen.text === both[1]?.chosen.text;
            return h(
              "tr",
              { class: row === here ? "here" : null, "aria-current": row === here ? "step" : null },
              cell(both[0], 0, row, sideOf(state, 0).force),
              h(
                "td",
                { class: "change-cell" },
                same &&
                  h(
                    "b",
                    { "data-step-difference": row, "data-value": both[1].log_probability - both[0].log_probability },
                    signed(both[1].log_probability - both[0].log_probability),
                  ),
              ),
              cell(both[1], 1, row, sideOf(state, 1).force),
            );
          }),
        ),
      ),
    ),
  );
}

function cell(step, side, row, force) {
  if (!step) return h("td", { class: "absent" }, "–");
  const { chosen, guesses, log_probability: log } = step;
  const address = `dec.out.logprobs[${step.row},${chosen.id}]`;
  return h(
    "td",
    { class: `side-${"ab"[side]}` },
    h(
      "div",
      { class: "row tight" },
      button(`${step.step + 1}. ${chosen.text}${step.forced ? " ⚑" : ""}`, () => go({ step: String(row) }, true), {
        class: "link chosen-piece",
        lang: language(chosen.text),
        "data-key": `row-${side}-${row}`,
      }),
      h(
        "b",
        { "data-address": address, "data-side": "ab"[side], "data-value": exact(log), title: address },
        short(log),
      ),
    ),
    h(
      "ol",
      { class: "candidates" },
      guesses.map((guess) =>
        h(
          "li",
          null,
          h(
            "button",
            {
              type: "button",
              class: `guess${guess.id === chosen.id ? " taken" : ""}${side ? " other" : ""}`,
              style: { "--part": guess.probability },
              title: `${guess.address} = ${short(guess.probability, 6)}`,
              "aria-label": `${t("Force")} ${guess.text} ${short(Math.log(guess.probability), 2)}`,
              "data-address": guess.address,
              "data-side": "ab"[side],
              "data-value": exact(guess.probability),
              "data-key": `guess-${side}-${step.step}-${guess.id}`,
              onclick: () =>
                guess.id !== chosen.id && go(onSide(side, { force: forcing(force, step.step, guess.id) })),
            },
            h("span", { lang: language(guess.text) }, guess.text),
            h("small", null, short(Math.log(guess.probability), 2)),
          ),
        ),
      ),
    ),
  );
}
