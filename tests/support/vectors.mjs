// Packs in use that give vectors, labels and texts, as functions of plain values, for tests.
import { readFile } from "node:fs/promises";
import { routes } from "../../src/dhyan/browser/js/api/routes-use.js";
import { load } from "../../src/dhyan/browser/js/loading.js";

const opened = (folder) => load(folder.split("/").at(-1), (file) => readFile(`${folder}/${file}`));

export const embedded = async (folder, texts) => (await opened(folder)).embed(texts);
export const classified = async (folder, texts) => (await opened(folder)).classify(texts);
/** What the address `classify` answers. */
export const answered = async (folder, texts) => {
  const model = await opened(folder);
  const { body } = await routes["POST classify"]({ getFor: async () => model }, { body: { texts } });
  return JSON.parse(body);
};
export const wordsLogits = async (folder, texts) => {
  const { wordsHead } = (await opened(folder)).pack;
  return texts.map((text) => Array.from(wordsHead.logits(text)));
};
export const written = async (folder, prompt, settings) => [...(await opened(folder)).pieces(prompt, settings)];
