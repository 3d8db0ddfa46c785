"""How sure a score is: the scores of a thousand samples of its rows, drawn with replacement."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SAMPLES = 1000
LEVEL = 0.95


class Interval(NamedTuple):
    low: float
    high: float


def interval(score: Callable[[NDArray[np.intp]], float], rows: int, samples: int = SAMPLES) -> Interval:
    """95 % of the samples' scores lie in it. score: row numbers → score."""
    generator = np.random.default_rng(0)
    found = [score(generator.integers(rows, size=rows)) for _ in range(samples)]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
