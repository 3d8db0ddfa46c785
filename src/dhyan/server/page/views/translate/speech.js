// Read aloud by the machine's own voices. One that a browser fetches from elsewhere is not used: nothing is sent away.

import { button } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

const voice = (language) =>
  window.speechSynthesis
    ?.getVoices()
    .find((one) => one.localService && one.lang.toLowerCase().replace("_", "-").split("-")[0] === language);

const offer = (one) => (one.hidden = !voice(one.dataset.listen));

// Browsers find their voices after the page is there.
window.speechSynthesis?.addEventListener?.("voiceschanged", () =>
  document.querySelectorAll("[data-listen]").forEach(offer),
);

/** A button that reads a text aloud, and stops it when pressed again; not to be seen where no voice speaks it. */
export function listen(text, language) {
  const start = (event) => {
    const pressed = event.currentTarget;
    const wasSpeaking = pressed.getAttribute("aria-pressed") === "true";
    speechSynthesis.cancel();
    if (wasSpeaking) return;
    const said = new SpeechSynthesisUtterance(text);
    said.voice = voice(language) ?? null;
    said.lang = language;
    said.onend = said.onerror = () => pressed.setAttribute("aria-pressed", "false");
    pressed.setAttribute("aria-pressed", "true");
    speechSynthesis.speak(said);
  };
  const made = button(t("Listen"), start, { "data-listen": language, "aria-pressed": "false", class: "quiet" });
  offer(made);
  return made;
}

export const hush = () => window.speechSynthesis?.cancel();
