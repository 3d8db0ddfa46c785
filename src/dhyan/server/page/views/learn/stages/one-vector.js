// One vector for a word: the average apple, and bank in two sentences. One vector for a sentence: the bottleneck.

import { get } from "../../../parts/api.js";
import { h, language, s } from "../../../parts/dom.js";
import { t } from "../../../parts/i18n.js";
import { go } from "../../../parts/url-state.js";
import { follow, wordChooser } from "../controls.js";
import { bars, fan, mixture, reading, scene, slider } from "../pictures.js";
import { prose, say } from "../say.js";

export const SENTENCES = 10_000;
const OTHER = { bank: "The bank lends money to people" }; // for the notes' word, a sentence with its other meaning
// the notes' two mixtures
const MONEY_BANK = [
  ["money", 0.25],
  ["bank", 0.7],
  ["grows", 0.05],
];
const RIVER_BANK = [
  ["river", 0.2],
  ["bank", 0.78],
  ["flows", 0.02],
];

export async function oneVector(lesson) {
  const trace = await lesson.trace();
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const head = lesson.head(trace.architecture);
  const row = await trace.numbers(`${head.name}.weights[${look}]`);
  const own = tokens.map((token, index) => [token.text, row.data[index], `${head.name}.weights[${look},${index}]`]);
  return {
    scenes: [
      apple(Number(lesson.state.apples ?? 9000)),
      await twoSentences(lesson, trace, look),
      scene(
        2,
        say("A word as a mixture of its sentence", "शब्द, अपने वाक्य का मिश्रण"),
        mixture("bank", MONEY_BANK),
        mixture("bank", RIVER_BANK),
        h(
          "p",
          { class: "muted" },
          say("And in your sentence, by a head of the model:", "और आपके वाक्य में, मॉडल के एक हेड के अनुसार:"),
          " ",
          h("code", null, head.name),
        ),
        mixture(tokens[look].text, own),
        wordChooser(tokens, look),
      ),
      await bottleneck(trace),
    ],
  };
}

function apple(given) {
  const apples = Math.min(SENTENCES, Math.max(0, Number.isFinite(given) ? given : 9000));
  const taste = h("span", { class: "number", "data-cell": "taste" });
  const technology = h("span", { class: "number", "data-cell": "technology" });
  const point = s("circle", { r: 7, class: "point" });
  const arrow = s("line", { x1: 40, y1: 180, class: "arrow" });
  const name = s("text", { class: "strongtext" }, "apple");
  const put = (count) => {
    const part = count / SENTENCES;
    const [x, y] = [40 + 140 * part, 180 - 140 * (1 - part)];
    point.setAttribute("cx", x);
    point.setAttribute("cy", y);
    arrow.setAttribute("x2", x);
    arrow.setAttribute("y2", y);
    name.setAttribute("x", x + 12);
    name.setAttribute("y", y - 8);
    for (const [element, value] of [
      [taste, part],
      [technology, 1 - part],
    ]) {
      element.textContent = value.toFixed(2).replace(/0$/, "");
      element.dataset.value = String(value);
    }
  };
  put(apples);
  return scene(
    0,
    say("One “apple” for all sentences", "सब वाक्यों के लिए एक ही “apple”"),
    s(
      "svg",
      {
        viewBox: "0 0 260 210",
        class: "plane",
        role: "img",
        "aria-label": say("apple in the plane of taste and technology", "स्वाद और तकनीक के तल में apple"),
      },
      s("path", { d: "M40,20 V180 H230", class: "axis" }),
      s("text", { x: 235, y: 198, "text-anchor": "end" }, say("taste", "स्वाद")),
      s("text", { x: 8, y: 14 }, say("technology", "तकनीक")),
      arrow,
      point,
      name,
    ),
    slider({
      name: "apples",
      label: say("sentences about the fruit, of 10,000", "10,000 में से फल वाले वाक्य"),
      least: 0,
      most: SENTENCES,
      step: 500,
      value: apples,
      turn: (count) => {
        put(count);
        go({ apples: count === 9000 ? "" : String(count) }, true);
      },
    }),
    reading(
      "apple = [",
      taste,
      ", ",
      technology,
      "] ",
      say("in every sentence, whatever it is about", "हर वाक्य में, बात चाहे जिसकी हो"),
    ),
  );
}

