// Where the tab answers itself: what of the packs is stored in this browser, how it comes, and how it is cleared.

import { getNow, post, stop } from "../parts/api.js";
import { button, fill, h } from "../parts/dom.js";
import { filled, t } from "../parts/i18n.js";
import { tab } from "../parts/transport.js";

const SEEN = 1500; // milliseconds that a bar stays when nothing comes any more

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)}\u00a0MB`;

/** A small bar while a pack is fetched. */
export function fetchingBar() {
  if (!tab) return;
  const said = h("span");
  const progress = h("progress", { max: "1" });
  const bar = h("p", { class: "server-bar fetching", role: "status", hidden: true }, said, " ", progress);
  let timer = 0;
  tab.whenFetching(({ name, done, of, isOver }) => {
    clearTimeout(timer);
    const text = filled(t("{name} is fetched, once: {done} of {of}"), { name, done: megabytes(done), of: megabytes(of) });
    if (said.textContent !== text) said.textContent = text;
    progress.setAttribute("aria-label", name);
    progress.value = done / of;
    if (!isOver) bar.hidden = false;
    else timer = setTimeout(() => (bar.hidden = true), SEEN);
  });
  document.body.append(bar);
}

/** A part of the settings; null where a server answers. */
export function storedPacks() {
  if (!tab) return null;
  const list = h("div");
  const told = h("p", { class: "problem", role: "alert", hidden: true });
  const draw = async () => {
    const { packs } = await getNow("stored");
    told.hidden = true;
    fill(
      list,
      !isSecureContext && h("p", { class: "problem" }, t("Over plain http a browser stores nothing: open this page over https.")),
      h("ul", null, packs.map(row)),
      packs.some((one) => one.bytes > 0) && button(t("Clear"), clear, { "data-key": "clear-stored" }),
    );
  };
  const row = ({ name, licence, bytes, of }) =>
    h(
      "li",
      { "data-pack": name },
      h("span", null, h("strong", null, name), " ", h("small", { class: "muted" }, licence)),
      isSecureContext && bytes < of ? button(filled(t("Fetch {size}"), { size: megabytes(of - bytes) }), fetchPack(name)) : megabytes(of),
    );
  const fetchPack = (name) => async (event) => {
    event.target.disabled = true;
    await navigator.storage?.persist?.().catch(() => false); // asked for by name: it is not to be cleared for room
    try {
      await post(`stored/${encodeURIComponent(name)}`, {});
      await draw();
    } catch (problem) {
      event.target.disabled = false;
      told.textContent = problem.message;
      told.hidden = false;
    }
  };
  const clear = async () => {
    await stop("stored");
    await tab.forgetPage();
    await draw();
  };
  const panel = h(
    "div",
    { class: "stored", id: "stored", popover: "auto", onbeforetoggle: (event) => event.newState === "open" && draw() },
    h("h2", null, t("Offline")),
    h("p", null, t("Everything is computed in this tab. A pack is fetched when it is first used, and then works without a connection:")),
    list,
    told,
    h(
      "p",
      { class: "muted" },
      t("Documents, figures as files, trainings and runs of the lab need Dhyan itself: pip install dhyan."),
    ),
  );
  const opens = h(
    "button",
    { type: "button", class: "icon", popovertarget: "stored", "aria-label": t("Offline"), title: t("Offline"), "data-key": "stored" },
    "⤓",
  );
  return [opens, panel];
}
