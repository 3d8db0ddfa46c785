// A card of the walk: what it is about, its numbers worked out, their shapes, and the lines of code that do it.

import { h, language } from "../../parts/dom.js";
import { worked } from "../../parts/number.js";
import { panel } from "../../parts/panel.js";
import { recompute } from "../../parts/recompute.js";
import { t } from "../../parts/i18n.js";

/** The cards, in the reader's language. at: token, layer, head, step, column (which component of a vector). */
export async function walk(trace, at) {
  const stages = await trace.ask("walk", at);
  return stages.map((stage) => ({
    ...stage,
    title: t(stage.title) + stage.detail,
    note: t(stage.note),
    shape: stage.shape.replace(/{(.*?)}/g, (_, word) => t(word)),
  }));
}

/** Whole words above their pieces: the system shapes them. */
function piecesTable({ tokens, words }, here) {
  return h(
    "div",
    { class: "row pieces" },
    words.map((word) =>
      h(
        "div",
        { class: "word", lang: language(word.text) },
        h("b", null, word.text),
        h(
          "div",
          null,
          tokens
            .slice(word.start, word.end)
            .map((token, index) =>
              h(
                "span",
                { class: `chip${token.special ? " special" : ""}`, "aria-current": word.start + index === here ? "true" : null },
                token.text,
                " ",
                h("small", { class: "muted" }, String(token.id)),
              ),
            ),
        ),
      ),
    ),
  );
}

function lines(code) {
  return h(
    "details",
    { class: "code" },
    h(
      "summary",
      null,
      t("The code that does it"),
      " ",
      h("span", { class: "muted" }, `${code.file}:${code.line}`),
    ),
    h("pre", { tabindex: "0" }, h("code", null, code.text)),
  );
}

/** All of a card but its title. code: name → its lines. pick(address): a cell of its matrix was pressed. */
export async function cardBody(trace, card, code, pick) {
  const parts = [card.note && h("p", null, card.note)];
  if (card.tokens) parts.push(piecesTable(trace.info[card.tokens], card.token));
  if (card.step !== null) parts.push(writtenSoFar(trace, card.step));
  if (card.address) {
    parts.push(worked(trace, await recompute(trace, card.address)));
    if (card.shape) parts.push(h("p", { class: "muted" }, t("Shapes"), ": ", card.shape));
    if (card.array) {
      const one = panel(trace, await trace.numbers(card.array));
      one.addEventListener("cell-pick", ({ detail }) => pick(detail.address));
      parts.push(one);
    }
  }
  if (card.code) parts.push(lines(code[card.code]));
  return parts;
}

const writtenSoFar = (trace, here) =>
  h(
    "p",
    { class: "words big" },
    trace.steps.map((step) => [
      h(
        "span",
        { class: "chip", lang: language(step.chosen.text), "aria-current": step.step === here ? "true" : null },
        step.chosen.text,
      ),
      " ",
    ]),
  );
