// Zoom 2, the head atlas: every head as a thumbnail, sortable, each with a switch that runs the model without it.

import { h, select } from "../../parts/dom.js";
import { colour } from "../../parts/matrix.js";
import { whenColoursChange } from "../../parts/repaint.js";
import { short } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { mergedByWords } from "../../parts/trace.js";
import { key, t } from "../../parts/i18n.js";

const BLOCKS = {
  enc: key("Encoder looks at itself"),
  dec: key("Decoder looks back"),
  cross: key("Decoder looks at the source"),
};
// sort → which trait, and whether the smallest comes first
export const SORTS = {
  layer: [key("by layer")],
  previous: [key("looks at the previous token")],
  next: [key("looks at the next token")],
  itself: [key("looks at itself")],
  broad: [key("looks broadly")],
  aligns: [key("aligns")],
  matters: [key("matters most"), true],
};

/** What is said where a decoder has no self-attention. */
export const withoutHeads = () => t("This decoder looks back with a recurrent unit, which has no heads.");

const block = (part) => (part.endsWith("cross") ? "cross" : part.startsWith("enc") ? "enc" : "dec");

export async function atlas(trace, state, bench) {
  const all = await trace.attention();
  const sort = state.sort in SORTS ? state.sort : "layer";
  const traits = sort === "layer" ? {} : await traitsOf(trace, bench);
  const heads = [...all].flatMap(([part, { shape, shades }]) =>
    Array.from({ length: shape[0] }, (_, head) => {
      const size = shape[1] * shape[2];
      return {
        name: `${part}.h${head}`,
        part,
        rows: shape[1],
        columns: shape[2],
        shades: shades.subarray(head * size, (head + 1) * size),
      };
    }),
  );
  const value = (head) => traits[head.name]?.[sort] ?? null;
  const [, ascending] = SORTS[sort];
  return h(
    "div",
    null,
    h(
      "div",
      { class: "row" },
      select(
        t("Sort"),
        Object.entries(SORTS).map(([name, [title]]) => [name, t(title)]),
        sort,
        (name) => go({ sort: name }),
        { "data-key": "sort" },
      ),
      h(
        "span",
        { class: "muted" },
        t("A row looks, a column is looked at; shades are √weight. The switch runs the model without the head."),
      ),
    ),
    trace.architecture.decoder_self === "ssru" && h("p", { class: "muted" }, withoutHeads()),
    Object.entries(BLOCKS).map(([name, title]) => {
      const here = heads.filter((head) => block(head.part) === name);
      const sorted =
        sort === "layer"
          ? here
          : here.filter((head) => value(head) !== null).sort((a, b) => (ascending ? 1 : -1) * (value(a) - value(b)));
      if (!sorted.length) return null;
      return h(
        "section",
        null,
        h("h3", null, t(title)),
        h(
          "div",
          { class: `heads${sort === "layer" ? "" : " sorted"}`, style: { "--across": trace.architecture.heads } },
          sorted.map((head) => thumbnail(trace, state, bench, head, sort === "layer" ? null : value(head))),
        ),
      );
    }),
  );
}

/** One run of the model a head: part by part, so that one sees how far it is. */
async function traitsOf(trace, bench) {
  const found = {};
  for (const [number, part] of trace.parts.entries()) {
    bench.live.textContent = `${t("Trying each head…")} ${number + 1} / ${trace.parts.length}`;
    if (number === 0)
      bench.stage.replaceChildren(
        h(
          "p",
          { class: "muted", role: "status" },
          t("Trying each head…"),
          " ",
          h("progress", { max: trace.parts.length, value: 0 }),
        ),
      );
    else bench.stage.querySelector("progress")?.setAttribute("value", number);
    Object.assign(found, await trace.ask(`heads/${part}`));
  }
  return found;
}

function thumbnail(trace, state, bench, head, value) {
  const off = trace.info.heads_off.includes(head.name);
  const canvas = painted(trace, state, bench, head);
  const open = () => go({ zoom: "head", at: `${head.name}.weights` });
  const flip = () => go({ off: off ? state.off.filter((one) => one !== head.name) : [...state.off, head.name] });
  return h(
    "div",
    { class: `head${off ? " off" : ""}` },
    h(
      "button",
      {
        type: "button",
        class: "thumbnail",
        onclick: open,
        "aria-label": `${t("Open")} ${head.name}`,
        title: head.name,
        "aria-current": state.at.startsWith(`${head.name}.`) ? "true" : null,
        "data-key": `open-${head.name}`,
      },
      canvas,
    ),
    h("small", { class: "headname" }, head.name),
    h(
      "div",
      { class: "row tight" },
      h("small", { class: "muted", "data-value": value }, value === null ? "" : short(value)),
      h("button", {
        type: "button",
        class: "switch",
        role: "switch",
        "aria-checked": String(!off),
        "aria-label": `${head.name} ${t("on")}`,
        onclick: flip,
        "data-key": `switch-${head.name}`,
      }),
    ),
  );
}

const canvases = new WeakMap(); // bench → head → what was painted last, and of what

/** A canvas with the head's weights: the one that is there already, if they are the same. */
function painted(trace, state, bench, head) {
  let { shades, rows, columns } = head;
  if (state.words) {
    const [rowWords, columnWords] = trace.sides(head.part).map((axis) => trace.tokens(axis).words);
    shades = mergedByWords(shades, columns, rowWords, columnWords);
    [rows, columns] = [rowWords.length, columnWords.length];
  }
  if (!canvases.has(bench)) canvases.set(bench, new Map());
  const accent = colour("accent");
  const before = canvases.get(bench).get(head.name);
  if (
    before?.accent === accent &&
    before.rows === rows &&
    before.shades.length === shades.length &&
    before.shades.every((shade, cell) => shade === shades[cell])
  )
    return before.canvas;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const draw = () => paint(canvas, shades, rows, columns);
  draw();
  whenColoursChange(canvas, draw);
  canvases.get(bench).set(head.name, { canvas, shades, rows, accent });
  return canvas;
}

function paint(canvas, shades, rows, columns) {
  const dense = Math.max(1, Math.round(160 / Math.max(rows, columns)));
  canvas.width = columns * dense;
  canvas.height = rows * dense;
  const pen = canvas.getContext("2d");
  pen.fillStyle = colour("accent");
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      pen.globalAlpha = Math.sqrt(Math.min(1, shades[i * columns + j] / 255)); // so that broad heads are seen too
      if (pen.globalAlpha > 0.01) pen.fillRect(j * dense, i * dense, dense, dense);
    }
  }
}
