"""Several seeds → a mean and how far they lie apart."""

from collections.abc import Sequence
from statistics import fmean

from dhyan.lab.framework.plots import Bar, Series


def mean(values: Sequence[float]) -> float:
    return fmean(values)


def mean_and_range(values: Sequence[float], digits: int = 3) -> str:
    """'0.912 (0.905–0.921)': the mean, and the least and the largest of the seeds where they differ."""
    decimals = digits if max(abs(value) for value in values) < 100 else 0  # nobody reads 1034.18
    mean, low, high = (f"{value:,.{decimals}f}" for value in (fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low}–{high})"


def series(label: str, x: Sequence[float], by_seed: Sequence[Sequence[float]]) -> Series:
    """A line through the seeds' means, with the least and the largest as its spread. by_seed: (seeds, points)."""
    columns = list(zip(*by_seed, strict=True))  # (points, seeds)
    return Series(
        label=label,
        x=list(x),
        y=[fmean(column) for column in columns],
        low=[min(column) for column in columns],
        high=[max(column) for column in columns],
    )


def bar(values: Sequence[float]) -> Bar:
    return Bar(value=fmean(values), low=min(values), high=max(values))
