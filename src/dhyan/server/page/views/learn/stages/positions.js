// Said backwards: the same without positions. The notes' table for "river bank". The picture of many positions. The sum X.

import { h, language } from "../../../parts/dom.js";
import { filled, t } from "../../../parts/i18n.js";
import { written } from "../../../parts/notation.js";
import { tab } from "../../../parts/transport.js";
import { go } from "../../../parts/url-state.js";
import { wordChooser } from "../controls.js";
import { bars, grid, number, painting, reading, scene, slider, strip } from "../pictures.js";
import { prose, say } from "../say.js";
import { positionalEncoding } from "../worked.js";

const [NOTES_WORDS, NOTES_SIZE] = [["river", "bank"], 6];
const MOST_WORDS = 12; // that the experiment takes without becoming slow
const FIRST = 6;
const encoding = (column, wave) => [
  ["word", "PE"],
  "(",
  "p",
  ",",
  column,
  ")",
  "=",
  ["word", wave],
  "(",
  ["frac", "p", ["sup", "10000", ["row", "2i", "/", "d"]]],
  ")",
];

export async function positions(lesson) {
  const trace = await lesson.trace();
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const said = [...new Set(lesson.text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [])].slice(0, MOST_WORDS);
  const measured = await lesson.lab("positions", said.length > 1 ? { words: said } : {});
  const rows = measured.tables[0].rows.map((row) => [t(row[0]), Number(row.at(-1))]);
  return {
    scenes: [
      scene(
        0,
        tab // what is stored is about another sentence
          ? say("The notes’ sentence said backwards: how much do its vectors change?", "नोट्स का वाक्य उलटा कहा जाए तो वेक्टर कितने बदलते हैं?")
          : say("The sentence said backwards: how much do its vectors change?", "वाक्य उलटा कहा जाए तो वेक्टर कितने बदलते हैं?"),
        bars(rows, { digits: 2 }),
        reading(prose(filled(t(measured.sentence), measured.numbers))),
      ),
      riverBank(lesson),
      manyPositions(),
      await added(trace, tokens, look),
    ],
  };
}

/** The notes' table; d can be turned. */
function riverBank(lesson) {
  const asked = Number(lesson.state.pe ?? NOTES_SIZE);
  const size = Number.isInteger(asked) && asked >= 2 && asked <= 12 ? asked - (asked % 2) : NOTES_SIZE;
  const table = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "PE" });
  const put = (d) =>
    table.replaceChildren(
      grid({
        name: "PE",
        title: "",
        rows: NOTES_WORDS.map((word, position) => `${word} (p = ${position})`),
        columns: Array.from(
          { length: d },
          (_, column) => `${column % 2 ? "cos" : "sin"}, i = ${Math.floor(column / 2)}`,
        ),
        values: NOTES_WORDS.map((_, position) => positionalEncoding(position, d)),
      }),
    );
  put(size);
  return scene(
    1,
    say("“river bank”: the first two positions", "“river bank”: पहले दो स्थान"),
    h("div", { class: "two-formulas" }, written(encoding("2i", "sin")), written(encoding("2i+1", "cos"))),
    table,
    slider({
      name: "pe",
      label: "d",
      least: 2,
      most: 12,
      step: 2,
      value: size,
      turn: (d) => {
        put(d);
        go({ pe: d === NOTES_SIZE ? "" : String(d) }, true);
      },
    }),
  );
}

/** 50 positions × 128 dimensions, and the same positions in binary: fast on the left, slow on the right. */
function manyPositions() {
  const [many, size, bits] = [50, 128, 6];
  const picture = (title, columns, share, caption) =>
    h(
      "figure",
      null,
      h("figcaption", null, title),
      painting({ class: "pixels" }, columns, many, (pen, colour) => {
        pen.fillStyle = colour("accent");
        for (let position = 0; position < many; position += 1)
          share(position).forEach((part, column) => {
            pen.globalAlpha = part;
            pen.fillRect(column, position, 1, 1);
          });
      }),
      h("small", { class: "muted" }, caption),
    );
  return scene(
    2,
    say(`${many} positions, ${size} dimensions`, `${many} स्थान, ${size} आयाम`),
    h(
      "div",
      { class: "picture-and-counter" },
      picture(
        say("sines and cosines", "साइन और कोसाइन"),
        size,
        (position) => positionalEncoding(position, size).map((value) => (value + 1) / 2),
        say("a row for each position; blank is −1, full is 1", "हर स्थान की एक पंक्ति; ख़ाली −1, भरा हुआ 1"),
      ),
      picture(
        say("counting in binary", "द्विआधारी गिनती"),
        bits,
        (position) => Array.from({ length: bits }, (_, bit) => (position >> bit) & 1),
        say("the lowest bit first", "सबसे छोटा बिट पहले"),
      ),
    ),
  );
}

/** embedding + position = X, in numbers of the model. */
async function added(trace, tokens, look) {
  const title = say("Added, not appended: X = embedding + position", "जोड़ा जाता है, साथ में लगाया नहीं: X = एम्बेडिंग + स्थान");
  if (!("enc.positions" in trace.info.addresses))
    return scene(
      3,
      title,
      reading(
        say(
          "This pack tells positions in another way: it turns queries and keys (rotary positions). The notes' way is that of en-hi.",
          "यह पैक स्थान दूसरे ढंग से बताता है: वह क्वेरी और कुंजी को घुमाता है (rotary)। नोट्स वाला ढंग en-hi पैक का है।",
        ),
      ),
    );
  const parts = ["enc.embedded", "enc.positions", trace.architecture.embedding_norm ? "enc.summed" : "enc.input"];
  const found = await Promise.all(parts.map((address) => trace.numbers(`${address}[${look}]`)));
  const names = [say("embedding", "एम्बेडिंग"), say("+ position", "+ स्थान"), "= X"];
  return scene(
    3,
    title,
    h(
      "div",
      { class: "sum-of-strips" },
      found.map((numbers, index) => [
        h("p", null, h("b", null, names[index]), " ", h("code", null, `${parts[index]}[${look}]`)),
        strip(numbers.data, { most: 6 }),
        h(
          "p",
          { class: "first-numbers" },
          "[",
          Array.from({ length: FIRST }, (_, c) => [number(numbers.data[c], `${parts[index]}[${look},${c}]`, 2), ", "]),
          "…]",
        ),
      ]),
    ),
    wordChooser(tokens, look),
    reading(
      h("b", { lang: language(tokens[look].text) }, tokens[look].text),
      " ",
      prose(say(`stands at position ${look}.`, `का स्थान ${look} है।`)),
    ),
  );
}
