// The beam as a grid: one column per step, best on top; a pruned hypothesis is grey, and says why on hover and in a table.

import { h, language } from "../../parts/dom.js";
import { exportBar } from "../../parts/exports.js";
import { short } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";
import { belowTabs, branches } from "../../parts/tape.js";

const GREY = ["pruned", "dead end", "unfinished"];

export async function beamGrid(trace, state, bench) {
  const found = await trace.ask("beam");
  const rows = Math.max(0, ...found.steps.map((step) => step.length));
  // To follow a hypothesis, force its tokens from where it leaves the best path.
  const follow = (candidate) => {
    const path = [];
    for (
      let one = candidate;
      one;
      one = one.parent === null ? null : found.steps[one.step - 1].find((other) => other.rank === one.parent)
    )
      path.unshift(one);
    const leaves = path.findIndex((one) => one.fate !== "best");
    if (leaves < 0) return go({ step: String(found.prefix + candidate.step) });
    const kept = state.force.filter((one) => Number(one.split(":")[0]) < found.prefix + leaves);
    return go({
      force: [...kept, ...path.slice(leaves).map((one) => `${found.prefix + one.step}:${one.id}`)],
      step: String(found.prefix + candidate.step),
    });
  };
  const cell = (one, here) =>
    h(
      "td",
      { class: here ? "here" : null },
      one &&
        h(
          "button",
          {
            type: "button",
            class: `hypothesis ${GREY.includes(one.fate) ? "grey" : one.fate}`,
            title: `${one.text} · ${one.why}`,
            onclick: () => follow(one),
            "data-key": `beam-${one.step}-${one.rank}`,
            "data-fate": one.fate,
            "aria-label": `${one.piece}, ${short(one.score)}, ${t(one.fate)}: ${one.why}`,
          },
          h("span", { lang: language(one.piece) }, one.piece),
          h("small", null, `${short(one.score, 2)} ${t(one.fate)}`),
        ),
    );
  return [
    h(
      "div",
      { class: "row" },
      belowTabs(state),
      h(
        "span",
        { class: "muted" },
        `${t("Beam")} ${found.beam}. ${t("Numbers are log-probabilities of everything up to there.")} ${t("Click a hypothesis to follow it; grey ones were given up.")}`,
      ),
    ),
    found.steps.length
      ? h(
          "div",
          { class: "scroll", tabindex: "0", "data-scroll": "beam", role: "region", "aria-label": t("Beam") },
          h(
            "table",
            { class: "beam" },
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                found.steps.map((_, step) => h("th", { scope: "col" }, String(found.prefix + step + 1))),
              ),
            ),
            h(
              "tbody",
              null,
              Array.from({ length: rows }, (_, rank) =>
                h(
                  "tr",
                  null,
                  found.steps.map((step, number) => cell(step[rank], found.prefix + number === state.step)),
                ),
              ),
            ),
          ),
        )
      : h("p", { class: "muted" }, t("Everything was forced: nothing was searched for.")),
    h("h3", null, t("Results")),
    h(
      "ol",
      null,
      found.results.map((one) =>
        h(
          "li",
          null,
          h("span", { lang: language(one.text) }, one.text),
          " ",
          h(
            "small",
            { class: "muted" },
            `${t("log-probability")} ${short(one.total)}, ${t("by length")} ${short(one.score)} · ${one.why}`,
          ),
        ),
      ),
    ),
    branches(bench, trace),
    found.steps.length > 0 && exportBar(trace, "beam", { tell: (message) => bench.tell(message) }),
  ];
}
