// Follow one token, twice: the same card of both walks beside each other, and how its number and its matrix differ.

import { get } from "../../parts/api.js";
import { button, h, select } from "../../parts/dom.js";
import { full } from "../../parts/numbers.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";
import { cardBody, walk } from "../follow/card.js";
import { placeIn, whereToGo } from "../follow/where.js";
import { difference, flat, mean } from "./difference.js";
import { differencePanel, why } from "./difference-panel.js";
import { legend } from "./legend.js";
import { absent, between, panes } from "./panes.js";

export async function cards(traces, state, compare) {
  const places = traces.map((trace) => ({ ...placeIn(trace, state), step: trace.stepIn(state.step) }));
  const [code, ...walks] = await Promise.all([get("code"), ...traces.map((trace, side) => walk(trace, places[side]))]);
  compare.cards = walks[0].length;
  const number = Math.min(walks[0].length - 1, Number(state.card ?? 0));
  const both = [walks[0][number], twin(walks[0], walks[1], number)];
  const drawn = async (card, side) =>
    card
      ? [
          h("h3", null, `${number + 1}. ${card.title}`),
          await cardBody(traces[side], card, code, (at) => go(traces[side].opening(at))),
        ]
      : absent(t("This pack has no such card."));
  return h(
    "div",
    null,
    h("div", { class: "row unpresented" }, whereToGo(traces[0], { ...places[0], step: state.step }, stepsOf(traces))),
    turning(walks[0], number, compare),
    panes(await Promise.all(both.map(drawn))),
    between(await apart(traces, both)),
  );
}

/** The same card of the other walk: packs of another shape have other cards. */
function twin(own, other, number) {
  const name = (card) => `${card.address?.split(".")[0]} ${card.title}`; // both stacks have a card on positions
  const alike = (card) => name(card) === name(own[number]);
  const before = own.slice(0, number).filter(alike).length;
  return other.filter(alike)[before] ?? null;
}

/** The steps that the two go through together: [row, name]. */
function stepsOf(traces) {
  const { rows } = traces[0];
  if (!rows.length) return null;
  const written = (step, side) => (step === null ? "–" : traces[side].steps[step].chosen.text);
  return rows.map((pair, row) => [row, `${row + 1} → ${[...new Set(pair.map(written))].join(" | ")}`]);
}

const turning = (walk, number, compare) =>
  h(
    "div",
    { class: "row card-turn" },
    button("←", () => compare.turn(-1), {
      "aria-label": t("Previous card"),
      disabled: number === 0,
      "data-key": "card-back",
    }),
    select(
      t("Card"),
      walk.map((card, one) => [one, `${one + 1}. ${card.title}`]),
      number,
      (card) => go({ card }),
      { "data-key": "card" },
    ),
    button("→", () => compare.turn(1), {
      "aria-label": t("Next card"),
      disabled: number === walk.length - 1,
      "data-key": "card-next",
    }),
  );

async function apart(traces, both) {
  if (!both.every((card) => card?.address))
    return absent(t("This card has no number on both sides, so there is no difference."));
  const [a, b] = await Promise.all(traces.map((trace, side) => trace.one(both[side].address)));
  const value = a === b ? 0 : b - a; // −∞ − −∞: both are masked
  const number = h(
    "p",
    { class: "big" },
    h("code", null, [...new Set(both.map((card) => card.address))].join(" | ")),
    ": ",
    h("b", { id: "card-difference", "data-value": value }, value > 0 ? `+${full(value)}` : full(value)),
  );
  if (!both.every((card) => card.array)) return number;
  const arrays = await Promise.all(traces.map((trace, side) => trace.numbers(both[side].array)));
  const found = difference(traces, arrays);
  if (found?.whole && !mean(found.numbers)) return [number, absent(`${both[0].array}: ${t("the same on both sides.")}`)];
  return [
    number,
    found
      ? [h("p", { class: "muted" }, legend()), differencePanel(found, both[0].array, arrays[0].shape.length === 1)]
      : absent(why(arrays.map(flat))),
  ];
}
