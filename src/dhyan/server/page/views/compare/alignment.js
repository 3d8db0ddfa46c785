// The links of both sides, for the word that is written in the same row of steps, by the same head; and how they differ.

import { parse } from "../../parts/address.js";
import { h, language } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { Occlusion } from "../../parts/occlusion.js";
import { filled, t } from "../../parts/i18n.js";
import { alignment as links } from "../bench/alignment.js";
import { sideBySide } from "./difference.js";
import { signed } from "./outputs.js";
import { absent, between, NAMES, panes } from "./panes.js";

export async function alignment(traces, state, compare) {
  if (!traces.every((trace) => trace.hasCross))
    return absent(t("Only an encoder–decoder links two texts: choose one on both sides."));
  const [first] = traces.map((trace) => Occlusion.of(trace));
  const { part, head } = parse(state.at ?? "");
  const isChosen = traces.every((trace) => trace.crossHeads.includes(`${part}.h${head}`));
  const common = traces.every((trace) => trace.crossHeads.includes(first.best)) ? first.best : "";
  const shown = traces.map((trace) => ({
    ...state,
    step: trace.stepIn(state.step),
    via: isChosen ? `${part}.h${head}` : common,
    isChosen,
  }));
  const drawn = await Promise.all(traces.map((trace, side) => links(trace, shown[side], compare)));
  return h("div", null, panes(drawn), between(await apart(traces, shown)));
}

/** Source word by source word: what the word that is written has to do with it, on both sides. */
async function apart(traces, shown) {
  const isOccluded = shown[0].how === "occlusion";
  const all = traces.map((trace) => Occlusion.of(trace));
  if (!all.every((one) => one.isComplete)) return h("p", { class: "muted" }, t("Hiding words, one after the other…"));
  const found = await Promise.all(traces.map((trace, side) => trace.ask("alignment", { head: shown[side].via })));
  if (found[0].head !== found[1].head) return absent(t("The two packs have no head in common that links the texts."));
  const written = traces.map((trace, side) => {
    const words = trace.info.predicted.words.map((word, number) => ({ ...word, number })).filter((word) => !word.special);
    const token = trace.info.predicted.tokens[trace.firstRow + shown[side].step];
    const at = Math.max(0, words.findIndex((word) => word.number === token?.word));
    return { at, number: words[at]?.number, text: words[at]?.text ?? "" };
  });
  const value = (side, j) =>
    isOccluded ? all[side].columns[j]?.[written[side].number] : found[side].weights[written[side].at]?.[j];
  const rows = sideBySide(found[0].source, found[1].source);
  return [
    h(
      "p",
      { class: "muted" },
      filled(t("{what} while writing {words}, source word by source word."), {
        what: isOccluded ? t("Occlusion") : found[0].head,
        words: [...new Set(written.map((word) => word.text))].join(" | "),
      }),
    ),
    h(
      "table",
      { class: "bars both" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          [t("Words of the source"), NAMES[0], NAMES[1], "B − A"].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map(([i, j]) => {
          const values = [i, j].map((word, side) => (word === null ? undefined : value(side, word)));
          const words = [...new Set([found[0].source[i], found[1].source[j]].filter((word) => word !== undefined))];
          const change = values[1] - values[0];
          return h(
            "tr",
            null,
            h("th", { scope: "row", lang: language(words[0]) }, words.join(" | ")),
            values.map((one, side) =>
              one === undefined
                ? h("td", null, "–")
                : h("td", { "data-side": "ab"[side], "data-value": exact(one) }, short(one, 3)),
            ),
            Number.isFinite(change)
              ? h("td", { "data-link-difference": words[0], "data-value": change }, signed(change))
              : h("td", null, "–"),
          );
        }),
      ),
    ),
  ];
}
