// Zoom 1, alignment: links for the chosen word only. They are drawn at once, by the mean of all heads or by the head that
// was best the last time; when occlusion has arrived, by the one that agrees best with it, or by the one that is chosen.

import { h, language, refill, s, select, tabs, button } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { exportBar } from "../../parts/exports.js";
import { hideable } from "../../parts/hideable.js";
import { Occlusion } from "../../parts/occlusion.js";
import { whenRoomChanges } from "../../parts/repaint.js";
import { t } from "../../parts/i18n.js";

const FAINT = 0.04; // weaker links are not drawn

export async function alignment(trace, state, bench) {
  const occlusion = Occlusion.of(trace);
  const head = state.via || (occlusion.isComplete ? "" : occlusion.usual);
  const found = await trace.ask("alignment", { head, ...(occlusion.isComplete ? {} : { quick: "true" }) });
  const stage = h("div", { class: "alignment" });
  const draw = () => refill(stage, content(trace, state, bench, found, occlusion));
  draw();
  if (!occlusion.isComplete) {
    stage.setAttribute("aria-busy", "true");
    occlusion
      .arrive(() => stage.isConnected, draw)
      .then(() => occlusion.isComplete && stage.isConnected && bench.update(bench.state))
      .catch((problem) => stage.isConnected && problem.name !== "AbortError" && bench.tell(problem.message))
      .finally(() => stage.removeAttribute("aria-busy"));
  }
  return stage;
}

function content(trace, state, bench, found, occlusion) {
  const how = state.how === "occlusion" ? "occlusion" : "attention";
  const all = trace.info.predicted.words;
  const words = all.map((word, number) => ({ ...word, number })).filter((word) => !word.special);
  const token = trace.info.predicted.tokens[trace.firstRow + state.step];
  const chosen = Math.max(
    0,
    words.findIndex((word) => word.number === token?.word),
  );
  const values = found.source.map((_, j) =>
    how === "attention" ? found.weights[chosen]?.[j] : occlusion.columns[j]?.[words[chosen]?.number],
  );
  // Hiding a word that is needed makes the target less likely: the cost is what links.
  const strengths = values.map((value) => (how === "attention" ? (value ?? 0) : Math.max(0, -(value ?? 0))));
  const most = how === "attention" ? 1 : Math.max(1e-9, ...strengths);
  const row = how === "occlusion" ? `occlusion[${words[chosen]?.number}]` : `alignment[${chosen}]`;
  const hasAddress = how === "occlusion" || (occlusion.isComplete && found.head === occlusion.best);
  const address = (j) => (hasAddress ? row.replace("]", `,${j}]`) : null);

  const sources = found.source.map((text, j) =>
    h(
      "span",
      { class: "linkword" },
      hideable(trace, text, j, { style: { "--strength": strengths[j] / most } }),
      h(
        "small",
        values[j] === undefined
          ? { class: "muted" }
          : { class: "muted", "data-address": address(j), "data-value": exact(values[j]) },
        values[j] === undefined ? "…" : short(values[j], 2),
      ),
    ),
  );
  const targets = found.target.map((text, i) =>
    button(text, () => go(trace.atStep(words[i].start), true), {
      class: "chip large",
      lang: language(text),
      "aria-pressed": String(i === chosen),
      "data-key": `target-${i}`,
    }),
  );
  const lines = s("svg", { class: `links by-${how}`, "aria-hidden": "true" });
  const box = h(
    "div",
    { class: "linkbox" },
    h("div", { class: "row" }, sources),
    h("div", { class: "row below-words" }, targets),
    lines,
  );
  const draw = () =>
    drawLinks(
      lines,
      box,
      sources,
      targets[chosen],
      strengths.map((one) => one / most),
    );
  whenRoomChanges(box, draw);

  return [
    h(
      "div",
      { class: "row" },
      tabs(
        t("Links by"),
        [
          ["attention", t("Attention")],
          ["occlusion", t("Occlusion")],
        ],
        how,
        (name) => go({ how: name }),
      ),
      how === "attention" && headChoice(trace, found, occlusion),
    ),
    !occlusion.isComplete && progress(occlusion),
    box,
    h("p", { class: "muted" }, how === "attention" ? ofHead(state, found, occlusion) : ofOcclusion()),
    h("p", { class: "muted" }, t("Press a word of the source to hide it from the model.")),
    exportBar(trace, row, {
      figure: hasAddress,
      tell: (message) => bench.tell(message),
      shown: {
        columns: ["source", how === "attention" ? "weight" : "change of log-probability"],
        rows: found.source.map((text, j) => [text, values[j] ?? NaN]),
        values: how === "attention" ? "weight" : "change of log-probability",
        name: how === "attention" ? `${found.head}.weights-${chosen}` : row,
      },
    }),
  ];
}

const progress = (occlusion) =>
  h(
    "p",
    { class: "muted arriving", role: "status" },
    `${t("Hiding words, one after the other…")} ${occlusion.arrived} / ${occlusion.words} `,
    h("progress", { max: occlusion.words, value: occlusion.arrived, "aria-label": t("Words hidden so far") }),
  );

/** All cross-attention heads; once occlusion is there, best first and with their agreement. */
function headChoice(trace, found, occlusion) {
  const heads = found.ranking.length ? found.ranking : trace.crossHeads.map((head) => [head, null]);
  const named = heads.map(([head, agreement]) => [
    head,
    `${head}${agreement === null ? "" : `  ${short(agreement, 2)}`}${head === occlusion.best ? " ★" : ""}`,
  ]);
  return select(
    t("Head"),
    found.head === "mean" ? [["mean", t("mean of all heads")], ...named] : named,
    found.head,
    (head) => go({ via: "", at: head === occlusion.best ? "" : `${head}.weights` }),
    { "data-key": "via" },
  );
}

function ofHead(state, found, occlusion) {
  const compare = t("Weights are not explanations: compare with occlusion.");
  if (found.head === "mean")
    return `${t("The mean of all cross-attention heads, until it is known which one agrees best with occlusion.")} ${compare}`;
  if (!occlusion.isComplete)
    return `${found.head}: ${t(state.via ? "chosen by you" : "the head that agreed best the last time")}. ${compare}`;
  if (state.isChosen === false)
    return `${found.head}: ${t("as on side A; its agreement with occlusion is")} ${short(found.agreement, 2)}. ${compare}`;
  const how = state.via
    ? t("chosen by you; its agreement with occlusion is")
    : t("the head that agrees best with occlusion; mean correlation");
  return `${found.head}: ${how} ${short(found.agreement, 2)}. ${compare}`;
}

const ofOcclusion = () =>
  t("Δ log-probability of the chosen word when a source word is hidden; below 0 the model needs it.");

function drawLinks(svg, box, sources, target, strengths) {
  if (!target || !box.isConnected) return;
  const frame = box.getBoundingClientRect(),
    end = target.getBoundingClientRect();
  svg.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  svg.replaceChildren(
    ...sources
      .map((source, j) => {
        if (strengths[j] < FAINT) return null;
        const start = source.getBoundingClientRect();
        const [x1, y1] = [start.left + start.width / 2 - frame.left, start.bottom - frame.top];
        const [x2, y2] = [end.left + end.width / 2 - frame.left, end.top - frame.top];
        const half = (y1 + y2) / 2;
        return s("path", {
          class: "link",
          d: `M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${y2}`,
          "stroke-width": 1 + 4 * strengths[j],
          "stroke-opacity": 0.25 + 0.75 * strengths[j],
        });
      })
      .filter(Boolean),
  );
}
