// A small bar while the server does not answer; the page goes on by itself when it does again.

import { h } from "../parts/dom.js";
import { whenServerChanges } from "../parts/api.js";
import { key, t } from "../parts/i18n.js";

const SAID = {
  lost: key("The server does not answer; trying again…"),
  busy: key("The server has much to do; trying again…"),
  back: key("The server answers again."),
};
const SEEN = 2500; // milliseconds that good news stays

export function serverBar() {
  const bar = h("p", { class: "server-bar", role: "status", hidden: true });
  let timer = 0;
  whenServerChanges((now) => {
    clearTimeout(timer);
    bar.textContent = t(SAID[now]);
    bar.dataset.server = now;
    bar.hidden = false;
    if (now === "back") timer = setTimeout(() => (bar.hidden = true), SEEN);
  });
  document.body.append(bar);
}
