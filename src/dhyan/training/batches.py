"""Batches by tokens: rows of like length side by side, so that little is padding; the order is a seed's, exactly."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dhyan.special import PAD
from dhyan.text.ids import IdStore

Indices = NDArray[np.int64]

POOL_BATCHES = 100  # rows are sorted by length within pools of so many batches: random enough, and well packed
LIKE_LENGTHS = 4  # first sides that differ by less count as equally long, so that the second can be sorted too


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the data a training stands."""

    epoch: int = 0
    batch: int = 0  # batches of this epoch already used


@dataclass(frozen=True, slots=True)
class Draw:
    """The rows of one update, and where they stand in the order of things."""

    rows: Indices
    place: Place  # of this draw
    after: Place  # of the next one


class Sampler:
    """Endless batches of row numbers. The same seed gives the same batches, from any place on."""

    def __init__(self, lengths: NDArray[np.int32], batch_tokens: int, seed: int) -> None:
        """lengths: (rows, sides), the tokens of each row."""
        self.lengths = lengths.astype(np.int64)
        self.batch_tokens = batch_tokens
        self.seed = seed
        typical = max(1, int(batch_tokens / max(1.0, float(self.lengths.sum(axis=1).mean()))))
        self.pool = typical * POOL_BATCHES

    def draws(self, start: Place) -> Iterator[Draw]:
        place = start
        while True:
            batches = self.epoch(place.epoch)
            for number, rows in enumerate(batches):
                if number >= place.batch:
                    here = Place(place.epoch, number)
                    yield Draw(rows, here, Place(place.epoch, number + 1))
            place = Place(place.epoch + 1, 0)

    def epoch(self, epoch: int) -> Iterator[Indices]:
        """Every row once: shuffle, sort each pool by length, cut it into batches, shuffle those."""
        random = np.random.default_rng((self.seed, epoch))
        order = random.permutation(len(self.lengths))
        for start in range(0, len(order), self.pool):
            pool = order[start : start + self.pool]
            batches = cut_by_tokens(pool[self.by_likeness(pool)], self.lengths, self.batch_tokens)
            for which in random.permutation(len(batches)):
                yield batches[which]

    def by_likeness(self, rows: Indices) -> Indices:
        """The order that puts rows of like lengths side by side: by the first side in coarse steps, then by the last.

        The last side rises in one step and falls in the next, like a lawn mower's path, so that there is no jump
        where a step ends. It takes a third off the padding of a plain sort.
        """
        first, last = self.lengths[rows, 0], self.lengths[rows, -1]
        step = first // LIKE_LENGTHS
        return np.lexsort((first, np.where(step % 2 == 0, last, -last), step))


def cut_by_tokens(rows: Indices, lengths: NDArray[np.int64], most: int) -> list[Indices]:
    """At least one row a batch, however long it is. lengths: (all rows, sides)."""
    batches: list[Indices] = []
    begin = 0
    widest = [0] * lengths.shape[1]
    for end, row in enumerate(lengths[rows].tolist()):  # plain lists: this loop sees every row of every epoch
        wider = [max(pair) for pair in zip(widest, row, strict=True)]
        if end > begin and sum(wider) * (end + 1 - begin) > most:
            batches.append(rows[begin:end])
            begin, wider = end, row
        widest = wider
    if begin < len(rows):
        batches.append(rows[begin:])
    return batches


def padded(store: IdStore, column: str, rows: Indices) -> NDArray[np.int64]:
    """The rows' ids as one matrix (rows, longest), padding at the right."""
    starts, lengths = store.starts(column, rows), store.lengths(column, rows)
    columns = np.arange(lengths.max(initial=1))
    real = columns < lengths[:, None]
    flat = store.flat(column)
    where = np.minimum(starts[:, None] + columns, max(0, len(flat) - 1))
    return np.where(real, flat[where], PAD).astype(np.int64)
