// The search for a translation, as CTranslate2 does it: greedy with a beam of 1, else by beam.

import { END, NEVER_WRITTEN } from "../core/special-tokens.js";
import { Hypothesis } from "./settings.js";
import { bannedTokens } from "./no-repeat.js";

const NO_PENALTY = 1e-7;

/** What follows the newest tokens: never a special one, nor what repeats an n-gram. */
function candidates(state, row, written, count, noRepeatNgram, further = []) {
  state.ban(row, NEVER_WRITTEN);
  if (further.length) state.ban(row, further);
  if (noRepeatNgram) state.ban(row, bannedTokens(written, noRepeatNgram));
  return state.best(row, count);
}

/**
 * Go on from where the state is.
 * @param {import("../engines/transformer.js").DecoderState} state
 * @param {number[]} prompt what is read first, the start mark or the newest token at least
 * @param {{beam: number, keptBy: number}} settings
 * @param {number} limit tokens at most
 * @param {{noRepeatNgram?: number, countsEnd?: boolean}} options countsEnd: the end mark is a token of the length that
 *   divides the score while the search goes on
 * @returns {{tokens: number[], total: number}[]} as many as the beam, best first; the end mark last where there is one
 */
export function search(state, prompt, settings, limit, { noRepeatNgram = 0, countsEnd = true } = {}) {
  state.read(prompt);
  state.predict(prompt.length - 1, 1);
  const found = settings.beam === 1 ? greedy(state, limit, noRepeatNgram) : beams(state, settings, limit, noRepeatNgram);
  const power = settings.keptBy || NO_PENALTY;
  const length = ({ tokens }) => tokens.length - (!countsEnd && tokens.at(-1) === END ? 1 : 0);
  const score = (one) => one.total / length(one) ** power;
  return found
    .map((one) => ({ ...one, score: score(one) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, settings.beam);
}

function greedy(state, limit, noRepeatNgram) {
  const tokens = [];
  let total = 0;
  for (;;) {
    const { ids, logProbabilities } = candidates(state, 0, tokens, 1, noRepeatNgram);
    tokens.push(ids[0]);
    total += logProbabilities[0];
    if (ids[0] === END || tokens.length === limit) return [{ tokens, total }];
    state.advance([ids[0]]);
    state.predict(0, 1);
  }
}

/** Of 2 · beam candidates the first `beam` go on; an end among them is put aside, and one of the others goes on. */
function beams(state, { beam }, limit, noRepeatNgram) {
  let live = [{ tokens: [], total: 0 }];
  const ended = [];
  for (let step = 1; ; step += 1) {
    const isLast = step === limit;
    const drawn = [];
    live.forEach(({ tokens, total }, row) => {
      const { ids, logProbabilities } = candidates(state, row, tokens, 2 * beam, noRepeatNgram);
      ids.forEach((id, at) => drawn.push({ row, id, total: total + logProbabilities[at] }));
    });
    drawn.sort((a, b) => b.total - a.total);
    const next = drawn.slice(0, beam);
    const others = drawn.slice(beam, 2 * beam).filter(({ id }) => id !== END);
    next.forEach((one, at) => {
      if (one.id !== END && !isLast) return;
      ended.push({ tokens: [...live[one.row].tokens, one.id], total: one.total });
      next[at] = others.shift() ?? one;
    });
    if (isLast || ended.length >= beam) return ended;
    live = next.map(({ row, id, total }) => ({ tokens: [...live[row].tokens, id], total }));
    state.reorder(next.map(({ row }) => row));
    state.advance(next.map(({ id }) => id));
    state.predict(0, next.length);
  }
}

/** Best first, by the settings' own score. */
export function ranked(found, settings) {
  return found
    .map(({ tokens, total }) => Hypothesis.of(tokens, total / settings.divisor(Math.max(1, tokens.length))))
    .sort((a, b) => b.score - a.score);
}

/** Translations that begin with the prefix, each going on with another of the most probable tokens. */
export function alternatives(state, prompt, settings, limit, count) {
  const written = prompt.slice(1); // without the start mark
  state.read(prompt);
  state.predict(prompt.length - 1, 1);
  const { ids } = candidates(state, 0, written, count, 0, [END]);
  const here = state.remember();
  const left = limit - prompt.length;
  return ids.map((id) => {
    if (left <= 0) return [...written, id];
    const [{ tokens }] = search(state, [id], settings, left, { countsEnd: false });
    state.goBack(here);
    return [...written, id, ...(tokens.at(-1) === END ? tokens.slice(0, -1) : tokens)];
  });
}
