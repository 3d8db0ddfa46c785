"""Rows that may be labelled wrong: a classifier that has not seen them is sure of another label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 10
SURE = 0.5  # of another label; a doubt alone is no error


@dataclass(frozen=True)
class Suspect:
    """row: its number; said: the label that it has; found: the one that it seems to be."""

    row: int
    said: int
    found: int
    probability: float


def suspects(log_probabilities: NDArray[np.float64], labels: NDArray[np.intp], most: int = MOST) -> Sequence[Suspect]:
    """The rows whose label is least probable beside the one that is said instead; the surest first.

    log_probabilities: (rows, labels), each row's by a classifier that has not learnt from it.
    """
    rows = np.arange(len(labels))
    found = log_probabilities.argmax(axis=1)
    margin = log_probabilities[rows, found] - log_probabilities[rows, labels]
    sure = np.exp(log_probabilities[rows, found]) >= SURE
    order = [row for row in np.argsort(-margin, kind="stable") if margin[row] > 0 and sure[row]][:most]
    return [
        Suspect(int(row), int(labels[row]), int(found[row]), float(np.exp(log_probabilities[row, found[row]])))
        for row in order
    ]
