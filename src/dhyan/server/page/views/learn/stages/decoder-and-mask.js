// The target one place to the right; the mask by hand and in the model; where the two sentences meet.

import { h, language } from "../../../parts/dom.js";
import { written } from "../../../parts/notation.js";
import { handNumbers } from "../hand-numbers.js";
import { grid, percent, reading, scene } from "../pictures.js";
import { prose, say } from "../say.js";
import { attention, WRITE_A_POEM } from "../worked.js";

const { words } = WRITE_A_POEM;
const MASKED = [
  ["word", "softmax"],
  "(",
  ["frac", ["row", "Q", ["sup", "K", "T"], "+", "M"], ["sqrt", ["sub", "d", "k"]]],
  ")",
  "V",
];

export async function decoderAndMask(lesson) {
  const trace = await lesson.trace();
  const { source, target, predicted } = trace.info;
  const last = trace.architecture.decoder_layers - 1;
  const recurs = trace.architecture.decoder_self === "ssru";
  const [own, cross] = await Promise.all([
    recurs ? null : trace.numbers("dec.0.self.h0.weights"),
    trace.numbers(`dec.${last}.cross.h0.weights`),
  ]);
  const masked = attention(handNumbers(lesson.state), true);
  return {
    scenes: [
      scene(
        0,
        say("What the decoder reads, and what it has to say", "डिकोडर क्या पढ़ता है, और उसे क्या कहना है"),
        h("p", { class: "quoted", lang: language(trace.info.asked) }, trace.info.asked),
        h(
          "table",
          { class: "shifted" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              [say("reads", "पढ़ता है"), "", say("has to say", "कहना है")].map((one) => h("th", { scope: "col" }, one)),
            ),
          ),
          h(
            "tbody",
            null,
            target.tokens.map((token, index) =>
              h(
                "tr",
                null,
                h("td", { lang: language(token.text), class: token.special ? "special" : null }, token.text),
                h("td", { "aria-hidden": "true" }, "→"),
                h(
                  "td",
                  {
                    lang: language(predicted.tokens[index].text),
                    class: predicted.tokens[index].special ? "special" : null,
                  },
                  predicted.tokens[index].text,
                ),
              ),
            ),
          ),
        ),
      ),
      scene(
        1,
        say("“write a poem” behind the mask", "मास्क के पीछे “write a poem”"),
        written(MASKED),
        h(
          "div",
          { class: "row" },
          grid({
            name: "seen",
            title: say("scores ÷ √2, masked", "अंक ÷ √2, मास्क के साथ"),
            rows: words,
            columns: words,
            values: masked.seen,
            digits: 4,
          }),
          grid({ name: "masked weights", title: "softmax", columns: words, values: masked.weights }),
          grid({ name: "masked attention", title: say("attention", "अटेंशन"), values: masked.mixed }),
        ),
        reading(
          prose(
            say(
              "W₁₂ = W₁₃ = W₂₃ = 0: exactly nothing comes from later words.",
              "W₁₂ = W₁₃ = W₂₃ = 0: बाद के शब्दों से ठीक शून्य आता है।",
            ),
          ),
        ),
      ),
      scene(
        2,
        say("The same in the model, with your translation", "वही मॉडल में, आपके अनुवाद के साथ"),
        own ? lookingBack(own, predicted.tokens, target.tokens) : handingOn(),
      ),
      scene(
        3,
        say("Where the two sentences meet", "जहाँ दोनों वाक्य मिलते हैं"),
        dots(cross, predicted.tokens, source.tokens, false),
        reading(
          h("code", null, `dec.${last}.cross.h0.weights`),
          " ",
          prose(
            say("Rows: the word being written. Columns: your sentence.", "पंक्तियाँ: लिखा जा रहा शब्द। स्तंभ: आपका वाक्य।"),
          ),
        ),
      ),
    ],
  };
}

const lookingBack = (own, rows, columns) => [
  dots(own, rows, columns, true),
  reading(
    h("code", null, "dec.0.self.h0.weights"),
    " ",
    prose(
      say(
        "A row is computed while predicting its word; what comes later is exactly 0.",
        "हर पंक्ति अपने शब्द का अनुमान लगाते समय निकाली गई; जो बाद में आता है वह ठीक 0 है।",
      ),
    ),
  ),
];

/** What is said of a decoder without self-attention. */
const handingOn = () =>
  reading(
    say(
      "This pack's decoder has no self-attention, and so no mask: a recurrent unit hands a state on from word to word. The notes' way is that of en-hi.",
      "इस पैक के डिकोडर में सेल्फ़-अटेंशन नहीं, इसलिए मास्क भी नहीं: एक आवर्ती इकाई शब्द-दर-शब्द अवस्था आगे देती है। नोट्स वाला ढंग en-hi पैक का है।",
    ),
  );

/** A matrix of dots, as large as their weights; every weight is also there to be read. */
function dots(numbers, rows, columns, masked) {
  return h(
    "div",
    { class: "scroll dots", tabindex: "0", role: "group", "aria-label": numbers.address },
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("td"),
          columns.map((token) =>
            h(
              "th",
              { scope: "col" },
              h("span", { lang: language(token.text), class: token.special ? "special" : null }, token.text),
            ),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((token, i) =>
          h(
            "tr",
            null,
            h("th", { scope: "row", lang: language(token.text), class: token.special ? "special" : null }, token.text),
            columns.map((_, j) =>
              h(
                "td",
                { class: masked && j > i ? "forbidden" : null, style: { "--size": Math.sqrt(numbers.at(i, j)) } },
                percent(numbers.at(i, j), `${numbers.address}[${i},${j}]`),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
