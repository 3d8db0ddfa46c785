"""Pairs of texts to vectors, for packs that read two texts as one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dhyan.core.arguments import check_text, check_texts
from dhyan.core.errors import DhyanError
from dhyan.engines.base import Engine
from dhyan.pack.pack import Pack
from dhyan.vectors.embedder import window_vectors

Pair: TypeAlias = tuple[str, str]


def check_inputs(texts: object, reads_pairs: bool, name: str) -> list[str] | list[Pair]:
    """Texts, or pairs of texts, as the pack reads them; the other kind is refused."""
    if isinstance(texts, Iterator):  # it can be read once only
        texts = list(texts)
    if not reads_pairs:
        if isinstance(texts, Iterable) and any(isinstance(text, tuple | list) for text in texts):
            raise DhyanError(f"{name} reads one text at a time, not pairs: give texts (str).")
        return check_texts(texts)
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise wants_pairs(name)
    return [_checked_pair(pair, name) for pair in texts]


def _checked_pair(pair: object, name: str) -> Pair:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise wants_pairs(name)
    return check_text(pair[0]), check_text(pair[1])


def wants_pairs(name: str) -> DhyanError:
    return DhyanError(
        f'{name} reads pairs of texts: give two for each answer, such as ("first text", "second text").'
    )


def pair_vectors(pack: Pack, engine: Engine, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """(pairs, d_model): the mean over both texts' tokens, as in training; of a long pair, its beginnings."""
    a = pack.manifest.architecture
    sides = [pack.tokenizer.encode_batch([pair[side] for pair in pairs]) for side in (0, 1)]
    rows = [a.special.pair(first, second, a.max_positions) for first, second in zip(*sides, strict=True)]
    return window_vectors(pack, engine, rows, list(range(len(pairs))))
