// What is wrong with the description of a pack, as the browser's modules say it; null: nothing.
import { readManifest } from "../../src/dhyan/browser/js/pack/manifest.js";

export function problem(text) {
  try {
    readManifest(new TextEncoder().encode(text));
    return null;
  } catch (error) {
    return error.message;
  }
}
