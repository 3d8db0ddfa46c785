// Numbers as Python writes them where JavaScript has no such format.

/** Python's `{value:.6g}`: so many digits that count, no zeros behind them, an exponent where it is shorter. */
export function general(value, digits = 6) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa, power] = exponential(value, digits).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return withoutZeros(pointMoved(mantissa, exponent));
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${withoutZeros(mantissa)}e${exponent < 0 ? "-" : "+"}${size}`;
}

/** `toExponential`, but of two that are equally near Python takes the even one, JavaScript the larger. */
function exponential(value, digits) {
  const found = value.toExponential(digits - 1), longer = value.toExponential(digits);
  if (!longer.includes("5e") || Number(longer) !== value) return found;
  const [mantissa] = longer.split("e"), [exact] = value.toExponential(100).split("e");
  if (exact !== mantissa.padEnd(exact.length, "0")) return found;
  return found.replace(/[13579]e/, (last) => `${Number(last[0]) - 1}e`);
}

/** -1.25 and 1 → -12.5 */
function pointMoved(mantissa, exponent) {
  const sign = mantissa.startsWith("-") ? "-" : "", figures = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${figures}`;
  return `${sign}${figures.slice(0, exponent + 1)}.${figures.slice(exponent + 1)}`;
}

const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);
