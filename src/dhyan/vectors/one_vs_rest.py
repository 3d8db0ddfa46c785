"""One-vs-rest: for each label a logistic regression of its own, yes or no, whatever the others say."""

import numpy as np
from numpy.typing import NDArray

from dhyan.core.label_kind import log_sigmoid
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Linear
from dhyan.vectors.logistic_regression import INVERSE_PENALTY, ROUGHLY, Array, minimize

MOST_WEIGHTS = 1_000_000  # that are fitted together: some labels at a time, so that many of them fit into memory


def fit_one_vs_rest(vectors: Vectors | Array, holds: NDArray[np.bool_]) -> Linear:
    """vectors: (rows, width). holds: (rows, labels)."""
    if isinstance(vectors, np.ndarray):
        vectors = vectors.astype(np.float64)  # once, or every product would do it again
    at_once = max(1, MOST_WEIGHTS // vectors.shape[1])
    parts = [_fit(vectors, holds[:, begin : begin + at_once]) for begin in range(0, holds.shape[1], at_once)]
    weights, biases = (np.concatenate(some, axis=-1) for some in zip(*parts, strict=True))
    return Linear(weights, biases)


def _fit(vectors: Vectors | Array, holds: NDArray[np.bool_]) -> Linear:
    """Minimises mean binary cross-entropy, summed over labels, + ½(‖W‖² + ‖b‖²) / (C · rows).

    The bias is pulled too, by a hair: so a label that no row has gets a small probability, where it would be none.
    """
    (rows, width), labels = vectors.shape, holds.shape[1]
    penalty = 1 / (INVERSE_PENALTY * rows)

    def loss(flat: Array) -> tuple[float, Array]:
        weights, bias = flat[:-labels].reshape(width, labels), flat[-labels:]
        logits = vectors @ weights + bias
        value = -log_sigmoid(np.where(holds, logits, -logits)).sum() / rows + penalty / 2 * (flat**2).sum()
        error = (np.exp(log_sigmoid(logits)) - holds) / rows  # (rows, labels)
        gradient = np.concatenate([(vectors.T @ error).ravel(), error.sum(axis=0)])
        return float(value), gradient + penalty * flat

    flat = minimize(loss, np.zeros((width + 1) * labels), ROUGHLY)
    return Linear(flat[:-labels].reshape(width, labels), flat[-labels:])
