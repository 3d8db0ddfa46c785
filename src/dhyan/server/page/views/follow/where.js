// Where the walk is: which token, step, layer, head and component its cards are about.

import { select } from "../../parts/dom.js";
import { go } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

/** How many of each there are. */
export function sizesOf(trace) {
  const a = trace.architecture;
  return {
    token: trace.info.source.tokens.length,
    step: trace.steps.length,
    layer: Math.max(trace.hasEncoder ? a.encoder_layers : 0, trace.hasDecoder ? a.decoder_layers : 0),
    head: a.heads,
    column: a.d_model / a.heads,
  };
}

/** The state as numbers that there are. */
export function placeIn(trace, state) {
  const within = ([name, size]) => [name, Math.min(Math.max(0, size - 1), Math.max(0, Number(state[name] ?? 0)))];
  return Object.fromEntries(Object.entries(sizesOf(trace)).map(within));
}

/** place: as `placeIn` says. steps: a list for the steps, where it is another than that of the trace. */
export function whereToGo(trace, place, steps = null) {
  const sizes = sizesOf(trace);
  const numbered = (name, title) =>
    select(
      title,
      Array.from({ length: sizes[name] }, (_, number) => [number, String(number)]),
      place[name],
      (number) => go({ [name]: number }),
      { "data-key": name },
    );
  return [
    trace.hasEncoder &&
      select(
        t("Token"),
        trace.info.source.tokens.map((token, number) => [number, `${number} ${token.text}`]),
        place.token,
        (token) => go({ token }),
        { "data-key": "token" },
      ),
    trace.hasDecoder &&
      select(
        t("Step"),
        steps ?? trace.steps.map((step) => [step.step, `${step.step + 1} → ${step.chosen.text}`]),
        place.step,
        (step) => go({ step }),
        { "data-key": "step" },
      ),
    numbered("layer", t("Layer")),
    numbered("head", t("Head")),
    numbered("column", t("Component")),
  ];
}
