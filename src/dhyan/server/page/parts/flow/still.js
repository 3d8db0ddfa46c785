// The part of the flow picture that stays as it is while the steps go by: towers, blocks, lanes, and the attention of
// tokens to tokens of the same sentence.

import { language, s } from "../dom.js";
import { short } from "../numbers.js";
import { t } from "../i18n.js";
import { FONT } from "./layout.js";
import { blockTitle, titleOf } from "./plan.js";
import { arrow, slice, turning, vase } from "./shapes.js";

const DRAWN = { open: 0.006, closed: 0.03 }; // weaker slices would not be seen

/** How far along its sentence a token is: it gives a ribbon its colour. */
export const tint = (token, count) => ({ "--along": `${count > 1 ? (100 * token) / (count - 1) : 0}%` });

export function still(trace, plan, weights) {
  return [
    Object.values(plan.towers).map((tower) => lanes(plan, tower)),
    plan.rows.filter((row) => row.kind === "frame").map((row) => frame(plan, row)),
    plan.rows.filter((row) => row.at || row.kind === "closed").map((row) => block(trace, plan, row)),
    plan.rows.map((row) => inside(trace, plan, row, weights)),
    s(
      "g",
      { class: "flow-names", "aria-hidden": "true" },
      plan.rows.map((row) => caption(trace, plan, row)),
    ),
    Object.values(plan.towers).map((tower) => words(plan, tower)),
    Object.values(plan.towers).map((tower) => tokens(plan.row(`${tower.stack}.tokens`), tower, tower.names)),
  ];
}

/** The stream of a token, from its name to the last layer: what residual paths carry on. */
function lanes(plan, tower) {
  const { low } = plan.row(`${tower.stack}.input`);
  return s(
    "g",
    { class: "flow-lanes" },
    tower.lanes.map((x, token) =>
      s("rect", {
        class: "flow-lane",
        "data-row": `${tower.stack}:${token}`,
        x: x - plan.ribbon / 2,
        y: tower.top,
        width: plan.ribbon,
        height: low - tower.top,
        style: tint(token, tower.lanes.length),
      }),
    ),
  );
}

/** A link whose way the picture fills in: it changes with what else is chosen. */
const leading = (row, ...rest) => Object.assign(s("a", ...rest), { row });

function frame(plan, row) {
  const { left, right, layers } = plan.towers[row.stack];
  const name = `${t("Layer")} ${row.layer}`;
  return s(
    "g",
    { class: "flow-frame" },
    s("rect", { x: left - 22, y: row.high, width: right - left + 44, height: row.low - row.high, rx: 12 }),
    layers > 1 &&
      leading(
        { ...row, close: true },
        { class: "flow-fold", "aria-label": `${t("Fold up")} ${name}`, "data-key": `fold-${row.id}` },
        s("rect", {
          x: row.stack === "enc" ? left - 22 : right - 74,
          y: row.high - 12,
          width: 96,
          height: 24,
          rx: 12,
        }),
        s("text", { x: (row.stack === "enc" ? left - 22 : right - 74) + 48, y: row.high + 4 }, `${name} −`),
      ),
  );
}

function block(trace, plan, row) {
  const { left, right } = plan.towers[row.stack];
  const closed = row.kind === "closed";
  const name = closed
    ? `${t("Layer")} ${row.layer}`
    : ["norm", "add", "both"].includes(row.kind)
      ? titleOf(row.kind)
      : blockTitle(trace, row.id);
  return leading(
    row,
    {
      class: `flow-block ${row.kind}`,
      "data-block": row.id,
      "data-address": row.at ?? null,
      "data-key": `flow-${row.id}-${row.kind}`,
      "aria-label": closed ? `${t("Unfold")} ${name}, ${row.id}` : `${name}, ${row.at}`,
    },
    s("rect", { x: left, y: row.high, width: right - left, height: row.low - row.high, rx: 7 }),
  );
}

