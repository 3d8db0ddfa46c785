// Your sentence without parameters; one word's query, key and value; its scores; what it gathers.

import { button, h, language } from "../../../parts/dom.js";
import { written } from "../../../parts/notation.js";
import { go } from "../../../parts/url-state.js";
import { follow, headChooser, wordChooser } from "../controls.js";
import { fan, number, percent, reading, scene, strip } from "../pictures.js";
import { prose, say } from "../say.js";
import { plainWeights } from "../worked.js";

const KIDS = { text: "The kids were scared of the lions, so they left right away", look: "", head: "enc.1.self.h1" };
const FIRST = 4;

const ATTENTION = [
  ["word", "Attention"],
  "(",
  "Q",
  ",",
  "K",
  ",",
  "V",
  ")",
  "=",
  ["word", "softmax"],
  "(",
  ["frac", ["row", "Q", ["sup", "K", "T"]], ["sqrt", ["sub", "d", "k"]]],
  ")",
  "V",
];

export async function queryKeyValue(lesson) {
  const trace = await lesson.trace();
  const a = trace.architecture;
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const head = lesson.head(a);
  const size = a.d_model / a.heads;
  const at = (array, index = "") => trace.numbers(`${head.name}.${array}${index}`);
  const [embedded, query, key, value, scores, scaled, weights] = await Promise.all([
    trace.numbers("enc.embedded"),
    at("query", `[${look}]`),
    at("key", `[${look}]`),
    at("value", `[${look}]`),
    at("scores", `[${look}]`),
    at("scaled", `[${look}]`),
    at("weights", `[${look}]`),
  ]);
  const plain = plainWeights(tokens.map((_, index) => Array.from(embedded.row(index))))[look];
  const word = tokens[look].text;
  return {
    scenes: [
      scene(
        0,
        say("Without parameters: softmax(X Xᵀ)", "बिना पैरामीटर: softmax(X Xᵀ)"),
        fan({
          left: tokens,
          right: tokens,
          look,
          weights: plain,
          address: () => null,
          pick: follow,
          label: say("weights without parameters", "बिना पैरामीटर के भार"),
        }),
        reading(
          say(
            `“${word}” is most like itself, so it looks at itself: ${(plain[look] * 100).toFixed(0)} %.`,
            `“${word}” सबसे ज़्यादा अपने जैसा है, इसलिए अपने को ही देखता है: ${(plain[look] * 100).toFixed(0)} %।`,
          ),
        ),
      ),
      scene(
        1,
        say(`“${word}” three times: ${size} numbers each`, `“${word}” के तीन रूप: हर एक में ${size} संख्याएँ`),
        h(
          "div",
          { class: "three-vectors" },
          [
            ["q", say("query: what am I looking for?", "क्वेरी: मुझे क्या चाहिए?"), query, "query", "W_Q"],
            ["k", say("key: what do I offer?", "कुंजी: मेरे पास क्या है?"), key, "key", "W_K"],
            ["v", say("value: what do I hand over?", "मान: मैं क्या दूँगा?"), value, "value", "W_V"],
          ].map(([name, means, numbers, array, by]) =>
            h(
              "div",
              { class: `vector of-${name}` },
              h("p", null, h("b", null, name), " = ", prose(`x · ${by}`), h("span", { class: "muted" }, ` · ${means}`)),
              strip(numbers.data),
              h(
                "p",
                { class: "first-numbers" },
                "[",
                Array.from({ length: FIRST }, (_, c) => [
                  number(numbers.data[c], `${head.name}.${array}[${look},${c}]`, 2),
                  ", ",
                ]),
                "…]",
              ),
            ),
          ),
        ),
        wordChooser(tokens, look),
        headChooser(a, head),
      ),
      scene(
        2,
        say(
          `What “${word}” is looking for, against what each word offers`,
          `“${word}” जो खोजता है, और हर शब्द जो पेश करता है`,
        ),
        h(
          "div",
          {
            class: "scroll",
            tabindex: "0",
            role: "group",
            "aria-label": say("score, scaled score, share", "अंक, भाग देकर, हिस्सा"),
          },
          h(
            "table",
            { class: "score-table" },
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                ["", "q · k", `÷ √${size}`, "softmax"].map((one) => h("th", { scope: "col" }, one)),
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
                  h("td", null, number(scores.data[j], `${head.name}.scores[${look},${j}]`, 2)),
                  h("td", null, number(scaled.data[j], `${head.name}.scaled[${look},${j}]`, 2)),
                  h(
                    "td",
                    { class: "track", style: { "--part": weights.data[j] } },
                    percent(weights.data[j], `${head.name}.weights[${look},${j}]`),
                  ),
                ),
              ),
            ),
          ),
        ),
        wordChooser(tokens, look),
        headChooser(a, head),
      ),
      scene(
        3,
        say("Who looks at whom", "कौन किसे देखता है"),
        written(ATTENTION),
        fan({
          left: tokens,
          right: tokens,
          look,
          weights: Array.from(weights.data),
          address: (j) => `${head.name}.weights[${look},${j}]`,
          pick: follow,
          label: say("who looks at whom", "कौन किसे देखता है"),
        }),
        headChooser(a, head),
        lesson.text !== KIDS.text &&
          button(prose(say("Try: *they* and *kids*", "देखें: *they* और *kids*")), () => go(KIDS), {
            class: "small",
            "data-key": "kids",
          }),
      ),
    ],
  };
}
