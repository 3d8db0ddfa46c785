// The twelve chapters, in order. A chapter has its text in both languages, its pictures (stage), and what of the URL they use.

import { chapter as wordsToNumbers } from "./chapters/01-words-to-numbers.js";
import { chapter as oneVector } from "./chapters/02-one-vector.js";
import { chapter as byHand } from "./chapters/03-by-hand.js";
import { chapter as queryKeyValue } from "./chapters/04-query-key-value.js";
import { chapter as squareRoot } from "./chapters/05-square-root.js";
import { chapter as manyHeads } from "./chapters/06-many-heads.js";
import { chapter as positions } from "./chapters/07-positions.js";
import { chapter as residualsAndNorms } from "./chapters/08-residuals-and-norms.js";
import { chapter as decoderAndMask } from "./chapters/09-decoder-and-mask.js";
import { chapter as parallelTraining } from "./chapters/10-parallel-training.js";
import { chapter as oneWordAtATime } from "./chapters/11-one-word-at-a-time.js";
import { chapter as threeShapes } from "./chapters/12-three-shapes.js";

export const CHAPTERS = [
  wordsToNumbers,
  oneVector,
  byHand,
  queryKeyValue,
  squareRoot,
  manyHeads,
  positions,
  residualsAndNorms,
  decoderAndMask,
  parallelTraining,
  oneWordAtATime,
  threeShapes,
];
