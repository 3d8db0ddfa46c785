"""Batches by tokens: rows of like length side by side, so that little is padding; the order is a seed's, exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dhyan.core.special_tokens import PAD
from dhyan.data.id_store import IdStore

Indices = NDArray[np.int64]

POOL_BATCHES = 100  # rows are sorted by length within pools of so many batches: random enough, and well packed
WIDTH = 128  # of a line that several rows share, or a multiple: what a GPU's attention works on at once
FILLED = 0.99  # how much of the lines one hopes to fill
ROUND_TO = 1024  # such lines are filled up to a multiple of so many ids, or of about a 32nd of all
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

    def __init__(self, lengths: NDArray[np.int32], batch_tokens: int, seed: int, packed: bool = False) -> None:
        """lengths: (rows, sides), the tokens of each row. packed: rows share lines, whatever their lengths."""
        self.lengths = lengths.astype(np.int64)
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.packed = packed
        self.typical = max(1, int(batch_tokens / max(1.0, float(self.lengths.sum(axis=1).mean()))))  # rows a batch
        self.pool = self.typical * POOL_BATCHES

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
        """Every row once: shuffle, put like lengths together, cut into batches, shuffle those."""
        random = np.random.default_rng((self.seed, epoch))
        order = random.permutation(len(self.lengths))
        for batches in self.pools(order):
            for which in random.permutation(len(batches)):
                yield batches[which]

    def pools(self, order: Indices) -> Iterator[list[Indices]]:
        """Batches that may come in any order: of the whole epoch where rows share lines, else of a pool at a time."""
        if self.packed:
            long = self.lengths[order].max(axis=1) > WIDTH  # together, for one of them widens all lines of its batch
            order = np.concatenate([order[~long], order[long]])
            yield cut_evenly(order, self.lengths.sum(axis=1), self.batch_tokens)
            return
        for start in range(0, len(order), self.pool):
            pool = order[start : start + self.pool]
            yield cut_by_tokens(pool[self.by_likeness(pool)], self.lengths, self.batch_tokens)

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


def cut_evenly(rows: Indices, tokens: NDArray[np.int64], most: int) -> list[Indices]:
    """Equal batches of at most `most` tokens, or a row more. tokens: (all rows,), none of them padding."""
    filled = np.cumsum(tokens[rows])
    count = -(-int(filled[-1]) // most)
    ends = np.searchsorted(filled, filled[-1] * np.arange(1, count) / count)
    return [batch for batch in np.split(rows, ends) if len(batch)]


@dataclass(frozen=True, slots=True)
class Lines:
    """One side of the rows, several on a line; every array is (lines, width)."""

    ids: NDArray[np.int64]
    owners: NDArray[np.int16]  # the number of each id's row on its line, from 1; 0 where the line is filled up
    positions: NDArray[np.int64]  # of each id in its own row


def lines(store: IdStore, columns: Sequence[str], rows: Indices) -> list[Lines]:
    """The rows' sides packed into lines. All sides of a row are on the same line, to find each other."""
    lengths = np.stack([store.lengths(column, rows) for column in columns], axis=1).astype(np.int64)
    width = max(WIDTH, -(-int(lengths.max()) // WIDTH) * WIDTH)
    line = fit_into_lines(lengths, width)
    order = np.argsort(line, kind="stable")
    rows, line, lengths = rows[order], line[order], lengths[order]
    # Matrix products are planned anew for every size, which on a GPU takes longer than to launch them: few sizes.
    cells = (int(line[-1]) + 1) * width
    step = max(ROUND_TO, 1 << (cells // 32).bit_length() - 1)
    count = -(-cells // step) * step // width
    return [_side(store, column, rows, line, lengths[:, side], (count, width)) for side, column in enumerate(columns)]


def _side(
    store: IdStore, column: str, rows: Indices, line: Indices, lengths: Indices, shape: tuple[int, int]
) -> Lines:
    """rows: in the order of their lines; line: the line of each."""
    ends = np.cumsum(lengths)
    first_of_line = np.searchsorted(line, line)  # the number of the first row on the same line
    before = ends - lengths  # ids of earlier rows
    start = line * shape[1] + before - before[first_of_line]  # where each row begins, all lines end to end
    position = np.arange(ends[-1]) - np.repeat(before, lengths)
    cell = np.repeat(start, lengths) + position
    found = Lines(np.full(shape, PAD, np.int64), np.zeros(shape, np.int16), np.zeros(shape, np.int64))
    found.ids.flat[cell] = store.flat(column)[np.repeat(store.starts(column, rows), lengths) + position]
    found.owners.flat[cell] = np.repeat(np.arange(len(rows)) - first_of_line + 1, lengths)
    found.positions.flat[cell] = position
    return found


def fit_into_lines(lengths: NDArray[np.int64], width: int) -> Indices:
    """The line of each row, so that no side of a line is longer than `width` and few cells stay empty.

    Rows are dealt like cards, the longest first, each round's longest to the emptiest line: one sort a round. The few
    for which that line has no room go, one by one, to the first line that has.
    """
    order = np.argsort(-lengths.max(axis=1), kind="stable")
    count = -(-int(lengths.sum(axis=0).max() / FILLED) // width)
    room = np.full((len(lengths) + count, lengths.shape[1]), width)  # more lines than ever needed
    found = np.full(len(lengths), -1)
    for begin in range(0, len(order), count):
        dealt = order[begin : begin + count]
        line = np.argsort(-room[:count].min(axis=1), kind="stable")[: len(dealt)]
        fits = (room[line] >= lengths[dealt]).all(axis=1)
        found[dealt[fits]] = line[fits]
        room[line[fits]] -= lengths[dealt[fits]]
    for row in order[found[order] < 0].tolist():
        found[row] = (room >= lengths[row]).all(axis=1).argmax()
        room[found[row]] -= lengths[row]
    return np.unique(found, return_inverse=True)[1]  # no line stays empty


def padded(store: IdStore, column: str, rows: Indices) -> NDArray[np.int64]:
    """The rows' ids as one matrix (rows, longest), padding at the right."""
    starts, lengths = store.starts(column, rows), store.lengths(column, rows)
    columns = np.arange(lengths.max(initial=1))
    real = columns < lengths[:, None]
    flat = store.flat(column)
    where = np.minimum(starts[:, None] + columns, max(0, len(flat) - 1))
    return np.where(real, flat[where], PAD).astype(np.int64)
