// Which layers of the flow picture are shown in full, as the URL has it: `open=enc.3,dec.0`.

import { keepKnown } from "../limits.js";

export const OPEN = /** @type {[RegExp, string]} */ ([/^(enc|dec)\.\d*(,(enc|dec)\.\d*)?$/, "enc.3,dec.0"]);

/** Which layer of each stack is shown in full: `open=enc.3,dec.0` in the URL; none is written `enc.`. */
export function openLayers(trace, given = "") {
  const a = trace.architecture;
  const found = { enc: trace.hasEncoder ? 0 : null, dec: trace.hasDecoder ? a.decoder_layers - 1 : null };
  const layers = { enc: a.encoder_layers, dec: a.decoder_layers };
  for (const one of given.split(",")) {
    const [, stack, layer] = /^(enc|dec)\.(\d*)$/.exec(one) ?? [];
    if (stack && found[stack] !== null)
      found[stack] = layer && Number(layer) < layers[stack] ? Number(layer) : null;
  }
  return found;
}

export const inUrl = (open) =>
  Object.entries(open)
    .map(([stack, layer]) => `${stack}.${layer ?? ""}`)
    .join(",");

/** A layer that the model does not have is said, and left out. */
export function keepLayers(trace, state) {
  const a = trace.architecture;
  const all = Object.entries({ enc: trace.hasEncoder ? a.encoder_layers : 0, dec: trace.hasDecoder ? a.decoder_layers : 0 });
  const known = all.flatMap(([stack, layers]) => Array.from({ length: layers }, (_, layer) => `${stack}.${layer}`));
  const isKnown = (one) => known.includes(one) || /^(enc|dec)\.$/.test(one);
  if (state.open && !state.open.split(",").every(isKnown)) keepKnown("open", known, state);
}
