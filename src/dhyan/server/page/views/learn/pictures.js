// The small pictures that the stages are made of. Each shows one thing, and every number in it says where it is from.

import { h, language, s } from "../../parts/dom.js";
import { exact, short } from "../../parts/numbers.js";
import { whenColoursChange } from "../../parts/repaint.js";
import { prose } from "./say.js";

/** A number of the model: its address, all its digits, and a few of them to read. */
export const number = (value, address, digits = 4) =>
  h(
    "span",
    { class: "number", "data-address": address, title: address, "data-value": exact(value) },
    short(value, digits),
  );

export const percent = (value, address) =>
  h("span", { class: "number", "data-address": address, title: address, "data-value": exact(value) }, share(value));

/** 0.0312 → "3.1 %": one digit where it would otherwise read 0 */
export const share = (value) => `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;

/** A picture with a line above it, for one part of the text. */
export const scene = (part, title, ...inside) =>
  h("section", { class: "scene", "data-part": part }, title && h("h3", null, prose(title)), inside);

/** Something within a picture that is not there before this part of the text is reached. */
export const fromPart = (part, ...inside) => h("div", { class: "block", "data-from": part }, inside);

/** One line that says what is to be seen, in words and numbers. */
export const reading = (...inside) => h("p", { class: "reading" }, inside);

/** Words to choose from. */
export const words = (tokens, look, pick) =>
  h(
    "div",
    { class: "lesson-words", role: "group" },
    tokens.map((token, index) =>
      h(
        "button",
        {
          type: "button",
          class: `chip${token.special ? " special" : ""}`,
          lang: language(token.text),
          "aria-pressed": String(index === look),
          "data-key": `look-${index}`,
          onclick: () => pick(index),
        },
        token.text,
      ),
    ),
  );

/**
 * Who looks (left) at whom (right): the links of the chosen row, as thick as their weights. Words stand in lists, so that
 * nothing has to be measured and long sentences grow downwards.
 */
export function fan({ left, right, look, weights, address, pick, label }) {
  const high = Math.max(left.length, right.length); // in lines; CSS says how high a line is
  const middle = (index) => index + 0.5;
  const most = Math.max(...weights);
  return h(
    "div",
    { class: "fan", role: "group", "aria-label": label },
    h(
      "div",
      { class: "looking" },
      left.map((token, index) =>
        h(
          "button",
          {
            type: "button",
            lang: language(token.text),
            class: token.special ? "special" : null,
            "aria-pressed": String(index === look),
            "data-key": `look-${index}`,
            onclick: () => pick(index),
          },
          token.text,
        ),
      ),
    ),
    s(
      "svg",
      { viewBox: `0 0 100 ${high}`, preserveAspectRatio: "none", "aria-hidden": "true", style: { "--lines": high } },
      weights.map((weight, index) =>
        s("path", {
          d: `M0,${middle(look)} C45,${middle(look)} 55,${middle(index)} 100,${middle(index)}`,
          class: weight === most ? "most" : null,
          style: { "--weight": weight },
        }),
      ),
    ),
    h(
      "ol",
      { class: "looked" },
      right.map((token, index) =>
        h(
          "li",
          { style: { "--part": weights[index] }, class: weights[index] === most ? "most" : null },
          h("span", { lang: language(token.text), class: token.special ? "special" : null }, token.text),
          percent(weights[index], address(index)),
        ),
      ),
    ),
  );
}

/** [label, value, address] as bars; full: what fills a bar. */
export function bars(rows, { full = null, digits = 4, asShare = false, kind = "" } = {}) {
  const most = full ?? Math.max(1e-9, ...rows.map(([, value]) => Math.abs(value)));
  return h(
    "table",
    { class: `lesson-bars ${kind}` },
    h(
      "tbody",
      null,
      rows.map(([label, value, address]) =>
        h(
          "tr",
          null,
          h("th", { scope: "row", lang: language(label) }, label),
          h("td", { class: "track", style: { "--part": Math.min(1, Math.abs(value) / most) } }),
          h("td", null, asShare ? percent(value, address) : number(value, address, digits)),
        ),
      ),
    ),
  );
}

/** A canvas of `across` × `down` cells that is painted in the page's colours, whichever they are. paint(pen, colour) */
export function painting(properties, across, down, paint) {
  const canvas = h("canvas", { width: across, height: down, "aria-hidden": "true", ...properties });
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, across, down);
    paint(pen, (name) => style.getPropertyValue(`--${name}`));
  };
  draw();
  whenColoursChange(canvas, draw);
  return canvas;
}

/** A row of numbers as a strip of colour: accent above zero, orange below. */
export function strip(values, { most = null } = {}) {
  const scale = most ?? Math.max(...Array.from(values, Math.abs));
  return painting({ class: "strip" }, values.length, 1, (pen, colour) =>
    values.forEach((value, index) => {
      pen.globalAlpha = Math.min(1, Math.abs(value) / scale);
      pen.fillStyle = colour(value < 0 ? "negative" : "accent");
      pen.fillRect(index, 0, 1, 1);
    }),
  );
}

/**
 * A small matrix of numbers worked out here. change: makes its cells boxes to write in; pick: a cell was asked about.
 * marked: "i,j" of the cell that is explained.
 */
export function grid({
  name,
  title,
  rows = null,
  columns = null,
  values,
  digits = 4,
  change = null,
  pick = null,
  marked = null,
}) {
  const cell = (value, i, j) => {
    const known = { "data-cell": `${name}[${i},${j}]`, "data-value": value };
    if (change)
      return h(
        "td",
        null,
        h("input", {
          type: "number",
          step: "0.01",
          value: String(value),
          "aria-label": `${name}[${i},${j}]`,
          "data-key": `${name}-${i}-${j}`,
          oninput: ({ target }) => target.value.trim() !== "" && change(i, j, Number(target.value)),
          ...known,
        }),
      );
    const text = short(value, digits);
    return h(
      "td",
      { class: marked === `${i},${j}` ? "marked" : null, style: { "--strength": strength(value, values) } },
      pick
        ? h(
            "button",
            {
              type: "button",
              "data-key": `${name}-${i}-${j}`,
              onclick: () => pick(name, i, j),
              onfocus: () => pick(name, i, j),
              ...known,
            },
            text,
          )
        : h("span", known, text),
    );
  };
  return h(
    "table",
    { class: `grid${change ? " open" : ""}`, "data-grid": name },
    title && h("caption", null, prose(title)),
    columns &&
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          rows && h("td"),
          columns.map((one) => h("th", { scope: "col", lang: language(one) }, one)),
        ),
      ),
    h(
      "tbody",
      null,
      values.map((row, i) =>
        h(
          "tr",
          null,
          rows && h("th", { scope: "row", lang: language(rows[i]) }, rows[i]),
          row.map((value, j) => cell(value, i, j)),
        ),
      ),
    ),
  );
}

/** How strongly a cell is tinted: its share of the largest. */
function strength(value, values) {
  if (!Number.isFinite(value)) return 0;
  const most = Math.max(1e-9, ...values.flat().filter(Number.isFinite).map(Math.abs));
  return (Math.abs(value) / most).toFixed(3);
}

/** A slider with its value beside it. */
export function slider({ name, label, least, most, step = 1, value, turn, shown = (one) => one }) {
  const output = h("output", null, shown(value));
  const box = h("input", {
    type: "range",
    min: least,
    max: most,
    step,
    value: String(value),
    "data-key": `slider-${name}`,
    "data-slider": name,
    oninput: ({ target }) => {
      output.textContent = shown(Number(target.value));
      turn(Number(target.value));
    },
  });
  return h("label", { class: "lesson-slider" }, h("span", null, label), box, output);
}

/** word = 0.25 · money + … as one bar of parts. */
export function mixture(word, parts) {
  return h(
    "div",
    { class: "mixture" },
    h("b", { lang: language(word) }, word, " ="),
    h(
      "ol",
      { class: "parts" },
      parts.map(([name, weight, address]) =>
        h(
          "li",
          { style: { "--part": weight }, class: weight < 0.12 ? "thin" : null, title: `${name} ${share(weight)}` },
          h(
            "span",
            { class: "number", "data-address": address, "data-value": address ? weight : null },
            weight.toFixed(2),
          ),
          h("span", { lang: language(name) }, name),
        ),
      ),
    ),
  );
}
