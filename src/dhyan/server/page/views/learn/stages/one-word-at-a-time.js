// The loop of inference: read, choose, append, until the end token. Where probabilities come from. The same numbers twice.

import { button, h, language } from "../../../parts/dom.js";
import { filled, t } from "../../../parts/i18n.js";
import { formula } from "../../../parts/notation.js";
import { go, state as urlState } from "../../../parts/url-state.js";
import { figures } from "../../labs/figures.js";
import { bars, number, percent, reading, scene } from "../pictures.js";
import { prose, say } from "../say.js";

const PACE = 900; // milliseconds for a word
let playing = 0;

export async function oneWordAtATime(lesson) {
  const trace = await lesson.trace();
  const { steps } = trace.info;
  const asked = Number(lesson.state.step ?? 0);
  const at = Number.isInteger(asked) ? Math.min(steps.length - 1, Math.max(0, asked)) : 0;
  const [logits, measured] = await Promise.all([
    trace.numbers(`dec.out.logits[${steps[at].row}]`),
    lesson.lab("autoregressive"),
  ]);
  return { scenes: [loop(trace, steps, at), choice(steps[at], logits), twice(measured)] };
}

function loop(trace, steps, at) {
  const step = steps[at];
  const last = at === steps.length - 1;
  const turn = (to) => {
    clearTimeout(playing);
    go({ step: to ? String(to) : "" }, true);
  };
  const play = (from) => {
    turn(from);
    if (from < steps.length - 1)
      playing = setTimeout(() => {
        if (urlState.view === "learn" && Number(urlState.step ?? 0) === from) play(from + 1);
      }, PACE);
  };
  return scene(
    0,
    say(`Step ${at + 1} of ${steps.length}`, `क़दम ${at + 1} / ${steps.length}`),
    h("p", { class: "quoted", lang: language(trace.info.asked) }, trace.info.asked),
    h(
      "p",
      { class: "written-so-far", "aria-live": "polite" },
      h("span", { class: "chip special" }, "<start>"),
      steps.slice(0, at).map((one) => h("span", { class: "chip", lang: language(one.chosen.text) }, one.chosen.text)),
      h("span", { class: "chip next", lang: language(step.chosen.text) }, step.chosen.text),
    ),
    bars(
      step.guesses.map((guess) => [guess.text, guess.probability, guess.address]),
      { full: 1, asShare: true },
    ),
    h(
      "p",
      { class: "row" },
      button(`← ${say("Back", "पीछे")}`, () => turn(at - 1), { disabled: at === 0, "data-key": "back" }),
      button(`${say("Next word", "अगला शब्द")} →`, () => turn(at + 1), {
        class: "strong",
        disabled: last,
        "data-key": "next",
      }),
      button(`▶ ${say("Write it all", "पूरा लिखें")}`, () => play(0), { "data-key": "play" }),
    ),
    last && reading(prose(say("The end token is chosen: the sentence is done.", "अंत का टोकन चुना गया: वाक्य पूरा हुआ।"))),
  );
}

/** Logits, one for each piece of the vocabulary, and what softmax makes of the first five. */
function choice(step, logits) {
  const rest = 1 - step.guesses.reduce((sum, guess) => sum + guess.probability, 0);
  return scene(
    1,
    say(`One neuron for each of ${logits.data.length} pieces`, `${logits.data.length} टुकड़ों में हर एक का एक न्यूरॉन`),
    formula("probs"),
    h(
      "table",
      { class: "score-table" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["", say("logit", "लॉजिट"), "softmax"].map((one) => h("th", { scope: "col" }, one)),
        ),
      ),
      h(
        "tbody",
        null,
        step.guesses.map((guess) =>
          h(
            "tr",
            null,
            h("th", { scope: "row", lang: language(guess.text) }, guess.text),
            h("td", null, number(logits.data[guess.id], `dec.out.logits[${step.row},${guess.id}]`, 2)),
            h(
              "td",
              { class: "track", style: { "--part": guess.probability } },
              percent(guess.probability, guess.address),
            ),
          ),
        ),
        h(
          "tr",
          { class: "special" },
          h("th", { scope: "row" }, say("all others", "बाक़ी सब")),
          h("td"),
          h(
            "td",
            { class: "track", style: { "--part": Math.max(0, rest) } },
            `${(Math.max(0, rest) * 100).toFixed(1)} %`,
          ),
        ),
      ),
    ),
    reading(
      prose(say("Linear layer, softmax, choice: at this step", "रैखिक परत, softmax, चुनाव: इस क़दम पर")),
      " ",
      h("b", { lang: language(step.chosen.text) }, step.chosen.text),
    ),
  );
}

const twice = (measured) =>
  scene(
    2,
    null,
    figures([measured.figures.find((one) => one.name === "work")], "autoregressive"),
    reading(prose(filled(t(measured.sentence), measured.numbers))),
  );
