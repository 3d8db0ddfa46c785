"""How sure a score is: the scores of a thousand samples of its rows, drawn with replacement."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLES = 1000
LEVEL = 0.95
STANDARD_ERRORS = 3.92  # that such an interval is wide


class Interval(NamedTuple):
    low: float
    high: float


def intervals(score: Callable[[NDArray[np.intp]], Sequence[float]], rows: int, samples: int) -> list[Interval]:
    """95 % of the samples' scores lie in them. score: row numbers → scores, each of which gets an interval."""
    generator = np.random.default_rng(0)
    found = np.array([score(generator.integers(rows, size=rows)) for _ in range(samples)])  # (samples, scores)
    edges = [np.quantile(one, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) for one in found.T]
    return [Interval(float(low), float(high)) for low, high in edges]


def interval(score: Callable[[NDArray[np.intp]], float], rows: int, samples: int = SAMPLES) -> Interval:
    """Of one score."""
    return intervals(lambda some: (score(some),), rows, samples)[0]
