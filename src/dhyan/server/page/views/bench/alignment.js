// Zoom 1, alignment: links for the chosen word only, by the one head that agrees best with occlusion.

import { h, language, s, select, tabs, button } from "../../parts/dom.js";
import { short } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { exportBar } from "../../parts/exports.js";
import { whenRoomChanges } from "../../parts/repaint.js";
import { t } from "../../parts/i18n.js";

const FAINT = 0.04; // weaker links are not drawn

export async function alignment(trace, state, bench) {
  const found = await trace.ask("alignment", { head: state.via });
  const how = state.how === "occlusion" ? "occlusion" : "attention";
  const tokens = trace.info.predicted.tokens,
    words = trace.info.predicted.words.filter((word) => !word.special);
  const token = tokens[trace.firstRow + state.step];
  const chosen = Math.max(
    0,
    words.findIndex((word) => word === trace.info.predicted.words[token?.word]),
  );
  const best = found.ranking[0][0];
  const values = (how === "attention" ? found.weights : found.occlusion)[chosen] ?? [];
  // Hiding a word that is needed makes the target less likely: the cost is what links.
  const strengths = values.map((value) => (how === "attention" ? value : Math.max(0, -value)));
  const most = how === "attention" ? 1 : Math.max(1e-9, ...strengths);
  const address = (j) => (how === "attention" ? `alignment[${chosen},${j}]` : `occlusion[${chosen},${j}]`);

  const sources = found.source.map((text, j) =>
    h(
      "span",
      { class: "linkword" },
      h("span", { class: "chip", lang: language(text), style: { "--strength": strengths[j] / most } }, text),
      h(
        "small",
        { class: "muted", "data-address": state.via ? null : address(j), "data-value": values[j] },
        short(values[j], 2),
      ),
    ),
  );
  const targets = found.target.map((text, i) =>
    button(text, () => go({ step: String(words[i].start) }, true), {
      class: "chip large",
      lang: language(text),
      "aria-pressed": String(i === chosen),
      "data-key": `target-${i}`,
    }),
  );
  const lines = s("svg", { class: "links", "aria-hidden": "true" });
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

  return h(
    "div",
    null,
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
      how === "attention" &&
        select(
          t("Head"),
          found.ranking.map(([head, agreement], rank) => [
            head,
            `${head}  ${short(agreement, 2)}${rank ? "" : " ★"}`,
          ]),
          found.head,
          (head) => go({ via: head === best ? "" : head }),
          { "data-key": "via" },
        ),
    ),
    box,
    h(
      "p",
      { class: "muted" },
      how === "attention"
        ? `${found.head}: ${t(state.via ? "chosen by you; its agreement with occlusion is" : "the head that agrees best with occlusion; mean correlation")} ${short(found.agreement, 2)}. ${t("Weights are not explanations: compare with occlusion.")}`
        : t("Δ log-probability of the chosen word when a source word is hidden; below 0 the model needs it."),
    ),
    exportBar(
      trace,
      how === "attention" && !state.via ? "alignment" : how === "attention" ? `${found.head}.weights` : "occlusion",
      { tell: (...message) => bench.tell(...message) },
    ),
  );
}

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
