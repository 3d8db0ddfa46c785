"""Probabilities that mean what they say: logits scaled, and mixed, so that validation rows become most probable.

One logits array scaled by one number is temperature scaling (Guo et al., 2017). With two, the Transformer's and the
words head's, each gets a number of its own: a product of experts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.vectors.logistic_regression import minimize

Logits = NDArray[np.float64]  # (rows, labels)
Labels = NDArray[np.intp]  # (rows,)
BINS = 15
PULL = 1e-3  # towards a scale of 1, so that rows which are all right do not ask for infinite certainty


def log_softmax(logits: Logits) -> Logits:
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def fit_scales(experts: Sequence[Logits], labels: Labels) -> NDArray[np.float64]:
    """(experts,): what each one's logits are to be multiplied by, none of them negative."""
    rows = np.arange(len(labels))
    stacked = np.stack(experts)  # (experts, rows, labels)

    def loss(roots: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scales = roots**2
        log_probabilities = log_softmax(np.tensordot(scales, stacked, axes=1))
        error = np.exp(log_probabilities)
        error[rows, labels] -= 1
        pull = PULL * (scales - 1 / len(experts))
        gradient = np.einsum("erl,rl->e", stacked, error) / len(labels) + pull
        value = -log_probabilities[rows, labels].mean() + (pull**2).sum() / (2 * PULL)
        return float(value), 2 * roots * gradient

    return np.asarray(minimize(loss, np.full(len(experts), len(experts) ** -0.5)) ** 2)


def negative_log_likelihood(logits: Logits, labels: Labels) -> float:
    return float(-log_softmax(logits)[np.arange(len(labels)), labels].mean())


def expected_calibration_error(logits: Logits, labels: Labels) -> float:
    """How far the probability of the label that is said lies from how often it is right, over bins of probability."""
    probabilities = np.exp(log_softmax(logits))
    said, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = [abs(said[which == b].mean() - right[which == b].mean()) * (which == b).mean() for b in np.unique(which)]
    return float(sum(gaps))
