// Zoom 1, flow: the whole model as one picture, with the sentence flowing through it. Beside the other zooms it stands
// in small, to find one's way.

import { parse } from "../../parts/address.js";
import { h } from "../../parts/dom.js";
import { compact } from "../../parts/flow/compact.js";
import { blockOf, openedBy } from "../../parts/flow/plan.js";
import { FlowStage } from "../../parts/flow/stage.js";
import { hash, state as url } from "../../parts/url-state.js";
import { t } from "../../parts/i18n.js";

/** The picture stays while the steps go by: it may be playing. */
export async function flow(trace, state, bench) {
  bench.flow ??= new FlowStage({
    number: (at) => ({ at, zoom: "number", peek: "" }),
    matrices: (at) => ({ at, zoom: "head", peek: "" }),
  });
  return bench.flow.show(trace, state);
}

/** wasOpen: whether the reader has it open already. */
export function flowMap(trace, state, wasOpen) {
  const a = trace.architecture;
  const head = parse(state.at).head ?? 0;
  const size = `d_model ${a.d_model}, ${a.heads} × ${a.d_model / a.heads}`;
  return h(
    "details",
    { open: wasOpen ?? window.innerWidth > 760 },
    h("summary", null, t("Map"), " ", h("span", { class: "muted" }, size)),
    compact(trace, {
      here: blockOf(state.at),
      link: (block) => hash({ ...url, at: openedBy(block, head), zoom: "head" }),
      off: (block) => trace.info.heads_off.some((one) => one.startsWith(`${block}.`)),
    }),
  );
}
