"""Batch norm and layer norm of padded sentences, in NumPy: what a sentence's neighbours do to its numbers."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dhyan.explain.formulas import EPSILON, Array, batch_norm, layer_norm
from dhyan.lab.framework.experiment import Knobs

NOTES = np.array([[7, 5, 4], [2, 3, 4], [1, 2, 3], [7, 5, 6], [3, 3, 4]], dtype=float)  # the notes' table
LAYER, BATCH, BATCH_WITHOUT = WAYS = ("layer norm", "batch norm", "batch norm, padding left out")


class PaddedKnobs(Knobs):
    length: int = Field(6, ge=1, le=100, description="words of the sentence that is watched")
    neighbour_lengths: list[Annotated[int, Field(ge=1, le=256)]] = Field(
        [6, 8, 12, 24, 48],
        min_length=1,
        max_length=12,
        description="words of the longest sentence beside it, one after the other",
    )
    neighbours: int = Field(7, ge=1, le=31, description="sentences beside it, all as long as it but the longest")
    features: int = Field(16, ge=2, le=64, description="numbers in a word's vector")
    mean: float = Field(1.0, ge=-10, le=10, description="of those numbers; padding is zero")


def normed(x: Array, real: NDArray[np.bool_], way: str) -> Array:
    """x: (sentences, positions, features), zeros where `real` (sentences, positions) is False."""
    if way == LAYER:
        return layer_norm(x)
    if way == BATCH:
        return batch_norm(x.reshape(-1, x.shape[-1])).reshape(x.shape)
    words = x[real]  # (words, features): the statistics of real words alone
    return np.asarray((x - words.mean(axis=0)) / np.sqrt(words.var(axis=0) + EPSILON))


def lengths(knobs: PaddedKnobs, longest: int) -> list[int]:
    """Of the sentences in the batch, the watched one first: all are as long as it, but for one of `longest` words."""
    return [knobs.length] * knobs.neighbours + [max(knobs.length, longest)]


def padding(knobs: PaddedKnobs, longest: int) -> float:
    """The share of the batch that is padding."""
    words = lengths(knobs, longest)
    return 1 - sum(words) / (len(words) * max(words))


def watched(knobs: PaddedKnobs, way: str, longest: int, seed: int) -> Array:
    """(length, features): the watched sentence's numbers after the norm, beside a neighbour of `longest` words."""
    words = lengths(knobs, longest)
    x = np.zeros((len(words), max(words), knobs.features))
    real = np.zeros(x.shape[:2], dtype=bool)
    for row, length in enumerate(words):
        # A generator a row: a sentence is the same beside a long neighbour and beside a short one.
        draw = np.random.default_rng([seed, row])
        x[row, :length] = draw.normal(knobs.mean, 1.0, size=(length, knobs.features))
        real[row, :length] = True
    return normed(x, real, way)[0, : knobs.length]


def changes(knobs: PaddedKnobs, way: str, seed: int) -> list[float]:
    """For each of the neighbours' lengths: the mean change of the watched sentence's numbers, against the first."""
    first = watched(knobs, way, knobs.neighbour_lengths[0], seed)
    return [float(np.abs(watched(knobs, way, n, seed) - first).mean()) for n in knobs.neighbour_lengths]
