"""Packed sequences: several rows of the corpus side by side in one row of the batch, so that little is padding.

Segment ids say which token belongs to which sequence (attention stays within a segment), position ids where it stands
in its own sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dhyan.core.special_tokens import PAD
from dhyan.data.id_store import IdStore
from dhyan.training.batching import ROW_LENGTH, Indices

FILLED = 0.99  # the share of the cells that one hopes to fill
ROUND_TO = 1024  # packed batches are padded to a multiple of so many tokens, or of about a 32nd of all


@dataclass(frozen=True, slots=True)
class PackedSide:
    """One side (source or target) of a packed batch; every array is (rows, row length)."""

    ids: NDArray[np.int64]
    segment_ids: NDArray[np.int16]  # the number of each token's sequence in its row, from 1; 0 for padding
    position_ids: NDArray[np.int64]  # of each token in its own sequence


def pack_rows(store: IdStore, columns: Sequence[str], rows: Indices, pad: int = PAD) -> list[PackedSide]:
    """The given sequences packed into rows. All sides of a sequence are in the same row, for cross-attention."""
    lengths = np.stack([store.lengths(column, rows) for column in columns], axis=1).astype(np.int64)
    row_length = max(ROW_LENGTH, -(-int(lengths.max()) // ROW_LENGTH) * ROW_LENGTH)
    packed_row = assign_rows(lengths, row_length)
    order = np.argsort(packed_row, kind="stable")
    rows, packed_row, lengths = rows[order], packed_row[order], lengths[order]
    # Matrix products are planned anew for every size, which on a GPU takes longer than to launch them: few sizes.
    cells = (int(packed_row[-1]) + 1) * row_length
    step = max(ROUND_TO, 1 << (cells // 32).bit_length() - 1)
    shape = (-(-cells // step) * step // row_length, row_length)
    return [
        _pack_side(store, column, rows, packed_row, lengths[:, side], shape, pad)
        for side, column in enumerate(columns)
    ]


def _pack_side(
    store: IdStore,
    column: str,
    rows: Indices,
    packed_row: Indices,
    lengths: Indices,
    shape: tuple[int, int],
    pad: int,
) -> PackedSide:
    """rows: the sequences, in the order of their packed rows; packed_row: the row that each goes to."""
    ends = np.cumsum(lengths)
    first_of_row = np.searchsorted(packed_row, packed_row)  # the first sequence in the same packed row
    before = ends - lengths  # tokens of earlier sequences
    start = packed_row * shape[1] + before - before[first_of_row]  # where each sequence begins, all rows end to end
    position = np.arange(ends[-1]) - np.repeat(before, lengths)
    cell = np.repeat(start, lengths) + position
    side = PackedSide(np.full(shape, pad, np.int64), np.zeros(shape, np.int16), np.zeros(shape, np.int64))
    side.ids.flat[cell] = store.flat(column)[np.repeat(store.starts(column, rows), lengths) + position]
    side.segment_ids.flat[cell] = np.repeat(np.arange(len(rows)) - first_of_row + 1, lengths)
    side.position_ids.flat[cell] = position
    return side


def assign_rows(lengths: NDArray[np.int64], row_length: int) -> Indices:
    """The packed row of each sequence: no side of a row is longer than `row_length`, and few cells stay empty.

    lengths: (sequences, sides). Sequences are dealt out in rounds, the longest first; in each round the longest goes
    to the emptiest row, which takes one sort per round. The few that do not fit go to the first row where they do.
    """
    order = np.argsort(-lengths.max(axis=1), kind="stable")
    count = -(-int(lengths.sum(axis=0).max() / FILLED) // row_length)
    free = np.full((len(lengths) + count, lengths.shape[1]), row_length)  # more rows than ever needed
    found = np.full(len(lengths), -1)
    for begin in range(0, len(order), count):
        dealt = order[begin : begin + count]
        row = np.argsort(-free[:count].min(axis=1), kind="stable")[: len(dealt)]
        fits = (free[row] >= lengths[dealt]).all(axis=1)
        found[dealt[fits]] = row[fits]
        free[row[fits]] -= lengths[dealt[fits]]
    for sequence in order[found[order] < 0].tolist():
        found[sequence] = (free >= lengths[sequence]).all(axis=1).argmax()
        free[found[sequence]] -= lengths[sequence]
    rows: NDArray[np.int64] = np.unique(found, return_inverse=True)[1]  # no row stays empty
    return rows
