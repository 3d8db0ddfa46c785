"""Which lengths may share a padded batch on this machine, so that every row comes out of it as it does alone.

int8 products are exact, whatever stands beside a row. Attention is computed in float32, and its kernels may add up in
another order from some length on; a difference in the last bit can end in another word. So it is tried once for each
range of lengths: the same rows alone and padded must agree in every bit, or only rows of one length share a batch.
"""

import random
import threading
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence

from dhyan.core.special_tokens import SPECIAL

RANGES = (1, 16, 64)  # where one begins: tokens, the end mark counted. oneDNN has other kernels from 16 on
END_OF_RANGES = 128  # from here on, only rows of one length share a batch
TRIED = 6  # rows of a range

Row = list[int]
Try = Callable[[Sequence[Row]], list[Hashable]]  # rows → all that comes out of each, in one batch


class SharedLengths:
    """Groups rows into batches."""

    def __init__(self, vocabulary: int, max_tokens: int) -> None:
        """max_tokens: the longest row, the end mark counted."""
        self.vocabulary, self.max_tokens = vocabulary, max_tokens
        self._agrees: dict[Hashable, bool] = {}
        self._lock = threading.Lock()

    def groups(self, lengths: Sequence[int], how: Hashable, attempt: Try) -> list[list[int]]:
        """The numbers of the rows, those together that may share a batch. how: what else decides on the kernels."""
        ranges: dict[int, list[int]] = {}
        for number, length in enumerate(lengths):
            ranges.setdefault(range_of(length), []).append(number)
        found: list[list[int]] = []
        for which, numbers in ranges.items():
            if len({lengths[number] for number in numbers}) > 1 and self._may_share(which, how, attempt):
                found.append(numbers)
            else:
                found += by_length(lengths, numbers)
        return found

    def _may_share(self, which: int, how: Hashable, attempt: Try) -> bool:
        if which > len(RANGES):
            return False
        with self._lock:
            if (which, how) not in self._agrees:
                rows = self._rows(which)
                alone = [attempt([row])[0] for row in rows]
                self._agrees[which, how] = attempt(rows) == alone
            return self._agrees[which, how]

    def _rows(self, which: int) -> list[Row]:
        """Rows of the range, from its shortest to its longest."""
        first = RANGES[which - 1]
        last = min((*RANGES, END_OF_RANGES)[which] - 1, self.max_tokens)
        draw = random.Random(0)
        lengths = [first + (last - first) * step // (TRIED - 1) for step in range(TRIED)]
        return [[draw.randrange(len(SPECIAL), self.vocabulary) for _ in range(length - 1)] for length in lengths]


def range_of(length: int) -> int:
    """Which range a row of this length belongs to: 1 is the first."""
    return bisect_right((*RANGES, END_OF_RANGES), length + 1)


def by_length(lengths: Sequence[int], numbers: Sequence[int]) -> list[list[int]]:
    """The numbers of the rows, those of one length together."""
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(lengths[number], []).append(number)
    return list(groups.values())
