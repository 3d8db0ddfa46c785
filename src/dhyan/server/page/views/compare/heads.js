// The heads of both sides: A, B, and B − A as thumbnails. The difference has the colour of the side that looks more.

import { h, select } from "../../parts/dom.js";
import { colour } from "../../parts/matrix.js";
import { Numbers, short } from "../../parts/numbers.js";
import { whenColoursChange } from "../../parts/repaint.js";
import { go } from "../../parts/url-state.js";
import { key, t } from "../../parts/i18n.js";
import { withoutHeads } from "../bench/atlas.js";
import { difference, mean } from "./difference.js";
import { legend } from "./legend.js";

const BLOCKS = {
  enc: key("Encoder looks at itself"),
  dec: key("Decoder looks back"),
  cross: key("Decoder looks at the source"),
};
export const SORTS = { layer: key("by layer"), difference: key("largest difference first") };
const block = (part) => (part.endsWith("cross") ? "cross" : part.startsWith("enc") ? "enc" : "dec");

export async function heads(traces, state) {
  const all = await Promise.all(traces.map((trace) => trace.attention()));
  const parts = traces[0].parts.filter((part) => traces[1].parts.includes(part));
  if (!parts.length) return h("p", { class: "muted" }, t("The two packs have no attention in common."));
  const count = Math.min(...traces.map((trace) => trace.architecture.heads));
  const found = parts.flatMap((part) =>
    Array.from({ length: count }, (_, head) => {
      const weights = traces.map((trace, side) => weightsOf(trace, part, head, all[side].get(part)));
      const apart = difference(traces, weights);
      return { part, name: `${part}.h${head}`, weights, apart, size: apart && mean(apart.numbers) };
    }),
  );
  const sort = state.sort in SORTS ? state.sort : "layer";
  const most = Math.max(1e-6, ...found.map((head) => head.apart?.numbers.scale ?? 0));
  const whole = found.every((head) => head.apart?.whole);
  return h(
    "div",
    null,
    h(
      "div",
      { class: "row" },
      select(
        t("Sort"),
        Object.entries(SORTS).map(([name, title]) => [name, t(title)]),
        sort,
        (name) => go({ sort: name }),
        { "data-key": "sort" },
      ),
      legend(),
    ),
    h(
      "p",
      { class: "muted" },
      t("A row looks, a column is looked at; shades are √weight. The number is the mean of |B − A|."),
      " ",
      whole
        ? t("Cells are compared position by position.")
        : t("The two have different lengths: only tokens that both have are compared."),
    ),
    traces.some((trace) => trace.architecture.decoder_self === "ssru") && h("p", { class: "muted" }, withoutHeads()),
    Object.entries(BLOCKS).map(([name, title]) => {
      const here = found.filter((head) => block(head.part) === name);
      if (!here.length) return null;
      if (sort === "difference") here.sort((one, other) => (other.size ?? -1) - (one.size ?? -1));
      return h(
        "section",
        null,
        h("h3", null, t(title)),
        h(
          "div",
          { class: "triples" },
          here.map((head) => triple(traces, head, most)),
        ),
      );
    }),
  );
}

/** The weights of one head for a first look: a byte each. */
function weightsOf(trace, part, head, { shape, shades }) {
  const size = shape[1] * shape[2];
  const data = Float32Array.from(shades.subarray(head * size, (head + 1) * size), (shade) => shade / 255);
  return new Numbers(`${part}.h${head}.weights`, [shape[1], shape[2]], trace.sides(part), data);
}

function triple(traces, { name, weights, apart, size }, most) {
  const off = traces.map((trace) => trace.info.heads_off.includes(name));
  return h(
    "button",
    {
      type: "button",
      class: "triple",
      onclick: () => go({ zoom: "at", at: `${name}.weights`, at2: "" }),
      "data-key": `open-${name}`,
      "aria-label": `${t("Open")} ${name}${size === null ? "" : `, ${short(size)}`}`,
    },
    h(
      "span",
      { class: "thumbs" },
      painted(weights[0], off[0] ? null : "accent", "accent", 1),
      painted(weights[1], off[1] ? null : "second", "second", 1),
      apart ? painted(apart.numbers, "second", "accent", most) : h("span", { class: "absent" }, "–"),
    ),
    h(
      "span",
      { class: "row tight" },
      h(
        "small",
        null,
        name,
        off.some(Boolean) ? ` (${t("off")}: ${off.map((one, side) => (one ? "AB"[side] : "")).join("")})` : "",
      ),
      size !== null && h("small", { class: "muted", "data-size": name, "data-value": size }, short(size)),
    ),
  );
}

/** positive null: the head is off, and its frame stays empty. */
function painted(numbers, positive, negative, scale) {
  const [rows, columns] = numbers.shape;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const draw = () => {
    const dense = Math.max(1, Math.round(120 / Math.max(rows, columns)));
    canvas.width = columns * dense;
    canvas.height = rows * dense;
    if (!positive) return;
    const pen = canvas.getContext("2d");
    const [above, below] = [colour(positive), colour(negative)];
    for (let i = 0; i < rows; i += 1)
      for (let j = 0; j < columns; j += 1) {
        const value = numbers.at(i, j);
        pen.globalAlpha = Math.sqrt(Math.min(1, Math.abs(value) / scale));
        if (pen.globalAlpha < 0.06) continue;
        pen.fillStyle = value < 0 ? below : above;
        pen.fillRect(j * dense, i * dense, dense, dense);
      }
  };
  draw();
  whenColoursChange(canvas, draw);
  return canvas;
}
