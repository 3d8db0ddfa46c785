// Numbers as people read them, and as they are.

/** With a real minus sign, but not before what is rounded to 0; −∞ where a mask stands. */
export function short(value, digits = 3) {
  if (value === -Infinity) return "−∞";
  const text = Math.abs(value) < 1000 ? value.toFixed(digits) : value.toPrecision(3);
  return text.replace("-", Number(text) === 0 ? "" : "−");
}

/** The shortest digits that give back the same float32: nothing is rounded away. */
export function exact(value) {
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : String(value);
  const single = Math.fround(value);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return String(Number(text));
  }
  return String(single);
}

/** exp(x) / Σ exp(x), the largest taken out first. */
export function softmax(values) {
  const top = Math.max(...values);
  const powers = Array.from(values, (value) => Math.exp(value - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** The same for people: a real minus sign, and −∞. */
export const full = (value) => exact(value).replace("-inf", "−∞").replace("-", "−");

/** An array with its shape; `row(2)` of a matrix, `at(2, 3)` of any. */
export class Numbers {
  constructor(address, shape, axes, data) {
    this.address = address;
    this.shape = shape;
    this.axes = axes;
    this.data = data;
  }

  at(...index) {
    return this.data[index.reduce((sum, one, axis) => sum * this.shape[axis] + one, 0)];
  }

  row(number) {
    const width = this.shape.at(-1);
    return this.data.subarray(number * width, (number + 1) * width);
  }

  /** Full colour is 1 where the numbers are shares of 1, else the largest of them. */
  get scale() {
    let largest = 0,
      negative = false;
    for (const value of this.data) {
      if (!Number.isFinite(value)) continue;
      largest = Math.max(largest, Math.abs(value));
      negative ||= value < 0;
    }
    return (largest <= 1 && !negative) || largest === 0 ? 1 : largest;
  }
}
