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

/** How one number came about: "q[0,0] = 1.16 · 0.54 + 0.23 · 0.59 = 0.7621" */
function line(given, found, name, i, j) {
  const products = (left, right) =>
    left.map((one, index) => `${short(one, 4)} · ${short(right[index], 4)}`).join(" + ");
  const column = (matrix) => matrix.map((row) => row[j]);
  const result = short(found[name][i][j], 4);
  const of = { q: "W_Q", k: "W_K", v: "W_V" }[name];
  const work = {
    scores: () => products(found.q[i], found.k[j]),
    scaled: () => `${short(found.scores[i][j], 4)} / √2`,
    weights: () =>
      `e^${short(found.scaled[i][j], 4)} / (${found.scaled[i].map((one) => `e^${short(one, 4)}`).join(" + ")})`,
    mixed: () => products(found.weights[i], column(found.v)),
  }[name];
  return `${name}[${i},${j}] = ${of ? products(given.X[i], column(given[of])) : work()} = ${result}`;
}
