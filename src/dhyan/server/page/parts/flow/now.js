// The part of the flow picture that belongs to one step: what the decoder takes from the source, the candidates, the
// choice, and the way that it goes back in.

import { answerAddress, saysNumber } from "../answer.js";
import { language, s } from "../dom.js";
import { exact, short } from "../numbers.js";
import { t } from "../i18n.js";
import { FONT } from "./layout.js";
import { turning } from "./shapes.js";
import { coursing, numbered, tint } from "./still.js";

const FAINT = 0.004; // of a source token's weight: thinner would not be seen
const BARS = 380; // the most that the candidates take of a wide tower
const TURN = 9; // the innermost radius

/** step: one of trace.steps, or null where nothing is written. link(candidate): what pressing it does. */
export function now(trace, plan, weights, step, link) {
  if (!step) return trace.hasDecoder ? [] : [onTop(trace, plan)];
  return [
    trace.hasCross && s("g", { class: "flow-crossing" }, ways(trace, plan, weights, step.row)),
    candidates(plan, step, link),
    back(plan, step.row),
  ];
}

/** One way per decoder layer from the encoder's last vectors to the token that is being predicted. */
function ways(trace, plan, weights, row) {
  const { enc, dec } = plan.towers;
  const named = plan.row("enc.names");
  return [
    Array.from({ length: trace.architecture.decoder_layers }, (_, layer) => {
      const block = plan.row(`dec.${layer}.cross`, "cross") ?? plan.row(`dec.${layer}`, "closed");
      const open = block.kind === "cross";
      const given = weights.get(`dec.${layer}.cross`);
      const { thick, across, above } = plan.bundle(layer);
      const entry = open ? (block.low + block.high) / 2 + 6 : block.high + 14;
      let inner = 0; // how much of the way lies inside this one
      const lines = enc.lanes
        .map((x, token) => ({ x, token, weight: given.at(row, token) }))
        .reverse()
        .map(({ x, token, weight }) => {
          const width = weight * thick;
          const [out, rest] = [inner + width / 2, thick - inner - width / 2];
          inner += width;
          if (weight < FAINT) return null;
          const end = dec.lanes[row] - thick / 2 + rest;
          const points = [
            [x, enc.top + 10],
            [x, above + thick / 2 - out],
            [across - thick / 2 + out, above + thick / 2 - out],
            [across - thick / 2 + out, entry + thick / 2 - out],
            [end, entry + thick / 2 - out],
            [end, block.high],
          ];
          return coursing(
            { weight },
            {
              class: "flow-way",
              d: turning(points, [TURN + out, TURN + out, TURN + rest, TURN + rest]),
              "stroke-width": Math.max(0.8, width),
              "data-token": `enc:${token}`,
              style: tint(token, enc.lanes.length),
              ...(open ? numbered(given, row, token) : {}),
            },
            s(
              "title",
              null,
              `${t("while predicting")} → ${trace.info.predicted.tokens[row].text} ${t("looks at")} ${enc.names[token].text}: ${short(weight)} · ${given.address(row, token)}`,
            ),
          );
        });
      return s("g", { class: "flow-part", "data-stage": open ? block.id : `${block.id}.closed.cross` }, lines);
    }),
    sources(trace, plan, weights, named, row),
  ];
}

/** The names of the source tokens that are looked at most, where the ways begin. */
function sources(trace, plan, weights, named, row) {
  const { enc } = plan.towers;
  const open = trace.architecture.decoder_layers;
  const layer = Array.from({ length: open }, (_, number) => number).find((number) =>
    plan.row(`dec.${number}.cross`, "cross"),
  );
  if (layer === undefined) return null;
  const given = weights.get(`dec.${layer}.cross`);
  const shown = [];
  enc.lanes
    .map((x, token) => ({
      x,
      token,
      weight: given.at(row, token),
      half: (enc.names[token].text.length * 8 + 26) / 2,
    }))
    .sort((one, other) => other.weight - one.weight)
    .forEach((one) => {
      if (one.weight >= 0.05 && shown.every((other) => Math.abs(other.x - one.x) > one.half + other.half))
        shown.push(one);
    });
  return s(
    "g",
    { class: "flow-sources" },
    shown.map(({ x, token, weight }) =>
      s(
        "text",
        { class: "flow-token middle", x, y: named.low - 7, "data-row": `enc:${token}` },
        s("tspan", { lang: language(enc.names[token].text) }, enc.names[token].text),
        " ",
        s("tspan", { class: "share", dx: 3, ...numbered(given, row, token) }, short(weight, 2)),
      ),
    ),
  );
}