function inside(trace, plan, row, weights) {
  const tower = plan.towers[row.stack];
  if (row.kind === "attention")
    return attention(plan, row, weights.get(row.id), {
      from: row.low,
      to: row.high,
      least: DRAWN.open,
      open: true,
    });
  if (row.kind === "closed") {
    const to = trace.hasCross && row.stack === "dec" ? row.low - 26 : row.high;
    if (!weights.has(`${row.id}.self`)) return recurrence(plan, row, { from: row.low, to, open: false });
    return attention(plan, row, weights.get(`${row.id}.self`), {
      from: row.low,
      to,
      least: DRAWN.closed,
      open: false,
    });
  }
  if (row.kind === "ssru") return recurrence(plan, row, { from: row.low, to: row.high, open: true });
  if (row.kind === "ffn") {
    const wide = Math.min(plan.lane * 0.82, plan.ribbon * 3);
    return s(
      "g",
      { class: "flow-part", "data-stage": row.id },
      tower.lanes.map((x, token) =>
        s("path", {
          class: "flow-vase flow-row",
          "data-row": `${row.stack}:${token}`,
          d: vase(x, row.low, row.high, plan.ribbon, wide),
          style: tint(token, tower.lanes.length),
        }),
      ),
    );
  }
  if (row.kind === "add" || row.kind === "both") return residual(plan, row, tower);
  return null;
}

/** What came in goes round the block, and is added to what comes out. */
function residual(plan, row, tower) {
  const below = plan.rows.filter((one) => one.id === row.id && one.kind !== row.kind);
  const from = Math.max(...below.map((one) => one.low)) + 3;
  const middle = (row.low + row.high) / 2;
  const side = row.stack === "enc" ? -1 : 1;
  const edge = side < 0 ? tower.left : tower.right;
  const out = edge + side * 13;
  return s(
    "g",
    { class: "flow-residual", "aria-hidden": "true" },
    s("path", {
      d: turning(
        [
          [edge - side * 6, from],
          [out, from],
          [out, middle],
          [edge + side * 1, middle],
        ],
        [6, 6],
      ),
    }),
    s("circle", { cx: edge - side * 7, cy: middle, r: 6 }),
    s("path", { d: `M${edge - side * 7 - 3.5} ${middle}h7M${edge - side * 7} ${middle - 3.5}v7` }),
  );
}

/** A path that knows what runs along it, and where. */
export const coursing = (course, ...rest) => Object.assign(s("path", ...rest), { course });

/** Every lane is put together from slices of the lanes that it looks at: they are as wide as their weights. */
function attention(plan, row, weights, { from, to, least, open }) {
  const { lanes: xs, names } = plan.towers[row.stack];
  const given = xs.map((_, j) => {
    let sum = 0;
    for (let i = 0; i < xs.length; i += 1) sum += weights.at(i, j);
    return sum;
  });
  const left = xs.map((x, j) => x - (Math.min(1, given[j]) * plan.ribbon) / 2); // where the next slice of lane j begins
  return s(
    "g",
    { class: `flow-part${open ? " open" : ""}`, "data-stage": open ? row.id : `${row.id}.closed` },
    xs.map((x, i) => {
      let end = x - plan.ribbon / 2;
      return s(
        "g",
        { class: "flow-row", "data-row": `${row.stack}:${i}` },
        xs.map((_, j) => {
          const weight = weights.at(i, j);
          const [above, below] = [weight * plan.ribbon, (weight * plan.ribbon) / Math.max(1, given[j])];
          const [x0, x1] = [left[j] + below / 2, end + above / 2];
          left[j] += below;
          end += above;
          if (weight < least) return null;
          return coursing(
            { weight, ends: [x0, from, x1, to] },
            {
              class: "flow-slice",
              d: slice(x0, from, Math.max(0.7, below), x1, to, Math.max(0.7, above)),
              style: tint(j, xs.length),
              ...(open ? numbered(weights, i, j) : {}),
            },
            open &&
              s(
                "title",
                null,
                `${names[i].text} ${t("looks at")} ${names[j].text}: ${short(weight)} · ${weights.address(i, j)}`,
              ),
          );
        }),
      );
    }),
  );
}

