// The map: the architecture as it is in this pack, bottom to top; every box leads to its numbers.

import { parse } from "../../parts/address.js";
import { button, h } from "../../parts/dom.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

/** wasOpen: whether the reader has it open already. */
export function map(trace, state, wasOpen) {
  const here = parse(state.at),
    a = trace.architecture;
  const box = (text, at, title) =>
    button(text, () => go({ at, zoom: "head" }), {
      title,
      "data-key": `map-${at}`,
      class: "box",
      "aria-current":
        parse(at).part === here.part && (parse(at).part.split(".").length > 2 || at === state.at) ? "true" : null,
    });
  const layer = (stack, number) => {
    const parts = stack === "enc" || !trace.hasCross ? ["self", "ffn"] : ["self", "cross", "ffn"];
    const off = (part) => trace.info.heads_off.some((head) => head.startsWith(`${stack}.${number}.${part}.`));
    return h(
      "div",
      { class: "layer" },
      h("span", { class: "muted" }, String(number)),
      parts.map((part) => {
        const at =
          part === "ffn" ? `${stack}.${number}.ffn.hidden` : `${stack}.${number}.${part}.h${here.head ?? 0}.weights`;
        return box(`${part}${off(part) ? " ◌" : ""}`, at, `${stack}.${number}.${part}`);
      }),
    );
  };
  const stack = (name, title, layers) =>
    h(
      "div",
      { class: "stack" },
      h("b", null, title),
      name === "dec" && box(t("probabilities"), "dec.out.probs"),
      box(t("output"), `${name}.output`),
      Array.from({ length: layers }, (_, number) => layer(name, layers - 1 - number)),
      box(t("embedding + position"), `${name}.input`),
    );
  return h(
    "details",
    { open: wasOpen ?? window.innerWidth > 760 },
    h(
      "summary",
      null,
      t("Map"),
      " ",
      h("span", { class: "muted" }, `d_model ${a.d_model}, ${a.heads} × ${a.d_model / a.heads}`),
    ),
    h(
      "div",
      { class: "stacks" },
      trace.hasEncoder && stack("enc", t("Encoder"), a.encoder_layers),
      trace.hasDecoder && stack("dec", t("Decoder"), a.decoder_layers),
    ),
  );
}
