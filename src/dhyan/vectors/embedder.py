"""Texts to vectors: the mean over the encoder's output, or its first token."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dhyan.core.arguments import check_texts
from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel
from dhyan.pack.pack import Pack
from dhyan.vectors.arrays import unit_rows

if TYPE_CHECKING:
    from dhyan.vectors.cluster_map import ClusteredTexts


class Embedder(LoadedModel):
    """Texts → unit vectors: near when the texts mean the same. Call it with one text or many."""

    task = "embed"
    shipped = "english"

    def __call__(self, texts: str | Iterable[str]) -> NDArray[np.float32]:
        """(d_model,) for one text, (texts, d_model) for many; each of length 1."""
        vectors = text_vectors(self.pack, self.engine, check_texts(texts))
        unit = unit_rows(vectors)
        return unit[0] if isinstance(texts, str) else unit

    def cluster(self, texts: Iterable[str], clusters: int | None = None) -> "ClusteredTexts":
        """Texts gathered by meaning and named by their words; without a number, the number that parts them best."""
        from dhyan.vectors.cluster_map import cluster_texts

        given = check_texts(texts)
        return cluster_texts(given, self(given), clusters)


def text_vectors(pack: Pack, engine: Engine, texts: Sequence[str]) -> NDArray[np.float32]:
    """(texts, d_model): the mean over each text's tokens. A text longer than the window is read in windows."""
    a = pack.manifest.architecture
    length = a.max_positions - len(a.special.around([]))
    windows: list[list[int]] = []
    text_of: list[int] = []
    for number, ids in enumerate(pack.tokenizer.encode_batch(list(texts))):
        for begin in range(0, max(1, len(ids)), length):
            windows.append(ids[begin : begin + length])
            text_of.append(number)
    return window_vectors(pack, engine, windows, text_of)


def window_vectors(
    pack: Pack, engine: Engine, windows: Sequence[Sequence[int]], text_of: Sequence[int]
) -> NDArray[np.float32]:
    """(texts, d_model): the mean over the tokens of each text's windows. text_of: of each window."""
    a = pack.manifest.architecture
    texts = max(text_of, default=-1) + 1
    total = np.zeros((texts, a.d_model), dtype=np.float32)
    tokens = np.zeros((texts, 1), dtype=np.float32)
    for number, vectors in zip(text_of, engine.encode(windows), strict=True):
        counted = vectors[:1] if a.pooling == "first" else vectors
        total[number] += counted.sum(axis=0)
        tokens[number] += len(counted)
    return np.asarray(total / np.maximum(tokens, 1), dtype=np.float32)
