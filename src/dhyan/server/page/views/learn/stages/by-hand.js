// "write a poem", two numbers for each word: every step on paper, every number open to be changed.

import { button, fill, h } from "../../../parts/dom.js";
import { short } from "../../../parts/numbers.js";
import { asInTheNotes, changeHandNumber, handNumbers } from "../hand-numbers.js";
import { fromPart, grid, reading, scene } from "../pictures.js";
import { say } from "../say.js";
import { attention, WRITE_A_POEM } from "../worked.js";

const { words } = WRITE_A_POEM;
const SHOWN_FIRST = [null, ["q", 0, 0], ["scores", 0, 0], ["weights", 0, 0], ["mixed", 0, 0]]; // which sum a part begins with

export function byHand(lesson) {
  const given = handNumbers(lesson.state);
  const found = attention(given);
  const sum = h("div", { class: "sum", "aria-live": "polite" });
  const results = h("div", { class: "blocks" });
  let picked = null;

  const pick = (name, i, j) => {
    if (String(picked) === String([name, i, j])) return;
    picked = [name, i, j];
    fill(sum, h("code", null, line(given, found, name, i, j)));
    for (const one of scenes[0].querySelectorAll("[data-cell]"))
      one.classList.toggle("asked", one.getAttribute("data-cell") === `${name}[${i},${j}]`);
  };
  const open = (name, title, rows) =>
    grid({
      name,
      title,
      rows,
      values: given[name],
      change: (i, j, value) => changeHandNumber(given, name, i, j, value),
    });
  const closed = (name, title, rows = words, columns = null) =>
    grid({ name, title, rows, columns, values: found[name], pick });

  fill(
    results,
    fromPart(
      0,
      h("div", { class: "row" }, open("X", "X", words), open("W_Q", "W_Q"), open("W_K", "W_K"), open("W_V", "W_V")),
    ),
    fromPart(
      1,
      h(
        "div",
        { class: "row" },
        closed("q", "q = X · W_Q"),
        closed("k", "k = X · W_K", null),
        closed("v", "v = X · W_V", null),
      ),
    ),
    fromPart(
      2,
      h("div", { class: "row" }, closed("scores", "q · kᵀ", words, words), closed("scaled", "÷ √2", null, words)),
    ),
    h(
      "div",
      { class: "row" },
      fromPart(3, closed("weights", "softmax", words, words)),
      fromPart(4, closed("mixed", say("weights · v: attention", "भार · v: अटेंशन"), null)),
      fromPart(3, share(found)),
    ),
  );
  const scenes = [
    scene(
      0,
      say("“write a poem”, worked out by hand", "“write a poem”, काग़ज़ पर हल किया हुआ"),
      results,
      sum,
      h(
        "p",
        { class: "row" },
        lesson.state.hand &&
          button(say("As in the notes", "नोट्स जैसा"), asInTheNotes, { class: "small", "data-key": "notes" }),
        h(
          "small",
          { class: "muted" },
          say(
            "Change X or a W: all of it follows. Press a number to see its sum.",
            "X या कोई W बदलें: बाक़ी सब अपने-आप बदलेगा। किसी संख्या को दबाकर उसका हिसाब देखें।",
          ),
        ),
      ),
    ),
  ];
  return {
    scenes,
    follow: (part) => {
      const first = SHOWN_FIRST[part];
      if (first) pick(first[0], first[1], first[2]);
    },
  };
}

const share = ({ weights }) =>
  reading(
    say(
      `“write” is ${(weights[0][0] * 100).toFixed(0)} % similar to itself.`,
      `“write” अपने-आप से ${(weights[0][0] * 100).toFixed(0)} % मिलता है।`,
    ),
  );

const INDEX = "₁₂₃";
const NAMES = {
  q: (i, j) => `q${INDEX[j]}(${words[i]})`,
  k: (i, j) => `k${INDEX[j]}(${words[i]})`,
  v: (i, j) => `v${INDEX[j]}(${words[i]})`,
  scores: (i, j) => `q(${words[i]}) · k(${words[j]})`,
  scaled: (i, j) => `q(${words[i]}) · k(${words[j]}) / √2`,
  weights: (i, j) => `w(${words[i]} → ${words[j]})`,
  mixed: (i, j) => `z${INDEX[j]}(${words[i]})`,
};

/** A factor: what was given as it was given, what was worked out with four digits; in brackets below zero. */
const factor = (value) => {
  const text = short(value, Number.isInteger(Math.round(value * 1e6) / 1e4) ? 2 : 4);
  return value < 0 ? `(${text})` : text;
};
const products = (left, right) => left.map((one, index) => `${factor(one)} · ${factor(right[index])}`).join(" + ");
const power = (value) => `e^${factor(value)}`;

/** How one number came about: "q₁(write) = 1.16 · 0.54 + 0.23 · 0.59 = 0.7621" */
function line(given, found, name, i, j) {
  const column = (matrix) => matrix.map((row) => row[j]);
  const of = { q: "W_Q", k: "W_K", v: "W_V" }[name];
  const work = {
    scores: () => products(found.q[i], found.k[j]),
    scaled: () => `${factor(found.scores[i][j])} / √2`,
    weights: () => `${power(found.scaled[i][j])} / (${found.scaled[i].map(power).join(" + ")})`,
    mixed: () => products(found.weights[i], column(found.v)),
  }[name];
  const sum = of ? products(given.X[i], column(given[of])) : work();
  return `${NAMES[name](i, j)} = ${sum} = ${short(found[name][i][j], 4)}`;
}
