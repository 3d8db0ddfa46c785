"""Probabilities that mean what they say: logits scaled, and mixed, so that validation rows become most probable.

One logits array scaled by one number is temperature scaling (Guo et al., 2017). With two, the Transformer's and the
words head's, each gets a number of its own: a product of experts. Of numbers it is least squares.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.core.label_kind import log_sigmoid
from dhyan.vectors.logistic_regression import minimize

Logits = NDArray[np.float64]  # (rows, labels)
Labels = NDArray[np.intp]  # (rows,)
Loss = tuple[float, Logits]  # its mean over the rows, and each row's gradient
BINS = 15
PULL = 1e-3  # towards a scale of 1, so that rows which are all right do not ask for infinite certainty


def log_softmax(logits: Logits) -> Logits:
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def cross_entropy(logits: Logits, labels: Labels) -> Loss:
    rows = np.arange(len(labels))
    log_probabilities = log_softmax(logits)
    error = np.exp(log_probabilities)
    error[rows, labels] -= 1
    return float(-log_probabilities[rows, labels].mean()), error


def binary_cross_entropy(logits: Logits, holds: NDArray[np.bool_]) -> Loss:
    """Summed over the labels. holds: (rows, labels)."""
    value = -log_sigmoid(np.where(holds, logits, -logits)).sum(axis=1).mean()
    return float(value), np.exp(log_sigmoid(logits)) - holds


def squared_error(said: Logits, right: NDArray[np.float64]) -> Loss:
    """Half of it. said: (rows, 1). right: (rows,)."""
    error = said - right[:, None]
    return float((error**2).mean() / 2), error


def fit_scales(experts: Sequence[Logits], loss_of: Callable[[Logits], Loss]) -> NDArray[np.float64]:
    """(experts,): what each one's logits are to be multiplied by, none of them negative."""
    stacked = np.stack(experts)  # (experts, rows, labels)

    def loss(roots: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scales = roots**2
        value, error = loss_of(np.tensordot(scales, stacked, axes=1))
        pull = PULL * (scales - 1 / len(experts))
        gradient = np.einsum("erl,rl->e", stacked, error) / len(error) + pull
        return float(value + (pull**2).sum() / (2 * PULL)), 2 * roots * gradient

    return np.asarray(minimize(loss, np.full(len(experts), len(experts) ** -0.5)) ** 2)


def expected_calibration_error(logits: Logits, labels: Labels) -> float:
    """Of the label that is said."""
    probabilities = np.exp(log_softmax(logits))
    return calibration_error(probabilities.max(axis=1), probabilities.argmax(axis=1) == labels)


def calibration_error(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """How far what is said with a probability lies from how often it is right, over bins of probability."""
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = [abs(said[which == b].mean() - right[which == b].mean()) * (which == b).mean() for b in np.unique(which)]
    return float(sum(gaps))
