// Numbers as Python writes them where JavaScript has no such format.

/** Python's `{value:.6g}`: so many digits that count, no zeros behind them, an exponent where it is shorter. */
export function general(value, digits = 6) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return withoutZeros(value.toFixed(digits - 1 - exponent));
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${withoutZeros(mantissa)}e${exponent < 0 ? "-" : "+"}${size}`;
}

const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
