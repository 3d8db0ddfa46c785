// Packs in use that give vectors, labels and texts, as functions of plain values, for tests.
import { readFile } from "node:fs/promises";
import { load } from "../../src/dhyan/browser/js/loading.js";

const opened = (folder) => load(folder.split("/").at(-1), (file) => readFile(`${folder}/${file}`));

export const embedded = async (folder, texts) => (await opened(folder)).embed(texts);
export const classified = async (folder, texts) => (await opened(folder)).classify(texts);
export const wordsLogits = async (folder, texts) => {
  const { wordsHead } = (await opened(folder)).pack;
  return texts.map((text) => Array.from(wordsHead.logits(text)));
};
export const written = async (folder, prompt, settings) => [...(await opened(folder)).pieces(prompt, settings)];
