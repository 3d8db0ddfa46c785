"""Logistic regression by L-BFGS: vectors to labels, with a weight for each number of a vector and nothing more."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Linear

Array = NDArray[np.float64]

INVERSE_PENALTY = 10.0  # the loss counts so much against half the squared length of the weights
MOST_STEPS = 1000
ENOUGH = 1e-6  # the largest entry of the gradient at the end, the loss being a mean over rows
ROUGHLY = 1e-4  # the same labels in half the time
HISTORY = 5  # pairs of steps that the curvature is estimated from


class LogisticRegression:
    """Minimises mean cross-entropy + ½‖W‖² / (C · rows). Two labels share one row of weights, more have one each."""

    def __init__(
        self,
        vectors: Vectors | Array,
        labels: NDArray[np.intp],
        count: int,
        enough: float = ENOUGH,
        scales: Array | None = None,
        inverse_penalty: float = INVERSE_PENALTY,
    ) -> None:
        """vectors: (rows, width). labels: (rows,), numbers below `count`.

        scales: (width, labels), what each weight is measured in; one on a large scale costs less.
        """
        rows, width = vectors.shape
        if isinstance(vectors, np.ndarray):
            vectors = vectors.astype(np.float64)  # once, or every product would do it again
        columns = 1 if count == 2 else count
        right = np.eye(count)[labels][:, -columns:]  # (rows, columns): 1 for the row's label
        penalty = 1 / (inverse_penalty * rows)
        scale: Array | float = 1.0 if scales is None else scales[:, -columns:]

        def loss(flat: Array) -> tuple[float, Array]:
            weights, bias = flat[:-columns].reshape(width, columns), flat[-columns:]
            log_probabilities = _log_probabilities(vectors @ (scale * weights) + bias)  # (rows, count)
            value = -log_probabilities[np.arange(rows), labels].mean() + penalty / 2 * (weights**2).sum()
            error = (np.exp(log_probabilities[:, -columns:]) - right) / rows  # (rows, columns)
            gradient = scale * (vectors.T @ error) + penalty * weights
            return float(value), np.concatenate([gradient.ravel(), error.sum(axis=0)])

        flat = minimize(loss, np.zeros((width + 1) * columns), enough)
        self.weights, self.bias = scale * flat[:-columns].reshape(width, columns), flat[-columns:]

    def probabilities(self, vectors: Vectors) -> Array:
        """(rows, count)"""
        return np.exp(_log_probabilities(vectors @ self.weights + self.bias))

    @property
    def one_each(self) -> Linear:
        """With an output for each of two labels, too: half of their column for the second, half against the first."""
        return Linear(_halved(self.weights), _halved(self.bias))


def _halved(values: Array) -> Array:
    return np.concatenate([-values.T / 2, values.T / 2]).T if values.shape[-1] == 1 else values


def _log_probabilities(logits: NDArray[Any]) -> Array:
    """(rows, labels). One column is the second label's, measured from 0 for the first."""
    if logits.shape[1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), dtype=np.float64)


def minimize(loss: Callable[[Array], tuple[float, Array]], x: Array, enough: float = ENOUGH) -> Array:
    """Where a smooth convex function is least, by L-BFGS. loss: x → its value and its gradient."""
    value, gradient = loss(x)
    history: deque[tuple[Array, Array]] = deque(maxlen=HISTORY)  # (how x changed, how the gradient changed)
    for _ in range(MOST_STEPS):
        if np.abs(gradient).max() <= enough:
            break
        direction = -_times_inverse_hessian(gradient, history)
        expected = float(gradient @ direction)  # how the value changes per unit of step, here
        step = 1.0 if history else 1.0 / np.linalg.norm(gradient)
        while True:  # halved until the value falls by a fair part of what the gradient promises
            new = x + step * direction
            new_value, new_gradient = loss(new)
            if new_value <= value + 1e-4 * step * expected or step < 1e-12:
                break
            step /= 2
        moved, turned = new - x, new_gradient - gradient
        if moved @ turned > 1e-12:
            history.append((moved, turned))
        if new_value >= value:  # as low as float64 can tell
            break
        x, value, gradient = new, new_value, new_gradient
    return x


def _times_inverse_hessian(gradient: Array, history: deque[tuple[Array, Array]]) -> Array:
    """The two-loop recursion of Nocedal, 1980."""
    found = gradient.copy()
    shares = []
    for moved, turned in reversed(history):
        share = (moved @ found) / (moved @ turned)
        found -= share * turned
        shares.append(share)
    if history:
        moved, turned = history[-1]
        found *= (moved @ turned) / (turned @ turned)
    for (moved, turned), share in zip(history, reversed(shares), strict=True):
        found += (share - (turned @ found) / (moved @ turned)) * moved
    return found
