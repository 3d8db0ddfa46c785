// What a program in TypeScript may write of dhyan.js, and what it may not: checked, never run.

import { DhyanError, load, type Explanation, type Model, type Translation } from "../../src/dhyan/browser/js/dhyan.js";

const texts: readonly string[] = ["Hello.", "Thanks."];

export async function use(place: string | URL): Promise<unknown[]> {
  const model: Model = await load(place, { onProgress: ({ file, bytes }) => console.log(file.trim(), bytes.toFixed()) });
  const text: string = model.translate("Hello.", { formality: "formal", gender: "feminine", style: "ui" });
  const several: string[] = model.translate(texts);
  const detail: Translation = model.translateInDetail("Hello.", { alternatives: 2 });
  const vectors: Float32Array[] = model.embed(texts);
  const { label, probabilities } = model.classify("Hello.");
  const goesOn: string = model.write("To be", { maxLength: 9, temperature: 0.8, topK: 5, topP: 0.9, seed: 1, sample: true });
  const found: Explanation = model.explain("Hello.", { headsOff: ["enc.0.self.h0"], force: { 0: "a" }, hide: ["Hello"] });
  const { shape, data } = found.get("enc.0.self.h0.weights");
  // @ts-expect-error: a number is no text
  model.translate(5);
  // @ts-expect-error: there is no such form
  model.translate("Hello.", { formality: "rude" });
  // @ts-expect-error: one text gives one vector
  model.embed("Hello.").map((vector: Float32Array) => vector.length);
  return [text, several, detail.sentences[0].confidence, vectors, label, probabilities, goesOn, shape[0], data, DhyanError];
}