/** A recurrent unit: one box per token, which hands its state on to the next. */
function recurrence(plan, row, { from, to, open }) {
  const { lanes: xs, names } = plan.towers[row.stack];
  const half = Math.min(plan.lane * 0.3, plan.ribbon * 0.8, (from - to) * 0.3);
  const y = (from + to) / 2 + (open ? 6 : 0); // below the block's name
  return s(
    "g",
    { class: `flow-part${open ? " open" : ""}`, "data-stage": open ? row.id : `${row.id}.closed` },
    xs.map((x, i) =>
      s(
        "g",
        { class: "flow-row", "data-row": `${row.stack}:${i}` },
        i > 0 &&
          coursing(
            { weight: 0.5, ends: [xs[i - 1] + half, y, x - half, y] },
            {
              class: "flow-slice",
              d: arrow(xs[i - 1] + half, x - half, y, half),
              style: tint(i - 1, xs.length),
              ...(open ? { "data-cell": `${row.id}.cell[${i - 1},0]` } : {}),
            },
            open &&
              s(
                "title",
                null,
                `${names[i - 1].text} → ${names[i].text}: ${t("the state is handed on")} · ${row.id}.cell[${i - 1}]`,
              ),
          ),
        s("rect", {
          class: "flow-cell",
          x: x - half,
          y: y - half,
          width: 2 * half,
          height: 2 * half,
          rx: 3,
          style: tint(i, xs.length),
        }),
      ),
    ),
  );
}

/** A slice's number: of one head as it is; of all, the numbers that it is the mean of. */
export const numbered = (weights, i, j) => ({
  "data-address": weights.address(i, j),
  [weights.head === null ? "data-mean" : "data-value"]: weights.at(i, j),
  "data-cell": `${weights.part}.h${weights.strongest(i, j)}.weights[${i},${j}]`,
});

function caption(trace, plan, row) {
  const { left, right } = plan.towers[row.stack];
  const middle = (row.low + row.high) / 2 + 4;
  if (row.kind === "norm")
    return s("text", { x: (left + right) / 2, y: middle, class: "small middle" }, titleOf("norm"));
  if (row.kind === "add" || row.kind === "both")
    return s("text", { x: (left + right) / 2, y: middle, class: "small middle" }, titleOf(row.kind));
  if (row.kind === "input" && right - left > 230)
    return [
      s("text", { x: left + 10, y: middle, class: "strongtext" }, plan.towers[row.stack].title),
      s("text", { x: right - 10, y: middle, class: "end" }, titleOf("input")),
    ];
  if (row.kind === "input")
    return s("text", { x: (left + right) / 2, y: middle, class: "middle" }, titleOf("input"));
  if (row.kind === "closed")
    return s(
      "text",
      { x: row.stack === "enc" ? left - 10 : right + 10, y: middle, class: row.stack === "enc" ? "end" : "" },
      String(row.layer),
    );
  if (!["attention", "ssru", "cross", "ffn", "out"].includes(row.kind)) return null;
  return s("text", { x: left + 10, y: row.high + 16, class: "strongtext" }, blockTitle(trace, row.id));
}

/** Whole words under their pieces. */
function words(plan, tower) {
  const row = plan.row(`${tower.stack}.words`);
  return tower.words.map(({ text, start, last }) => {
    const [from, to] = [tower.lanes[start] - plan.lane * 0.35, tower.lanes[last] + plan.lane * 0.35];
    return s(
      "g",
      { class: "flow-whole", "data-row": `${tower.stack}:${last}` },
      s("path", { d: `M${from} ${row.high}v4H${to}v-4` }),
      s("text", { class: "middle", x: (from + to) / 2, y: row.high + FONT + 6, lang: language(text) }, text),
    );
  });
}

/** The tokens under or over their lanes, each a word or a piece that the system shapes as a whole. */
export function tokens(row, tower, names, { above = false } = {}) {
  const { kind } = tower.setting;
  return s(
    "g",
    { class: "flow-tokens" },
    names.map((token, number) => {
      const x = tower.lanes[number];
      const line = kind === "two" && number % 2 ? 1 : 0;
      const y = above ? row.low - 6 - line * 19 : row.high + FONT + 2 + line * 19;
      const slanted = kind === "slanted";
      const at = slanted && above ? row.low - 6 : y;
      return s(
        "text",
        {
          class: `flow-token${slanted ? (above ? " start" : " end") : " middle"}${token.special ? " special" : ""}`,
          x,
          y: at,
          lang: language(token.text),
          "data-row": `${tower.stack}:${number}`,
          "data-written": above ? String(number) : null,
          transform: slanted ? `rotate(-40 ${x} ${at - 4})` : null,
        },
        token.text,
      );
    }),
  );
}
