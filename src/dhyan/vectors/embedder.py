"""Texts to vectors: the mean over the encoder's output."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel, check_texts
from dhyan.pack.pack import Pack
from dhyan.vectors.arrays import unit_rows


class Embedder(LoadedModel):
    """Texts → unit vectors: near when the texts mean the same. Call it with one text or many."""

    task = "embed"
    shipped = "english"

    def __call__(self, texts: str | Sequence[str]) -> NDArray[np.float32]:
        """(d_model,) for one text, (texts, d_model) for many; each of length 1."""
        vectors = text_vectors(self.pack, self.engine, check_texts(texts))
        unit = unit_rows(vectors)
        return unit[0] if isinstance(texts, str) else unit


def text_vectors(pack: Pack, engine: Engine, texts: Sequence[str]) -> NDArray[np.float32]:
    """(texts, d_model): the mean over each text's tokens. A text longer than the window is read in windows."""
    length = pack.manifest.architecture.max_positions - 1
    windows: list[list[int]] = []
    text_of: list[int] = []
    for number, ids in enumerate(pack.tokenizer.encode_batch(list(texts))):
        for begin in range(0, max(1, len(ids)), length):
            windows.append(ids[begin : begin + length])
            text_of.append(number)
    total = np.zeros((len(texts), pack.manifest.architecture.d_model), dtype=np.float32)
    tokens = np.zeros((len(texts), 1), dtype=np.float32)
    for number, vectors in zip(text_of, engine.encode(windows), strict=True):
        total[number] += vectors.sum(axis=0)
        tokens[number] += len(vectors)
    return np.asarray(total / np.maximum(tokens, 1), dtype=np.float32)
