// mat, cat, rat as one-hot vectors; the sentence as pieces and ids; each id as a row of the table E.

import { h, language } from "../../../parts/dom.js";
import { wordChooser } from "../controls.js";
import { grid, number, reading, scene, strip } from "../pictures.js";
import { prose, say } from "../say.js";

const THREE = ["mat", "cat", "rat"];
const FIRST = 6; // numbers of a vector that are written out

export async function wordsToNumbers(lesson) {
  const trace = await lesson.trace();
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const { source_vocabulary: vocabulary, d_model: size } = trace.architecture;
  const embedded = await trace.numbers("enc.embedded");
  const most = Math.max(...Array.from(embedded.data, Math.abs)) * 0.6;
  const oneHot = THREE.map((_, i) => THREE.map((_, j) => (i === j ? 1 : 0)));
  return {
    scenes: [
      scene(
        0,
        say("One-hot: a place of its own for each word", "वन-हॉट (one-hot): हर शब्द की अपनी जगह"),
        grid({ name: "one-hot", title: "", rows: THREE, values: oneHot, digits: 0 }),
        reading(
          prose(
            say(
              "mat · cat = 0, cat · rat = 0, mat · rat = 0: all equally strange to each other.",
              "mat · cat = 0, cat · rat = 0, mat · rat = 0: तीनों एक-दूसरे के लिए एक-से अजनबी।",
            ),
          ),
        ),
      ),
      scene(
        1,
        say("Your sentence, cut into pieces", "आपका वाक्य, टुकड़ों में कटा हुआ"),
        h(
          "table",
          { class: "pieces-table" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              [
                say("piece", "टुकड़ा"),
                say("number", "क्रमांक"),
                say("its place in the vocabulary", "शब्दावली में उसकी जगह"),
              ].map((one) => h("th", { scope: "col" }, one)),
            ),
          ),
          h(
            "tbody",
            null,
            tokens.map((token) =>
              h(
                "tr",
                { class: token.special ? "special" : null },
                h("th", { scope: "row", lang: language(token.text) }, token.text),
                h("td", { "data-id": token.id }, token.id),
                h("td", { class: "place", style: { "--part": token.id / vocabulary } }),
              ),
            ),
          ),
        ),
        reading(
          say(
            `The vocabulary of this model has ${vocabulary} pieces. As a one-hot vector each would be ${vocabulary} numbers long, all zero but one.`,
            `इस मॉडल की शब्दावली में ${vocabulary} टुकड़े हैं। वन-हॉट वेक्टर में हर टुकड़ा ${vocabulary} संख्याओं का होता, जिनमें एक को छोड़ सब शून्य।`,
          ),
        ),
      ),
      scene(
        2,
        say(`Each piece as ${size} learnt numbers`, `हर टुकड़ा, सीखी हुई ${size} संख्याओं में`),
        h(
          "div",
          { class: "strips" },
          tokens.map((token, index) => [
            h("span", { lang: language(token.text), class: token.special ? "special" : null }, token.text),
            strip(embedded.row(index), { most }),
          ]),
        ),
        wordChooser(tokens, look),
        reading(
          h("b", { lang: language(tokens[look].text) }, tokens[look].text),
          " = [",
          Array.from({ length: FIRST }, (_, column) => [
            number(embedded.at(look, column), `enc.embedded[${look},${column}]`, 2),
            ", ",
          ]),
          "…]",
        ),
      ),
    ],
  };
}
