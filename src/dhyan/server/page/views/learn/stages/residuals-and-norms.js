// x + Z in numbers of the model; the notes' five samples normed by row and by column; padding; which neurons fire.

import { button, h, language } from "../../../parts/dom.js";
import { filled, t } from "../../../parts/i18n.js";
import { formula } from "../../../parts/notation.js";
import { go } from "../../../parts/url-state.js";
import { figures } from "../../labs/figures.js";
import { wordChooser } from "../controls.js";
import { grid, number, painting, reading, scene } from "../pictures.js";
import { prose, say } from "../say.js";
import { batchNorm, FIVE_SAMPLES, layerNorm } from "../worked.js";

const FIRST = 5;
const NAMES = ["z₁", "z₂", "z₃"];

export async function residualsAndNorms(lesson) {
  const trace = await lesson.trace();
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const [input, output, added, hidden, measured] = await Promise.all([
    trace.numbers(`enc.0.self.input[${look}]`),
    trace.numbers(`enc.0.self.output[${look}]`),
    trace.numbers(`enc.0.self.added[${look}]`),
    trace.numbers(`enc.0.ffn.hidden[${look}]`),
    lesson.lab("norms"),
  ]);
  const word = tokens[look].text;
  return {
    scenes: [
      scene(
        0,
        say(`“${word}” and what attention found for it`, `“${word}”, और अटेंशन ने उसके लिए जो खोजा`),
        formula("added"),
        h(
          "table",
          { class: "score-table sums" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ["x", "", "Z", "", "x + Z"].map((one) => h("th", { scope: "col" }, one)),
            ),
          ),
          h(
            "tbody",
            null,
            Array.from({ length: FIRST }, (_, c) =>
              h(
                "tr",
                null,
                h("td", null, number(input.data[c], `enc.0.self.input[${look},${c}]`, 3)),
                h("td", null, "+"),
                h("td", null, number(output.data[c], `enc.0.self.output[${look},${c}]`, 3)),
                h("td", null, "="),
                h("td", null, number(added.data[c], `enc.0.self.added[${look},${c}]`, 3)),
              ),
            ),
          ),
        ),
        reading(
          say(
            `The first ${FIRST} of ${input.shape.at(-1)} numbers, in the first layer.`,
            `${input.shape.at(-1)} में से पहली ${FIRST} संख्याएँ, पहली परत में।`,
          ),
        ),
        wordChooser(tokens, look),
      ),
      norms(lesson),
      scene(
        2,
        null,
        figures([measured.figures.find((one) => one.name === "neighbours")], "norms"),
        reading(prose(filled(t(measured.sentence), measured.numbers))),
      ),
      neurons(trace, tokens, look, hidden),
    ],
  };
}

/** Five samples, open to be changed: along the rows, and down the columns. */
function norms(lesson) {
  const asked = (lesson.state.five ?? "").split(",").map(Number);
  const good = asked.length === 15 && asked.every(Number.isFinite);
  const table = good ? FIVE_SAMPLES.map((_, i) => asked.slice(i * 3, i * 3 + 3)) : FIVE_SAMPLES.map((row) => [...row]);
  const change = (i, j, value) => {
    table[i][j] = value;
    const all = table.flat();
    go({ five: String(all) === String(FIVE_SAMPLES.flat()) ? "" : all.join(",") }, true);
  };
  return scene(
    1,
    say("Five samples, three features", "पाँच नमूने, तीन गुण"),
    formula("normed"),
    h(
      "div",
      { class: "row norms" },
      grid({ name: "samples", title: say("given", "दिया हुआ"), columns: NAMES, values: table, change }),
      grid({
        name: "layer",
        title: say("layer norm → along the row", "लेयर नॉर्म → पंक्ति में"),
        columns: NAMES,
        values: layerNorm(table),
      }),
      grid({
        name: "batch",
        title: say("batch norm ↓ down the column", "बैच नॉर्म ↓ स्तंभ में"),
        columns: NAMES,
        values: batchNorm(table),
      }),
    ),
    lesson.state.five &&
      button(say("As in the notes", "नोट्स जैसा"), () => go({ five: "" }, true), { class: "small", "data-key": "five" }),
    reading(
      say(
        "Change one number: layer norm moves one row, batch norm a whole column.",
        "एक संख्या बदलें: लेयर नॉर्म में एक पंक्ति हिलती है, बैच नॉर्म में पूरा स्तंभ।",
      ),
    ),
  );
}

/** One cell for each neuron of the hidden layer; lit where it is above zero. */
function neurons(trace, tokens, look, hidden) {
  const size = hidden.data.length;
  const across = Math.ceil(Math.sqrt(size * 2.4));
  const firing = hidden.data.filter((value) => value > 0).length;
  const most = Math.max(...hidden.data);
  const wall = painting({ class: "neurons" }, across * 4, Math.ceil(size / across) * 4, (pen, colour) =>
    hidden.data.forEach((value, index) => {
      pen.globalAlpha = value > 0 ? 0.35 + 0.65 * (value / most) : 1;
      pen.fillStyle = colour(value > 0 ? "accent" : "line");
      pen.fillRect((index % across) * 4, Math.floor(index / across) * 4, 3, 3);
    }),
  );
  const { d_model: d, encoder_layers: layers } = trace.architecture;
  return scene(
    3,
    say(`Feed-forward: ${d} → ${size} → ${d}`, `फ़ीड-फ़ॉरवर्ड: ${d} → ${size} → ${d}`),
    wall,
    reading(
      h("b", { lang: language(tokens[look].text) }, tokens[look].text),
      ": ",
      prose(
        say(`${firing} of ${size} neurons fire in the first layer.`, `पहली परत में ${size} में से ${firing} न्यूरॉन सक्रिय हैं।`),
      ),
    ),
    wordChooser(tokens, look),
    h(
      "ol",
      { class: "block-of-layer" },
      [
        say("self-attention", "सेल्फ़-अटेंशन"),
        say("add & norm", "जोड़ और नॉर्म"),
        say("feed-forward", "फ़ीड-फ़ॉरवर्ड"),
        say("add & norm", "जोड़ और नॉर्म"),
      ].map((one) => h("li", null, one)),
      h("li", { class: "times" }, `× ${layers}`),
    ),
  );
}
