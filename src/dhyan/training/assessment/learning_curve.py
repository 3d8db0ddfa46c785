"""What twice the data would give: the error on a quarter, half and all of it, and where its power law leads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FRACTIONS = (0.25, 0.5, 1.0)
WORTH_IT = 0.005  # of the score: less than this is hardly worth the labelling


@dataclass(frozen=True)
class LearningCurve:
    """rows: how many were learnt from; scores: what came of it, at best 1; doubled: what twice as many would give."""

    rows: list[int]
    scores: list[float]
    doubled: float

    def said(self, shown: Callable[[float], str]) -> str:
        points = ", ".join(f"{n:,} rows {shown(a)}" for n, a in zip(self.rows, self.scores, strict=True))
        gain = self.doubled - self.scores[-1]
        advice = "more rows would help" if gain > WORTH_IT else "more rows of the same kind would hardly help"
        return f"{points}; twice the rows: about {shown(self.doubled)}: {advice}."


def learning_curve(score_of: Callable[[NDArray[np.intp]], float], rows: int) -> LearningCurve:
    """score_of: the rows to learn from → the score on rows that are always the same."""
    order = np.random.default_rng(0).permutation(rows)
    counts = [max(2, round(rows * fraction)) for fraction in FRACTIONS]
    found = [score_of(np.sort(order[:count])) for count in counts]
    return LearningCurve(counts, found, extrapolated(counts, found))


def extrapolated(rows: Sequence[int], scores: Sequence[float]) -> float:
    """The error falls as a power of the rows (Hestness et al., 2017): a straight line in logarithms."""
    error = np.maximum(1 - np.asarray(scores), 1e-4)
    slope, begin = np.polyfit(np.log(rows), np.log(error), 1)
    slope = min(0.0, float(slope))  # more data does no harm
    at_end = float(np.log(error[-1])) if slope == 0 else float(begin + slope * np.log(rows[-1]))
    gain = np.exp(at_end) - np.exp(at_end + slope * np.log(2))
    return float(min(1.0, scores[-1] + gain))
