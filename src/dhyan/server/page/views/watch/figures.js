// Numbers of a training as people read them.

import { filled, t } from "../../parts/i18n.js";

export const whole = (value) => value.toLocaleString("en");

/** Four digits, without an exponent as long as that is readable. */
export function loss(value) {
  if (value === 0 || (Math.abs(value) >= 0.001 && Math.abs(value) < 10_000))
    return String(Number(value.toPrecision(4)));
  return value.toExponential(2).replace("-", "−");
}

export const rate = (value) =>
  value === 0 ? "0" : Math.abs(value) >= 0.01 ? String(Number(value.toPrecision(3))) : small(value);

const small = (value) => {
  const [digits, power] = value.toExponential(2).split("e");
  return `${Number(digits)}e${power.replace("-", "−").replace("+", "")}`;
};

export const speed = (value) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(value);

export function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return filled(t("{count} s"), { count: Math.max(1, Math.round(seconds)) });
  if (minutes < 90) return filled(t("{count} min"), { count: minutes });
  return filled(t("{hours} h {count} min"), { hours: Math.floor(minutes / 60), count: minutes % 60 });
}
