"""Batches by tokens: rows of similar length together, so that little is padding; the seed alone decides the order."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dhyan.core.special_tokens import PAD
from dhyan.data.id_store import IdStore

Indices = NDArray[np.int64]

POOL_BATCHES = 100  # rows are sorted by length within pools of so many batches: random enough, and little padding
ROW_LENGTH = 128  # of a packed row, or a multiple: what a GPU's attention kernel works on at once
LENGTH_STEP = 4  # first sides that differ by less count as equally long, so that the second can be sorted too


@dataclass(frozen=True, slots=True)
class DataPosition:
    """How far a training has read."""

    epoch: int = 0
    batch: int = 0  # batches of this epoch already used


@dataclass(frozen=True, slots=True)
class BatchRows:
    """The rows of one update, and where they stand in the order of the data."""

    rows: Indices
    position: DataPosition  # of this batch
    after: DataPosition  # of the next one


class Sampler:
    """Endless batches of row numbers. The same seed gives the same batches, from any position on."""

    def __init__(self, lengths: NDArray[np.int32], batch_tokens: int, seed: int, packed: bool = False) -> None:
        """lengths: (rows, sides), the tokens of each row. packed: batches need no padding, whatever the lengths."""
        self.lengths = lengths.astype(np.int64)
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.packed = packed
        self.rows_per_batch = max(
            1, int(batch_tokens / max(1.0, float(self.lengths.sum(axis=1).mean())))
        )  # on average
        self.pool = self.rows_per_batch * POOL_BATCHES

    def batches(self, start: DataPosition) -> Iterator[BatchRows]:
        epoch, used = start.epoch, start.batch
        while True:
            for number, rows in enumerate(self.epoch(epoch)):
                if number >= used:
                    yield BatchRows(rows, DataPosition(epoch, number), DataPosition(epoch, number + 1))
            epoch, used = epoch + 1, 0

    def epoch(self, epoch: int) -> Iterator[Indices]:
        """Every row once: shuffle, sort by length, cut into batches, shuffle those."""
        random = np.random.default_rng((self.seed, epoch))
        order = random.permutation(len(self.lengths))
        for batches in self.pools(order):
            for which in random.permutation(len(batches)):
                yield batches[which]

    def pools(self, order: Indices) -> Iterator[list[Indices]]:
        """Batches that may come in any order: of the whole epoch where rows are packed, else pool by pool."""
        if self.packed:
            long = (
                self.lengths[order].max(axis=1) > ROW_LENGTH
            )  # together: one makes all packed rows of its batch long
            order = np.concatenate([order[~long], order[long]])
            yield cut_evenly(order, self.lengths.sum(axis=1), self.batch_tokens)
            return
        for start in range(0, len(order), self.pool):
            pool = order[start : start + self.pool]
            yield cut_by_tokens(pool[self.by_length(pool)], self.lengths, self.batch_tokens)

    def by_length(self, rows: Indices) -> Indices:
        """The order that brings rows of similar lengths together: by the first side in steps, then by the last.

        Boustrophedon: the last side ascends in one step and descends in the next, so that there is no jump between
        steps. It takes a third off the padding of a plain sort.
        """
        first, last = self.lengths[rows, 0], self.lengths[rows, -1]
        step = first // LENGTH_STEP
        order: NDArray[np.int64] = np.lexsort((first, np.where(step % 2 == 0, last, -last), step))
        return order


def cut_by_tokens(rows: Indices, lengths: NDArray[np.int64], most: int) -> list[Indices]:
    """Batches of at most `most` tokens, padding counted, or of one row. lengths: (all rows, sides)."""
    batches: list[Indices] = []
    begin = 0
    longest = [0] * lengths.shape[1]
    for end, row in enumerate(lengths[rows].tolist()):  # plain lists: this loop sees every row of every epoch
        longer = [max(pair) for pair in zip(longest, row, strict=True)]
        if end > begin and sum(longer) * (end + 1 - begin) > most:
            batches.append(rows[begin:end])
            begin, longer = end, row
        longest = longer
    if begin < len(rows):
        batches.append(rows[begin:])
    return batches


def cut_evenly(rows: Indices, tokens: NDArray[np.int64], most: int) -> list[Indices]:
    """Equal batches of at most `most` tokens, or a row more. tokens: (all rows,), none of them padding."""
    filled = np.cumsum(tokens[rows])
    count = -(-int(filled[-1]) // most)
    ends = np.searchsorted(filled, filled[-1] * np.arange(1, count) / count)
    return [batch for batch in np.split(rows, ends) if len(batch)]


def padded(store: IdStore, column: str, rows: Indices, pad: int = PAD) -> NDArray[np.int64]:
    """The rows' ids as one matrix (rows, longest), padding at the right."""
    starts, lengths = store.starts(column, rows), store.lengths(column, rows)
    columns = np.arange(lengths.max(initial=1))
    real = columns < lengths[:, None]
    flat = store.flat(column)
    cells = np.minimum(starts[:, None] + columns, max(0, len(flat) - 1))
    return np.where(real, flat[cells].astype(np.int64), pad)
