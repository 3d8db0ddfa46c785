// The shapes of the flow picture: a slice of attention, and a ribbon that goes round corners.

const round = (value) => Math.round(value * 10) / 10;

/** A slice that rises from (x0, y0), w0 wide, to (x1, y1), w1 wide. */
export function slice(x0, y0, w0, x1, y1, w1) {
  const half = (y0 + y1) / 2;
  const [a, b, c, d] = [x0 - w0 / 2, x0 + w0 / 2, x1 - w1 / 2, x1 + w1 / 2].map(round);
  const [low, middle, high] = [y0, half, y1].map(round);
  return `M${a} ${low}C${a} ${middle} ${c} ${middle} ${c} ${high}H${d}C${d} ${middle} ${b} ${middle} ${b} ${low}Z`;
}

/** Places along the middle of such a slice. */
export function climb(x0, y0, x1, y1) {
  const half = (y0 + y1) / 2;
  return Array.from({ length: 11 }, (_, number) => {
    const [part, rest] = [number / 10, 1 - number / 10];
    return [
      x0 + (x1 - x0) * part * part * (3 - 2 * part),
      y0 * rest ** 3 + half * 3 * part * rest + y1 * part ** 3,
    ];
  });
}

/** A line through corners, each turned with its own radius (or less, where there is no room). */
export function turning(points, radii) {
  const place = (point) => point.map(round).join(" ");
  let path = `M${place(points[0])}`;
  points.slice(1, -1).forEach(([x, y], number) => {
    const [before, after] = [points[number], points[number + 2]];
    const [into, out] = [Math.hypot(x - before[0], y - before[1]), Math.hypot(after[0] - x, after[1] - y)];
    const radius = Math.max(0, Math.min(radii[number], into, out));
    const towards = (other, length) =>
      length ? [x + ((other[0] - x) * radius) / length, y + ((other[1] - y) * radius) / length] : [x, y];
    const clockwise = (x - before[0]) * (after[1] - y) - (y - before[1]) * (after[0] - x) > 0;
    const r = round(radius);
    path += `L${place(towards(before, into))}A${r} ${r} 0 0 ${clockwise ? 1 : 0} ${place(towards(after, out))}`;
  });
  return `${path}L${place(points.at(-1))}`;
}

/** An arrow to the right, from x0 to x1 at a height; half: how far its head may reach up and down. */
export function arrow(x0, x1, y, half) {
  const tip = Math.min(half, (x1 - x0) / 2);
  const [from, neck, to] = [x0, x1 - tip, x1].map(round);
  const [thin, wide] = [half * 0.3, half * 0.8];
  return `M${from} ${round(y - thin)}H${neck}V${round(y - wide)}L${to} ${round(y)}L${neck} ${round(y + wide)}V${round(y + thin)}H${from}Z`;
}

/** A lane through the feed-forward network: it widens, bends, and is as wide as before. */
export function vase(x, low, high, narrow, wide) {
  const middle = (low + high) / 2;
  const side = (sign, from, to) =>
    `C${round(x + (sign * narrow) / 2)} ${round(from + (to - from) * 0.28)} ${round(x + (sign * wide) / 2)} ${round(from + (to - from) * 0.22)} ${round(x + (sign * wide) / 2)} ${round(middle)}` +
    `C${round(x + (sign * wide) / 2)} ${round(from + (to - from) * 0.78)} ${round(x + (sign * narrow) / 2)} ${round(from + (to - from) * 0.72)} ${round(x + (sign * narrow) / 2)} ${round(to)}`;
  return `M${round(x - narrow / 2)} ${round(low)}${side(-1, low, high)}H${round(x + narrow / 2)}${side(1, high, low)}Z`;
}
