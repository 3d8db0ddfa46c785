// Which language a pack reads and which it writes: as its manifest says, or by its name or its scripts.

import { matchStart } from "../core/patterns.js";
import { rule } from "../rules.js";
import { WritingSystem } from "./writing-system.js";

/** The codes of the source and the target language of a translator; null if unknown. */
export function packLanguages(pack) {
  const { manifest } = pack;
  if (manifest.task !== "translate") return null;
  if (manifest.source_language && manifest.target_language) return [manifest.source_language, manifest.target_language];
  const named = matchStart(rule("translation.pack_languages", "_NAMED"), manifest.name);
  if (named) return [named[1], named[2]];
  const byScript = rule("translation.pack_languages", "_BY_SCRIPT");
  const known = byScript instanceof Map ? byScript : new Map(Object.entries(byScript));
  const sides = [pack.sourceTokenizer, pack.targetTokenizer];
  const [source, target] = sides.map((side) => known.get(WritingSystem.of(side).script ?? ""));
  return source && target && source !== target ? [source, target] : null;
}
