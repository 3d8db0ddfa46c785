"""Which tokens of one language stand for a token of another, learnt from pairs: IBM Model 1 (Brown et al., 1993)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDS = 8  # of expectation maximisation; more change little
LEAST = 0.05  # of a token's probability: rarer translations are mostly chance
MOST_LINKS = 8_000_000  # between tokens of a pair: what fits into half a gigabyte


class Translations(NamedTuple):
    """Three numbers for each pair of tokens that may translate each other."""

    tokens: NDArray[np.int64]
    theirs: NDArray[np.int64]  # the token of the other language
    probabilities: NDArray[np.float64]  # of it, given the token; those of a token add up to 1 at most


def token_translations(pairs: Iterable[tuple[Sequence[int], Sequence[int]]], size: int) -> Translations:
    """pairs: ids in a vocabulary of `size`, and those of their translation. Of too many the first ones."""
    nothing = size  # what translates words that stand for nothing on the other side
    ours, theirs, places = [], [], []
    links = count = 0
    for ids, other in pairs:
        links += (len(ids) + 1) * len(other)
        if links > MOST_LINKS:
            break
        ours.append(np.tile(np.array([*ids, nothing], dtype=np.int64), len(other)))
        theirs.append(np.repeat(np.asarray(other, dtype=np.int64), len(ids) + 1))
        places.append(np.repeat(np.arange(count, count + len(other)), len(ids) + 1))
        count += len(other)
    if not ours:
        return Translations(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
    place = np.concatenate(places)  # which of their tokens, of all pairs together
    width = int(max(map(np.max, filter(len, theirs)), default=0)) + 1
    kinds, kind = np.unique(np.concatenate(ours) * width + np.concatenate(theirs), return_inverse=True)
    token, their = np.divmod(kinds, width)
    probability = np.ones(len(kinds))
    for _ in range(ROUNDS):
        likely = probability[kind]
        expected = np.bincount(kind, likely / np.bincount(place, likely)[place], len(kinds))  # how often together
        probability = expected / np.bincount(token, expected)[token]
    kept = (probability >= LEAST) & (token < nothing)
    return Translations(token[kept], their[kept], probability[kept])
