// What a box says before anybody has written in it: a sentence that a pack for its language translates well.

const BY_LANGUAGE = {
  en: "The boy sat on the bank of the river.",
  hi: "बच्चे बगीचे में खेल रहे हैं।",
};
const NEUTRAL = "How are you?"; // for whoever knows in which language

export const exampleFor = (model) => BY_LANGUAGE[model.languages?.[0]] ?? NEUTRAL;
