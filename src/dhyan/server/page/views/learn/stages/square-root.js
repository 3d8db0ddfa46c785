// Variance grows with d, softmax saturates, the division mends both: measured by the experiment, and in your sentence.

import { h, language } from "../../../parts/dom.js";
import { softmax } from "../../../parts/numbers.js";
import { t } from "../../../parts/i18n.js";
import { go } from "../../../parts/url-state.js";
import { figures } from "../../labs/figures.js";
import { headChooser, wordChooser } from "../controls.js";
import { percent, scene, slider } from "../pictures.js";
import { prose, say } from "../say.js";

export const SIZES = [4, 8, 16, 32, 64, 128, 256, 512, 1024];
const [PLAIN, DIVIDED] = ["q·k", "q·k / √d"]; // as the experiment's table calls them

export async function squareRoot(lesson) {
  const trace = await lesson.trace();
  const a = trace.architecture;
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const head = lesson.head(a);
  const [measured, scores, weights] = await Promise.all([
    lesson.lab("sqrt-dk", { sizes: SIZES }),
    trace.numbers(`${head.name}.scores[${look}]`),
    trace.numbers(`${head.name}.weights[${look}]`),
  ]);
  const rows = measured.tables[0].rows;
  const of = (d, kind) => rows.find(([size, scored]) => size === String(d) && scored === kind);
  const undivided = softmax(scores.data);
  return {
    scenes: [
      scene(0, null, figures([measured.figures.find((one) => one.name === "variance")], "sqrt-dk"), table(SIZES, of)),
      saturation(lesson, of),
      scene(
        2,
        say(
          `“${tokens[look].text}” in your sentence, with and without ÷ √${a.d_model / a.heads}`,
          `आपके वाक्य में “${tokens[look].text}”, √${a.d_model / a.heads} से भाग देकर और बिना दिए`,
        ),
        h(
          "table",
          { class: "score-table" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ["", "softmax(q · k)", `softmax(q · k ÷ √${a.d_model / a.heads})`].map((one) =>
                h("th", { scope: "col" }, one),
              ),
            ),
          ),
          h(
            "tbody",
            null,
            tokens.map((token, j) =>
              h(
                "tr",
                null,
                h(
                  "th",
                  { scope: "row", lang: language(token.text), class: token.special ? "special" : null },
                  token.text,
                ),
                h(
                  "td",
                  { class: "track other", style: { "--part": undivided[j] } },
                  h(
                    "span",
                    { class: "number", "data-undivided": j, "data-value": undivided[j] },
                    `${(undivided[j] * 100).toFixed(1)} %`,
                  ),
                ),
                h(
                  "td",
                  { class: "track", style: { "--part": weights.data[j] } },
                  percent(weights.data[j], `${head.name}.weights[${look},${j}]`),
                ),
              ),
            ),
          ),
        ),
        wordChooser(tokens, look),
        headChooser(a, head),
      ),
    ],
  };
}

const table = (sizes, of) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": t("variance") },
    h(
      "table",
      { class: "numbers" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, "d"),
          sizes.map((d) => h("th", { scope: "col" }, d)),
        ),
      ),
      h(
        "tbody",
        null,
        [PLAIN, DIVIDED].map((kind) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, kind),
            sizes.map((d) => h("td", { "data-variance": `${kind} ${d}` }, of(d, kind)[2])),
          ),
        ),
      ),
    ),
  );

/** A slider over the sizes; everything it shows was measured at once, so it moves without asking. */
function saturation(lesson, of) {
  const bar = (kind, name) => {
    const value = h("td", null);
    const track = h("td", { class: `track ${kind === PLAIN ? "other" : ""}` });
    return {
      row: h("tr", null, h("th", { scope: "row" }, name), track, value),
      put: (share) => {
        track.style.setProperty("--part", share);
        value.replaceChildren(h("span", { class: "number", "data-largest": kind }, `${(share * 100).toFixed(0)} %`));
      },
    };
  };
  const both = [bar(PLAIN, "softmax(q · k)"), bar(DIVIDED, "softmax(q · k ÷ √d)")];
  const line = h("p", { class: "reading" });
  const put = (d) => {
    both[0].put(Number(of(d, PLAIN)[4]));
    both[1].put(Number(of(d, DIVIDED)[4]));
    line.replaceChildren(
      ...prose(
        say(
          `Softmax over 32 random keys at d = ${d}: variance ${of(d, PLAIN)[2]} without the division, ${of(d, DIVIDED)[2]} with it.`,
          `d = ${d} पर 32 बेतरतीब कुंजियों का softmax: बिना भाग दिए प्रसरण ${of(d, PLAIN)[2]}, भाग देकर ${of(d, DIVIDED)[2]}।`,
        ),
      ),
    );
  };
  const power = Math.max(0, SIZES.indexOf(Number(lesson.state.d ?? 64)));
  put(SIZES[power]);
  return scene(
    1,
    say("The largest of the 32 weights", "32 भारों में सबसे बड़ा"),
    h(
      "table",
      { class: "lesson-bars tall" },
      h(
        "tbody",
        null,
        both.map((one) => one.row),
      ),
    ),
    slider({
      name: "d",
      label: "d",
      least: 0,
      most: SIZES.length - 1,
      value: power,
      shown: (index) => SIZES[index],
      turn: (index) => {
        put(SIZES[index]);
        go({ d: SIZES[index] === 64 ? "" : String(SIZES[index]) }, true);
      },
    }),
    line,
  );
}
