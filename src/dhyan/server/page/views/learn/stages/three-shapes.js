// One sentence through the three families: translated, understood, continued.

import { post } from "../../../parts/api.js";
import { h, language } from "../../../parts/dom.js";
import { Missing } from "../lesson.js";
import { bars, reading, scene } from "../pictures.js";
import { prose, say } from "../say.js";

const OTHERS = ["They walked along the water.", "The company opened an office.", "What a wonderful film!"];
const MOST = 12; // tokens that the writer adds

export async function threeShapes(lesson) {
  const made = await Promise.all([translated(lesson), understood(lesson), continued(lesson)]);
  return { scenes: made };
}

/** The blocks of a shape, from below to above. */
const blocks = (shape, ...names) =>
  h(
    "ol",
    { class: `family ${shape}` },
    names.map((name) => h("li", null, name)),
  );

const layers = (name, count) => [name, h("small", null, say(`${count} layers`, `${count} परतें`))];

const missing = (part, title, task, pack) =>
  scene(
    part,
    title,
    h(
      "p",
      { class: "problem" },
      prose(
        new Missing(say(`No pack that can ${task.en} is here`, `${task.hi} वाला कोई पैक नहीं चल रहा`), pack).message,
      ),
    ),
  );

async function translated(lesson) {
  const title = say("Encoder–decoder", "एनकोडर–डिकोडर");
  const { info, model } = await lesson.trace();
  return scene(
    0,
    title,
    blocks(
      "both",
      layers(say("encoder", "एनकोडर"), model.architecture.encoder_layers),
      layers(say("decoder", "डिकोडर"), model.architecture.decoder_layers),
    ),
    h("p", { class: "quoted", lang: language(info.asked) }, info.asked),
    h("p", { class: "quoted answer", lang: language(info.text), "data-shape": "encoder-decoder" }, info.text),
    reading(
      h("code", null, model.name),
      ": ",
      prose(say("a sequence in, another sequence out.", "एक अनुक्रम (sequence) भीतर, दूसरा बाहर।")),
    ),
  );
}

async function understood(lesson) {
  const title = say("Encoder only", "केवल एनकोडर");
  const { embedder, classifier } = lesson;
  const text = await lesson.english();
  if (!embedder && !classifier) return missing(1, title, { en: "embed", hi: "एम्बेडिंग बनाने" }, "english");
  const near = embedder?.task === "embed" && (await post("similar", { text, among: OTHERS, model: embedder.name }));
  const labels = classifier && (await lesson.trace(classifier, { text })).info.labels;
  return scene(
    1,
    title,
    blocks("encoder", layers(say("encoder", "एनकोडर"), (embedder ?? classifier).architecture.encoder_layers)),
    h("p", { class: "quoted", lang: language(text) }, text),
    near && [
      h(
        "p",
        { class: "muted" },
        say("How near other sentences are, by cosine", "दूसरे वाक्य अर्थ में कितने पास हैं (कोसाइन)"),
        " · ",
        h("code", null, embedder.name),
      ),
      h(
        "div",
        { "data-shape": "encoder" },
        bars(
          near.map((one) => [one.text, one.cosine, null]),
          { full: 1, digits: 3, kind: "of-sentences" },
        ),
      ),
    ],
    labels && [
      h(
        "p",
        { class: "muted" },
        say("What a classifier on top says", "ऊपर बैठा वर्गीकारक (classifier) क्या कहता है"),
        " · ",
        h("code", null, classifier.name),
      ),
      h(
        "div",
        { "data-shape": "classifier" },
        bars(
          Object.entries(labels).map(([name, value]) => [labelName(name), value, null]),
          { full: 1, asShare: true },
        ),
      ),
    ],
  );
}

const labelName = (name) =>
  ({ negative: say("negative", "नकारात्मक"), positive: say("positive", "सकारात्मक") })[name] ?? name;

async function continued(lesson) {
  const title = say("Decoder only", "केवल डिकोडर");
  const { writer } = lesson;
  if (!writer) return missing(2, title, { en: "write", hi: "लिखने" }, "writer");
  const words = (await lesson.english()).trim().split(/\s+/);
  const text = words.slice(0, Math.max(2, words.length - 1)).join(" "); // without its last word, it asks to be gone on with
  const { info } = await lesson.trace(writer, { text, max_length: MOST });
  const first = info.steps[0];
  return scene(
    2,
    title,
    blocks("decoder", layers(say("decoder", "डिकोडर"), writer.architecture.decoder_layers)),
    h(
      "p",
      { class: "quoted", "data-shape": "decoder" },
      h("span", { lang: language(info.asked) }, info.asked),
      " ",
      h("span", { class: "continued", lang: language(info.text) }, info.text),
    ),
    first && [
      h("p", { class: "muted" }, say("The next token", "अगला टोकन"), " · ", h("code", null, writer.name)),
      bars(
        first.guesses.map((guess) => [guess.text, guess.probability, guess.address]),
        { full: 1, asShare: true },
      ),
    ],
    reading(
      prose(say("A small writer. The large ones take the same steps.", "यह छोटा-सा लेखक है। बड़े मॉडल भी यही क़दम उठाते हैं।")),
    ),
  );
}
