// The bends: what is done to each number between two matrices.

function erf(x) {
  // its power series; beyond 4 it is 1 to eight digits
  const z = Math.abs(x);
  if (z > 4) return Math.sign(x);
  let term = z,
    total = z;
  for (let n = 1; n < 120; n += 1) {
    term *= (-z * z) / n;
    total += term / (2 * n + 1);
  }
  return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * total;
}

export const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const swish = (x) => x * sigmoid(x);

/** By the names of the architecture's activations; a gated one is multiplied by its gate besides. */
export const BENDS = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
  "gelu-tanh": (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  swish,
  swiglu: swish,
  tanh: Math.tanh,
};
