// What came out on both sides, and how the two differ: word by word, label by label, or as the cosine of two vectors.

import { answerAddress, saysNumber } from "../../parts/answer.js";
import { h, language } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { t } from "../../parts/i18n.js";
import { shared } from "./difference.js";

export async function outputs(traces) {
  return h("div", { class: "both-sides" }, said(traces), await between(traces));
}

/** Both texts; words that only one has are marked. */
function said(traces) {
  const words = traces.map((trace) => trace.info.text.split(/\s+/).filter(Boolean));
  const same = [0, 1].map((side) => new Set(shared(words[0], words[1]).map((pair) => pair[side])));
  return traces.map((trace, side) =>
    h(
      "div",
      { class: `card side-${"ab"[side]} output` },
      h("b", { class: "side-name" }, side ? "■ B" : "● A"),
      trace.model.shape === "decoder" &&
        h("p", { class: "muted", lang: language(trace.info.asked) }, trace.info.asked),
      trace.info.text
        ? h(
            "p",
            { class: "words", lang: language(trace.info.text), "data-said": "ab"[side] },
            words[side].map((word, number) => [
              same[side].has(number) ? word : h("mark", { class: "only" }, word),
              " ",
            ]),
          )
        : h("p", { class: "muted" }, t("A vector; nothing is written.")),
      trace.hasDecoder &&
        h(
          "p",
          { class: "muted" },
          t("Log-probability"),
          " ",
          h("b", { "data-score": "ab"[side], "data-value": trace.info.score }, short(trace.info.score)),
          ` · ${t("per token")} `,
          h("b", null, short(trace.info.score / Math.max(1, trace.steps.length))),
        ),
    ),
  );
}

/** The line below both: the difference as a number. */
async function between(traces) {
  const [a, b] = traces;
  if (traces.every((trace) => trace.hasDecoder)) {
    const change = b.info.score - a.info.score;
    return h(
      "p",
      { class: "between" },
      `B − A: ${t("Log-probability")} `,
      h("b", { id: "score-difference", "data-value": change }, signed(change)),
      a.info.text === b.info.text ? ` · ${t("The same text.")}` : null,
    );
  }
  if (traces.some((trace) => trace.hasDecoder)) return null;
  const names = a.model.labels;
  if (names.length && String(names) === String(b.model.labels) && a.model.label_kind === b.model.label_kind)
    return h(
      "table",
      { class: "bars both between" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          [t("label"), "", "● A", "", "■ B", "B − A"].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h(
        "tbody",
        null,
        names.map((name, number) => {
          const shares = traces.map((trace) => trace.info.labels[name]);
          return h(
            "tr",
            null,
            h("th", { scope: "row" }, name),
            shares.map((share, side) => [
              h("td", { class: `bar${side ? " other" : ""}`, style: { "--part": saysNumber(a.model) ? 0 : share } }),
              h(
                "td",
                { "data-address": answerAddress(a.model, number), "data-side": "ab"[side], "data-value": exact(share) },
                short(share, 4),
              ),
            ]),
            h("td", null, signed(shares[1] - shares[0], 4)),
          );
        }),
      ),
    );
  if (a.architecture.d_model !== b.architecture.d_model)
    return h(
      "p",
      { class: "between muted" },
      t("Vectors of different length have no cosine."),
      ` ${a.architecture.d_model}, ${b.architecture.d_model}`,
    );
  const [one, other] = await Promise.all(traces.map((trace) => trace.numbers("pool")));
  const product = (x, y) => x.data.reduce((sum, value, index) => sum + value * y.data[index], 0);
  const cosine = product(one, other) / Math.sqrt(product(one, one) * product(other, other));
  return h(
    "p",
    { class: "between" },
    t("Cosine of the two texts' vectors"),
    " (",
    h("code", null, "pool"),
    "): ",
    h("b", { id: "cosine", "data-value": cosine }, short(cosine, 4)),
  );
}

/** With its sign, also where it is a plus. */
export const signed = (value, digits = 3) =>
  `${value > 0 && Number(value.toFixed(digits)) ? "+" : ""}${short(value, digits)}`;
