"""Ridge regression: numbers from vectors by least squares, with short weights. Held-out rows say how short."""

import numpy as np

from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Linear
from dhyan.vectors.logistic_regression import Array, minimize

STRENGTHS = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)  # from the strongest: each fit begins where the last ended
USUAL = 1.0  # where too few rows are there to choose by
HELD_OUT = 0.2
FEWEST_ROWS = 20


def fit_ridge(vectors: Vectors | Array, numbers: Array) -> Linear:
    """vectors: (rows, width). numbers: (rows,), best of mean 0 and spread 1. One output."""
    if isinstance(vectors, np.ndarray):
        vectors = vectors.astype(np.float64)  # once, or every product would do it again
    return _unflattened(_fit(vectors, numbers, best_strength(vectors, numbers)))


def best_strength(vectors: Vectors | Array, numbers: Array) -> float:
    """The one whose weights, learnt from four fifths of the rows, err least on the others."""
    rows = len(numbers)
    if rows < FEWEST_ROWS:
        return USUAL
    order = np.random.default_rng(0).permutation(rows)
    held_out, kept = np.sort(order[: round(HELD_OUT * rows)]), np.sort(order[round(HELD_OUT * rows) :])
    learnt, judged = vectors[kept], vectors[held_out]
    best, least, flat = USUAL, float("inf"), np.zeros(vectors.shape[1] + 1)
    for strength in STRENGTHS:
        flat = _fit(learnt, numbers[kept], strength, flat)
        weights, bias = _unflattened(flat)
        error = float((((judged @ weights + bias)[:, 0] - numbers[held_out]) ** 2).mean())
        if error >= least:  # weaker only fits the learnt rows better
            break
        best, least = strength, error
    return best


def _fit(vectors: Vectors | Array, numbers: Array, strength: float, begin: Array | None = None) -> Array:
    """Minimises ½ mean squared error + ½ strength · ‖w‖² / rows: the weights, and the bias behind them."""
    rows, width = vectors.shape

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat[:-1]
        error = (vectors @ weights[:, None])[:, 0] + flat[-1] - numbers
        value = (error @ error + strength * (weights @ weights)) / (2 * rows)
        gradient = ((vectors.T @ error[:, None])[:, 0] + strength * weights) / rows
        return float(value), np.append(gradient, error.mean())

    return minimize(loss, np.zeros(width + 1) if begin is None else begin)


def _unflattened(flat: Array) -> Linear:
    return Linear(flat[:-1, None], flat[-1:])