/** The likeliest next tokens as bars; the chosen one is marked, and another is forced by a press. */
function candidates(plan, step, link) {
  const tower = plan.towers.dec;
  const row = plan.row("dec.out");
  const shown = step.guesses.some((guess) => guess.id === step.chosen.id)
    ? step.guesses.slice(0, 5)
    : [...step.guesses.slice(0, 4), step.chosen];
  const wide = Math.min(BARS, tower.right - tower.left);
  const left = Math.min(tower.right - wide, Math.max(tower.left, tower.lanes[step.row] - wide / 2)); // near its lane
  const [from, to] = [left + wide * 0.34 + 14, left + wide - 56];
  return s(
    "g",
    { class: "flow-candidates", "data-stage": "dec.out" },
    shown.map((guess, number) => {
      const y = row.high + 26 + number * 25;
      const taken = guess.id === step.chosen.id;
      return s(
        "a",
        {
          href: link(step, guess),
          class: `flow-candidate${taken ? " taken" : ""}`,
          "data-key": `candidate-${number}`,
          "aria-label": `${taken ? t("Chosen") : t("Force")} ${guess.text} ${short(guess.probability)}`,
        },
        s("rect", {
          class: "reach",
          x: left + 4,
          y,
          width: wide - 8,
          height: 24,
          rx: 5,
        }),
        s("text", { class: "end", x: from - 8, y: y + 17, lang: language(guess.text) }, guess.text),
        s("rect", {
          class: "flow-bar",
          x: from,
          y: y + 6,
          width: Math.max(1.5, (to - from) * guess.probability),
          height: 12,
          rx: 3,
        }),
        s(
          "text",
          {
            class: "number",
            x: to + 8,
            y: y + 17,
            "data-address": guess.address,
            "data-value": exact(guess.probability),
          },
          short(guess.probability),
        ),
      );
    }),
  );
}

/** What is written goes in again below: the next token to read. */
function back(plan, row) {
  const tower = plan.towers.dec;
  const next = tower.lanes[row + 1];
  if (next === undefined) return null;
  const written = plan.row("dec.written");
  const read = plan.row("dec.tokens");
  const y =
    tower.setting.kind === "slanted"
      ? written.low - 10
      : written.low - 10 - (tower.setting.kind === "two" && row % 2 ? 19 : 0);
  const out = tower.right + 40;
  const ground = plan.height - 4;
  return s(
    "g",
    { class: "flow-back", "data-stage": "back", "aria-hidden": "true" },
    s("path", {
      d: turning(
        [
          [tower.right + 8, y],
          [out, y],
          [out, ground],
          [next, ground],
          [next, read.low + 3],
        ],
        [12, 12, 12, 6],
      ),
    }),
    s("path", {
      class: "arrow",
      d: `M${next - 4} ${read.low + 7}L${next} ${read.low + 1}L${next + 4} ${read.low + 7}`,
    }),
    s(
      "text",
      { transform: `rotate(90 ${out + 5} ${plan.height / 2})`, x: out + 5, y: plan.height / 2, class: "middle" },
      t("what is written is read in the next step"),
    ),
  );
}

const isSaid = ({ model, info }, label, probability) =>
  model.label_kind === "several" ? probability >= 0.5 : label === info.text;

/** On an encoder alone stands the sentence's vector, and where it was taught to, a label. */
function onTop(trace, plan) {
  const tower = plan.towers.enc;
  const row = plan.row("top");
  const labels = Object.entries(trace.info.labels ?? {});
  const [from, to] = [tower.left + 110, tower.right - 60];
  return s(
    "g",
    { class: "flow-candidates", "data-stage": "top" },
    s(
      "text",
      { class: "strongtext", x: tower.left + 10, y: row.high + FONT + 6 },
      labels.length ? t("Sentence vector → label") : t("Sentence vector"),
    ),
    labels.map(([label, probability], number) => {
      const y = row.high + 26 + number * 22;
      return s(
        "g",
        { class: `flow-candidate${isSaid(trace, label, probability) ? " taken" : ""}` },
        s("text", { class: "end", x: from - 8, y: y + 14 }, label),
        !saysNumber(trace.model) &&
          s("rect", {
            class: "flow-bar",
            x: from,
            y: y + 4,
            width: Math.max(1.5, (to - from) * probability),
            height: 11,
            rx: 3,
          }),
        s(
          "text",
          {
            class: "number",
            x: to + 8,
            y: y + 14,
            "data-address": answerAddress(trace.model, number),
            "data-value": exact(probability),
          },
          short(probability),
        ),
      );
    }),
  );
}
