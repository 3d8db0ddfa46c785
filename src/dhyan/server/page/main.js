// The frame around the views: their tabs, the pack, the language, light and dark. The URL says what is shown.

import { get, KeyProblem, Problem } from "./parts/api.js";
import { bringIntoView, button, fill, h, select } from "./parts/dom.js";
import { loadNotation } from "./parts/notation.js";
import { keep, keepForNow, recall, recallForNow } from "./parts/storage.js";
import { go, hash, state, unchanged, whenChanged } from "./parts/url-state.js";
import { chosenLanguage, key, setLanguage, t } from "./parts/i18n.js";
import { Bench } from "./views/bench.js";
import { Follow } from "./views/follow.js";
import { Labs } from "./views/labs.js";
import { Translate } from "./views/translate.js";
import { Understand } from "./views/understand.js";
import { Write } from "./views/write.js";

// view → its class, and which packs it is for (one without `fits` needs none); `needs`: what the server must allow
const VIEWS = {
  translate: { make: Translate, name: key("Translate"), fits: (model) => model.task === "translate", task: "translate" },
  bench: {
    make: Bench,
    name: key("Bench"),
    fits: (model) => model.shape === "encoder-decoder",
    task: "translate",
    needs: "explain",
  },
  follow: { make: Follow, name: key("Follow one token"), fits: () => true, task: "translate", needs: "explain" },
  understand: {
    make: Understand,
    name: key("Understand"),
    fits: (model) => model.shape !== "decoder",
    task: "embed",
    needs: "explain",
  },
  write: { make: Write, name: key("Write"), fits: (model) => model.shape === "decoder", task: "write", needs: "explain" },
  labs: { make: Labs, name: key("Labs"), needs: "labs" },
};
const THEMES = { auto: key("Like the system"), light: key("Light"), dark: key("Dark") };

let known = null;
let view = null;

function setTheme(name) {
  keep("theme", name);
  document.documentElement.dataset.theme = name;
  window.dispatchEvent(new Event("dhyan-theme"));
}

/** The pack that the URL names; else the first that the view is for; null where there is none. */
function modelFor(name) {
  if (!VIEWS[name].fits) return null;
  const fitting = known.models.filter(VIEWS[name].fits);
  const rank = (model) => (model.task === VIEWS[name].task ? 0 : 1);
  return (
    known.models.find((model) => model.name === state.model) ??
    fitting.toSorted((a, b) => rank(a) - rank(b))[0] ??
    null
  );
}

/** A server that is run for others may keep looking inside, and experiments, to itself. */
const allowed = (name) => !VIEWS[name].needs || known[VIEWS[name].needs];

/** A sentence goes along from view to view; what belongs to another pack does not. */
function linkTo(name) {
  const model = modelFor(name);
  const stays = !VIEWS[name].fits || (model && VIEWS[name].fits(model));
  return hash({ view: name, model: stays ? state.model : "", text: state.text });
}

function frame() {
  document.documentElement.lang = chosenLanguage();
  const tabs = Object.entries(VIEWS)
    .filter(([name]) => allowed(name))
    .map(([name, { name: title }]) =>
      h("a", { href: linkTo(name), "data-view": name, "aria-current": state.view === name ? "page" : null }, t(title)),
    );
  const { fits } = VIEWS[state.view];
  const fitting = fits ? known.models.filter(fits) : [];
  const model = modelFor(state.view);
  const packs = model && !fitting.includes(model) ? [...fitting, model] : fitting;
  fill(
    document.querySelector("#page"),
    h(
      "a",
      {
        class: "skip",
        href: "#main",
        onclick: (event) => {
          event.preventDefault();
          document.getElementById("main").focus();
        },
      },
      t("To the content"),
    ),
    h(
      "header",
      null,
      h(
        "a",
        { class: "name", href: "#/translate", lang: "hi", "aria-label": "Dhyan" },
        h("b", null, "ध्यान"),
        h("span", { lang: "en" }, "Dhyan"),
      ),
      h("nav", { "aria-label": t("Views") }, tabs),
      h(
        "div",
        { class: "settings" },
        packs.length > 0 &&
          select(
            t("Pack"),
            packs.map((one) => [one.name, one.name]),
            model?.name,
            (name) => go({ model: name, at: "", ...unchanged(), step: "", alternative: "" }),
          ),
        select(
          t("Language"),
          [
            ["en", "English"],
            ["hi", "हिन्दी"],
          ],
          chosenLanguage(),
          (language) => {
            setLanguage(language);
            frame();
          },
        ),
        select(
          t("Colours"),
          Object.entries(THEMES).map(([name, title]) => [name, t(title)]),
          document.documentElement.dataset.theme,
          setTheme,
        ),
      ),
    ),
    h("main", { id: "main", tabindex: "-1" }),
  );
  const here = document.querySelector("nav [aria-current]");
  if (here) bringIntoView(here, document.querySelector("header nav"));
  show();
}

function show() {
  const main = document.querySelector("#main");
  const { make: Make, name, fits, task } = VIEWS[state.view];
  document.title = `${t(name)} · Dhyan`;
  const model = modelFor(state.view);
  view = null;
  document.onkeydown = null; // a view may listen while it is shown
  if (!allowed(state.view))
    return fill(
      main,
      h("h1", null, t(name)),
      h("p", { class: "problem", role: "status" }, t("This view is off on this server.")),
    );
  if (fits && !model)
    return fill(main, h("h1", null, t(name)), h("p", { class: "problem", role: "status" }, known.how_to_get[task]));
  if (fits && !fits(model)) {
    const why = `${t("This view is for another kind of pack")}: ${model.name} (${model.about}). ${known.how_to_get[task]}`;
    return fill(main, h("h1", null, t(name)), h("p", { class: "problem", role: "status" }, why));
  }
  view = new Make(main, model, known);
  return view.update(state, {});
}

/** A server that is run for others may want a key: it is sent along with every question until the tab is closed. */
function askForKey() {
  const input = h("input", { type: "password", name: "key", autocomplete: "off", required: true, spellcheck: "false" });
  const send = (event) => {
    event.preventDefault();
    keepForNow("key", input.value.trim());
    start();
  };
  fill(
    document.querySelector("#page"),
    h(
      "main",
      { id: "main" },
      h("h1", null, t("This server asks for a key")),
      recallForNow("key") && h("p", { class: "problem", role: "alert" }, t("This key is not known here.")),
      h(
        "form",
        { class: "row", onsubmit: send },
        h("label", { class: "field" }, h("span", null, t("Key")), input),
        h("button", { type: "submit", class: "strong" }, t("Go on")),
      ),
      h("p", { class: "muted" }, t("Whoever runs the server has one for you. It is kept until this tab is closed.")),
    ),
  );
  input.focus();
}

async function start() {
  setTheme(recall("theme") ?? "auto");
  try {
    known = await get("models");
    if (known.explain) await loadNotation();
  } catch (problem) {
    if (problem instanceof KeyProblem) return askForKey();
    const again = button(t("Try again"), () => location.reload());
    fill(
      document.querySelector("#page"),
      h("p", { class: "problem", role: "alert" }, problem instanceof Problem ? problem.message : String(problem)),
      again,
    );
    return;
  }
  if (!(state.view in VIEWS)) go({ view: "translate" }, true);
  whenChanged((now, before) => {
    if (!(now.view in VIEWS)) return go({ view: "translate" }, true);
    if (now.view !== before.view || now.model !== before.model) return frame();
    if (now.text !== before.text)
      for (const tab of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("nav [data-view]")))
        tab.href = linkTo(tab.dataset.view);
    return view?.update(now, before);
  });
  frame();
}

start();
