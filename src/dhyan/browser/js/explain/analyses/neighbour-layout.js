// A flat map on which near means alike: t-SNE (van der Maaten and Hinton, 2008), exact, in typed arrays.

import { atOnce } from "../../core/long-work.js";
import { Tensor } from "../arrays.js";
import { largest } from "./rows.js";

export const PERPLEXITY = 12; // about how many neighbours a point holds on to
export const STEPS = 350;
export const EARLY = 100; // steps in which neighbours pull harder, so that groups find together first
export const PULL = 8.0;
export const SEARCHES = 25; // halvings until a point's neighbourhood has the size that is wanted

/** alike: (points, points) cosines. start: (points, 2), where to begin. → (points, 2) within [−1, 1].
 *
 * Nothing is drawn by lot: the same points always give the same map. */
export const neighbourLayout = (alike, start) => atOnce(layingOut(alike, start));

/** The same as work that stops after every step. */
export function* layingOut(alike, start) {
  const points = alike.shape[0];
  if (points < 4) return withinBounds(start);
  const pull = yield* neighbourhoods(alike, Math.min(PERPLEXITY, (points - 1) / 3));
  const wide = Math.max(1e-12, deviation(start));
  const place = start.data.map((value) => (value / wide) * 1e-2); // (points, 2)
  const speed = new Float32Array(place.length);
  const gain = new Float32Array(place.length).fill(1);
  const rate = Math.max(50, points / PULL);
  const near = new Float32Array(points * points); // of i and j, where i < j
  for (let step = 0; step < STEPS; step += 1) {
    const slope = slopes(place, pull, near, points, step < EARLY ? PULL : 1);
    const mean = [0, 0];
    for (let at = 0; at < place.length; at += 1) {
      const along = Math.sign(slope[at]) === Math.sign(speed[at]);
      gain[at] = Math.max(0.01, along ? gain[at] * 0.8 : gain[at] + 0.2);
      speed[at] = (step < EARLY ? 0.5 : 0.8) * speed[at] - rate * gain[at] * slope[at];
      place[at] += speed[at];
      mean[at % 2] += place[at] / points;
    }
    for (let at = 0; at < place.length; at += 1) place[at] -= mean[at % 2];
    yield;
  }
  return withinBounds(new Tensor(place, [points, 2]));
}

/** Where each coordinate is pulled to: neighbours hold on to each other, and all push each other away. */
function slopes(place, pull, near, points, harder) {
  const slope = new Float32Array(place.length);
  let total = 0;
  for (let i = 0; i < points; i += 1) {
    const [x, y] = [place[2 * i], place[2 * i + 1]];
    for (let j = i + 1, at = i * points + i + 1; j < points; j += 1, at += 1) {
      const [across, up] = [x - place[2 * j], y - place[2 * j + 1]];
      const one = 1 / (1 + across * across + up * up);
      near[at] = one;
      total += 2 * one;
    }
  }
  for (let i = 0; i < points; i += 1) {
    const [x, y] = [place[2 * i], place[2 * i + 1]];
    let [left, down] = [0, 0];
    for (let j = i + 1, at = i * points + i + 1; j < points; j += 1, at += 1) {
      const one = near[at];
      const force = 4 * (harder * pull[at] - one / total) * one;
      const [across, up] = [force * (x - place[2 * j]), force * (y - place[2 * j + 1])];
      left += across;
      down += up;
      slope[2 * j] -= across;
      slope[2 * j + 1] -= up;
    }
    slope[2 * i] += left;
    slope[2 * i + 1] += down;
  }
  return slope;
}

/** (points, points): how strongly two points hold on to each other; all of it sums to 1.
 *
 * Each point's own precision is found by halving, so that all have as many neighbours, dense or sparse. */
function* neighbourhoods(alike, perplexity) {
  const points = alike.shape[0];
  const share = new Float32Array(points * points);
  const others = new Float64Array(points);
  for (let i = 0; i < points; i += 1) {
    let nearest = Infinity;
    for (let j = 0; j < points; j += 1) {
      others[j] = j === i ? Infinity : Math.fround(1 - alike.data[i * points + j]);
      if (others[j] < nearest) nearest = others[j];
    }
    let [low, high, middle, sum] = [0, 1e4, 0, 0];
    for (let search = 0; search < SEARCHES; search += 1) {
      middle = (low + high) / 2;
      let weighted = 0;
      sum = 0;
      for (let j = 0; j < points; j += 1) {
        if (j === i) continue;
        const far = middle * (others[j] - nearest);
        const power = Math.exp(-far);
        sum += power;
        weighted += power * far;
      }
      const entropy = Math.log(sum) + weighted / sum; // −Σ p log p
      if (entropy > Math.log(perplexity)) low = middle;
      else high = middle;
    }
    for (let j = 0; j < points; j += 1)
      share[i * points + j] = j === i ? 0 : Math.exp(-middle * (others[j] - nearest)) / sum;
    yield;
  }
  const found = new Float32Array(points * points);
  for (let i = 0; i < points; i += 1)
    for (let j = 0; j < points; j += 1)
      found[i * points + j] = (share[i * points + j] + share[j * points + i]) / (2 * points);
  return found;
}

/** Of the first coordinate. */
function deviation(start) {
  const points = start.shape[0];
  let [mean, variance] = [0, 0];
  for (let at = 0; at < points; at += 1) mean += start.data[2 * at] / points;
  for (let at = 0; at < points; at += 1) variance += (start.data[2 * at] - mean) ** 2 / points;
  return Math.sqrt(variance);
}

function withinBounds(place) {
  const found = Tensor.zeros(place.shape);
  for (const axis of [0, 1]) {
    const own = place.data.filter((_, at) => at % 2 === axis);
    const [low, high] = own.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [
      Infinity,
      -Infinity,
    ]);
    const middle = (high + low) / 2;
    const reach = Math.max(1e-12, high - middle, middle - low);
    own.forEach((value, at) => {
      found.data[2 * at + axis] = (value - middle) / reach;
    });
  }
  return found;
}

/** The share of each point's nearest that are still among its nearest on the map: 1 is a perfect map. */
export function neighboursKept(alike, place, count = 10) {
  const points = alike.shape[0];
  const nearest = Math.min(count, points - 1);
  if (nearest < 1) return 1;
  let kept = 0;
  const nearOnMap = new Float32Array(points);
  for (let i = 0; i < points; i += 1) {
    for (let j = 0; j < points; j += 1) {
      const across = place.data[2 * i] - place.data[2 * j];
      const up = place.data[2 * i + 1] - place.data[2 * j + 1];
      nearOnMap[j] = -(across * across + up * up);
    }
    const own = alike.data.slice(i * points, (i + 1) * points);
    own[i] = nearOnMap[i] = -Infinity;
    const drawn = new Set(largest(nearOnMap, nearest));
    kept += largest(own, nearest).filter((one) => drawn.has(one)).length / nearest;
  }
  return kept / points;
}