/** The same word, layer by layer, in the reader's sentence and in another. */
async function twoSentences(lesson, trace, look) {
  const title = say("The same word in two sentences", "दो वाक्यों में वही शब्द");
  const model = (language(lesson.text) === "en" && lesson.embedder) || lesson.translator;
  const plain = (text) =>
    text
      .replace(/[.,!?;:।"“”]/g, " ")
      .replace(/\s+/g, " ")
      .trim();
  const { words, tokens } = trace.info.source;
  const word = plain(words[tokens[look].word].text);
  if (!word || tokens[look].special)
    return scene(
      1,
      title,
      reading(say("Choose a word of the sentence.", "वाक्य का कोई शब्द चुनें।")),
      wordChooser(tokens, look),
    );
  const has = (text) => plain(text).toLowerCase().split(" ").includes(word.toLowerCase());
  const asked = lesson.state.second ?? OTHER[word.toLowerCase()] ?? word;
  const second = has(asked) ? asked : word;
  const found = await get("contexts", { first: plain(lesson.text), second: plain(second), word, model: model.name });
  const names = { embedded: t("static embedding"), input: t("with its position") };
  const stages = found.stages.map((stage, index) => [
    names[stage] ?? `${t("Layer")} ${Number(stage.split(".")[1]) + 1}`,
    found.cosines[index],
  ]);
  return scene(
    1,
    title,
    h("p", { class: "quoted", lang: language(lesson.text) }, marked(lesson.text, word)),
    h(
      "label",
      { class: "field grow" },
      h("span", null, say("the other sentence", "दूसरा वाक्य")),
      h("input", {
        type: "text",
        value: second,
        lang: language(second),
        "data-key": "second",
        onchange: ({ target }) => go({ second: target.value.trim() }, true),
      }),
    ),
    h("div", { "data-contexts": model.name }, bars(stages, { full: 1, digits: 3 })),
    reading(
      say(
        `Cosine of the two vectors of “${word}”: exactly 1 in the table, ${found.cosines.at(-1).toFixed(2)} after the last layer.`,
        `“${word}” के दोनों वेक्टरों का कोसाइन: तालिका में ठीक 1, आख़िरी परत के बाद ${found.cosines.at(-1).toFixed(2)}।`,
      ),
    ),
  );
}

function marked(text, word) {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  return at < 0
    ? text
    : ["“", text.slice(0, at), h("b", null, text.slice(at, at + word.length)), text.slice(at + word.length), "”"];
}

async function bottleneck(trace) {
  const title = say("Through one vector, or looking at every word", "एक वेक्टर से होकर, या हर शब्द को देखकर");
  const { source, predicted } = trace.info;
  const step = Math.min(1, predicted.tokens.length - 1);
  const part = `dec.${trace.architecture.decoder_layers - 1}.cross.h0.weights`;
  const weights = (await trace.numbers(`${part}[${step}]`)).data;
  return scene(
    3,
    title,
    h(
      "div",
      { class: "funnel" },
      h("p", { lang: language(trace.info.asked) }, trace.info.asked),
      s(
        "svg",
        { viewBox: "0 0 200 90", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("path", {
          d: "M0,0 H200 C150,20 112,30 108,38 V52 C112,60 150,70 200,90 H0 C50,70 88,60 92,52 V38 C88,30 50,20 0,0 Z",
        }),
      ),
      h("b", { class: "squeezed" }, say("one vector", "एक वेक्टर")),
      h("p", { lang: language(trace.info.text) }, trace.info.text),
    ),
    fan({
      left: predicted.tokens.slice(step, step + 1),
      right: source.tokens,
      look: 0,
      weights: Array.from(weights),
      address: (index) => `${part}[${step},${index}]`,
      pick: () => follow(step),
      label: say("an output word looks at all input words", "एक आउटपुट शब्द सारे इनपुट शब्दों को देखता है"),
    }),
    reading(
      prose(
        say(
          "Above, an RNN: all must pass through the narrow place. Below, attention: each output word looks wherever it likes.",
          "ऊपर RNN: सब कुछ तंग गली से निकलता है। नीचे अटेंशन: हर आउटपुट शब्द जहाँ चाहे वहाँ देखता है।",
        ),
      ),
    ),
  );
}
