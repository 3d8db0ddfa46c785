// The next token on both sides: the likeliest of either, with both probabilities and how they differ.

import { h, language } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { filled, t } from "../../parts/i18n.js";
import { signed } from "./outputs.js";
import { absent, NAMES } from "./panes.js";

/** row: of the steps of both. */
export async function candidates(traces, row) {
  const pair = traces[0].rows[row];
  if (!pair) return null; // an encoder writes nothing
  const missing = pair.indexOf(null);
  if (missing >= 0)
    return absent(
      filled(t("Only {one} writes a token here; {other} waits, so the next token has no difference."), {
        one: "BA"[missing],
        other: "AB"[missing],
      }),
    );
  const steps = traces.map((trace, side) => trace.steps[pair[side]]);
  const [a, b] = await Promise.all(
    traces.map((trace, side) => trace.numbers(`dec.out.probs[${steps[side].row}]`)),
  );
  if (a.data.length !== b.data.length)
    return absent(t("The two packs have different vocabularies: the next tokens have no difference."));
  const pieces = new Map(steps.flatMap((step) => [...step.guesses, step.chosen]).map((guess) => [guess.id, guess]));
  const found = [...pieces.values()]
    .map((guess) => ({ ...guess, both: [a.data[guess.id], b.data[guess.id]] }))
    .sort((one, other) => Math.max(...other.both) - Math.max(...one.both));
  return h(
    "table",
    { class: "bars both compared-tokens" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        [t("Next token"), "", NAMES[0], "", NAMES[1], "B − A"].map((title) => h("th", { scope: "col" }, title)),
      ),
    ),
    h(
      "tbody",
      null,
      found.map(({ id, text, both }) =>
        h(
          "tr",
          null,
          h("th", { scope: "row", lang: language(text) }, text),
          both.map((share, side) => [
            h("td", { class: `bar${side ? " other" : ""}`, style: { "--part": share } }),
            h(
              "td",
              {
                "data-address": `dec.out.probs[${steps[side].row},${id}]`,
                "data-side": "ab"[side],
                "data-value": exact(share),
              },
              short(share, 3),
            ),
          ]),
          h("td", { "data-token-difference": id, "data-value": both[1] - both[0] }, signed(both[1] - both[0])),
        ),
      ),
    ),
  );
}
