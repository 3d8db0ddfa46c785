// Teacher forcing with a translation of the reader's: all places at once, each with its loss. The leak. The cost of steps.

import { button, h, language } from "../../../parts/dom.js";
import { number, percent, reading, scene } from "../pictures.js";
import { go } from "../../../parts/url-state.js";
import { prose, say } from "../say.js";
import { mean } from "../worked.js";

// the notes' data
const PAIRS = [
  ["How are you?", "आप कैसे हैं"],
  ["Congratulations", "बधाई हो"],
  ["Thank you", "धन्यवाद"],
  ["I am fine", "मैं बढ़िया हूँ"],
];

export async function parallelTraining(lesson) {
  const target = (lesson.state.target ?? "").trim();
  const trace = await lesson.trace(undefined, target ? { target } : {});
  const { steps, predicted } = trace.info;
  const losses = steps.map((step) => -step.log_probability);
  const places = predicted.tokens.length;
  return {
    scenes: [
      scene(
        0,
        say(
          "One pass, all places: the right word, its probability, its loss",
          "एक ही बार में सारे स्थान: सही शब्द, उसकी प्रायिकता, उसका लॉस",
        ),
        h(
          "label",
          { class: "field grow" },
          h(
            "span",
            null,
            prose(say(`the right translation of “${trace.info.asked}”`, `“${trace.info.asked}” का सही अनुवाद`)),
          ),
          h("input", {
            type: "text",
            value: trace.info.text,
            lang: language(trace.info.text),
            "data-key": "target",
            onchange: ({ target: box }) => go({ target: box.value.trim() }, true),
          }),
        ),
        h(
          "p",
          { class: "row" },
          PAIRS.map(([english, hindi]) =>
            button(
              [h("span", { lang: "en" }, english), " → ", h("span", { lang: "hi" }, hindi)],
              () => go({ text: english, target: hindi, look: "" }),
              { class: "small", "data-key": english },
            ),
          ),
        ),
        h(
          "div",
          {
            class: "scroll",
            tabindex: "0",
            role: "group",
            "aria-label": say("probabilities and losses", "प्रायिकताएँ और लॉस"),
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
                [
                  say("right", "सही"),
                  say("probability", "प्रायिकता"),
                  say("loss −log p", "लॉस −log p"),
                  say("its own guess", "अपना अनुमान"),
                ].map((one) => h("th", { scope: "col" }, one)),
              ),
            ),
            h(
              "tbody",
              null,
              steps.map((step, index) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row", lang: language(step.chosen.text) }, step.chosen.text),
                  h(
                    "td",
                    { class: "track", style: { "--part": step.chosen.probability } },
                    percent(step.chosen.probability, step.chosen.address),
                  ),
                  h("td", null, number(losses[index], null, 3)),
                  h(
                    "td",
                    { lang: language(step.guesses[0].text) },
                    step.guesses[0].text,
                    " ",
                    step.guesses[0].id === step.chosen.id ? "✓" : "",
                  ),
                ),
              ),
            ),
          ),
        ),
        reading(
          say("Loss, the mean: ", "लॉस, सबका औसत: "),
          h("b", { class: "number", "data-loss": "", "data-value": mean(losses) }, mean(losses).toFixed(3)),
        ),
      ),
      scene(
        1,
        say("Without the mask the answer lies open", "मास्क न हो तो उत्तर सामने खुला पड़ा है"),
        h(
          "ol",
          { class: "leak" },
          predicted.tokens.map((token, index) =>
            h(
              "li",
              null,
              h("span", { class: "asks" }, say("says", "कहे"), " ", h("b", { lang: language(token.text) }, token.text)),
              h(
                "span",
                { class: "sees" },
                say("sees", "देखे"),
                " ",
                trace.info.target.tokens.map((one, at) =>
                  h(
                    "span",
                    {
                      lang: language(one.text),
                      class: `chip${at > index ? " leaked" : ""}${at === index + 1 ? " answer" : ""}`,
                    },
                    one.text,
                  ),
                ),
              ),
            ),
          ),
        ),
        reading(
          prose(
            say(
              "Dashed: what the mask hides. The framed one is the very word that is asked for.",
              "बिंदीदार घेरा: जो मास्क छिपाता है। मोटे घेरे वाला वही शब्द है जो पूछा गया है।",
            ),
          ),
        ),
      ),
      scene(
        2,
        say("How often does the decoder run for one sentence?", "एक वाक्य के लिए डिकोडर कितनी बार चलता है?"),
        passes(places),
        reading(
          prose(
            say(
              "300 words, 16 rows: step by step took 128 times as long (experiment parallel-training). The two gradients are the same.",
              "300 शब्द, 16 पंक्तियाँ: क़दम-दर-क़दम में 128 गुना समय लगा (प्रयोग parallel-training)। दोनों के ग्रेडिएंट एक ही हैं।",
            ),
          ),
        ),
      ),
    ],
  };
}

const passes = (places) =>
  [
    [say("step by step", "क़दम-दर-क़दम"), places],
    [say("in parallel, behind the mask", "एक साथ, मास्क के पीछे"), 1],
  ].map(([name, count]) =>
    h(
      "div",
      { class: "passes" },
      h("p", null, name, ": ", h("b", { class: "number", "data-passes": count }, count)),
      h(
        "div",
        { "aria-hidden": "true" },
        Array.from({ length: Number(count) }, (_, index) =>
          h("span", { style: { "--wait": index, "--size": count === 1 ? places : index + 1, "--most": places } }),
        ),
      ),
    ),
  );
