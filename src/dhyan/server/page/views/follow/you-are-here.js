// Where one is on the walk: the flow picture in small with the card's block marked, and the cards, layer by layer.

import { button, h } from "../../parts/dom.js";
import { compact } from "../../parts/flow/compact.js";
import { blockOf } from "../../parts/flow/plan.js";
import { go, hash, state as url } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

/** The block that a card is about; those without a number are about the tokens that come in, or the one that comes out. */
export function blockOfCard(card) {
  if (card.address) return blockOf(card.address);
  return { source: "enc.input", target: "dec.input" }[card.tokens] ?? "dec.out";
}

/** Pressing a block turns to its first card, in the layer that was pressed. */
export function hereOnThePicture(trace, cards, number) {
  const kinds = cards.map((card) => blockOfCard(card).replace(/\d+/, "n"));
  return compact(trace, {
    narrow: window.innerWidth <= 900,
    here: blockOfCard(cards[number]),
    link: (block) => {
      const card = kinds.indexOf(block.replace(/\d+/, "n"));
      const [layer] = /\d+/.exec(block) ?? [url.layer];
      return card < 0 ? null : hash({ ...url, layer, card: String(card), at: "" });
    },
  });
}

/** enc.0.self and enc.0.ffn are of one layer; what stands on the layers belongs together. */
function groupOf(block) {
  const [, stack, layer] = /^(enc|dec)\.(\d+)/.exec(block) ?? [];
  if (stack) return `${t(stack === "enc" ? "Encoder" : "Decoder")}, ${t("Layer")} ${layer}`;
  if (block === "enc.input") return `${t("Encoder")}, ${t("what goes in")}`;
  if (block === "dec.input") return `${t("Decoder")}, ${t("what goes in")}`;
  if (block.startsWith("dec")) return `${t("Decoder")}, ${t("the next token")}`;
  return `${t("Encoder")}, ${t("what comes out")}`;
}

/** unfolded: the groups that the reader has opened; the card's own group is always open. */
export function contents(cards, number, unfolded) {
  const groups = new Map();
  cards.forEach((card, one) => {
    const name = groupOf(blockOfCard(card));
    groups.set(name, [...(groups.get(name) ?? []), { card, one }]);
  });
  return [...groups].map(([name, inside]) => {
    const pressed = ({ currentTarget: { parentElement: group } }) =>
      group.open ? unfolded.delete(name) : unfolded.add(name); // it is as it was before the press
    const here = inside.some(({ one }) => one === number);
    return h(
      "details",
      {
        class: here ? "here" : null,
        open: here || unfolded.has(name),
      },
      h(
        "summary",
        { "data-key": `group-${name}`, onclick: pressed },
        name,
        " ",
        h("small", { class: "muted" }, String(inside.length)),
      ),
      h(
        "ol",
        { start: inside[0].one + 1 },
        inside.map(({ card, one }) =>
          h(
            "li",
            null,
            button(card.title, () => go({ card: String(one), at: "" }, true), {
              class: "link",
              "aria-current": one === number ? "step" : null,
              "data-key": `card-${one}`,
            }),
          ),
        ),
      ),
    );
  });
}
