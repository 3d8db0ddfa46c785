"""What an encoder is used for: vectors of texts, and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel, check_texts
from dhyan.pack.pack import Pack


class Embedder(LoadedModel):
    """Texts → unit vectors: near when the texts mean the same. Call it with one text or many."""

    task = "embed"
    shipped = "english"

    def __call__(self, texts: str | Sequence[str]) -> NDArray[np.float32]:
        """(d_model,) for one text, (texts, d_model) for many; each of length 1."""
        vectors = text_vectors(self.pack, self.engine, check_texts(texts))
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return np.asarray(unit[0] if isinstance(texts, str) else unit)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text's likeliest label, and how likely each label is, the likeliest first."""

    label: str
    probabilities: dict[str, float]


class Classifier(LoadedModel):
    """Texts → labels with probabilities. Call it for the label alone."""

    task = "classify"
    shipped = "sentiment"

    def __init__(self, pack: Pack, engine: Engine) -> None:
        super().__init__(pack, engine)
        self.labels = pack.manifest.labels

    def _traits(self) -> list[str]:
        return [f"labels {', '.join(self.labels)}"]

    @overload
    def __call__(self, texts: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, texts: Sequence[str]) -> list[str]: ...
    def __call__(self, texts: str | Sequence[str]) -> str | list[str]:
        if isinstance(texts, str):
            return self.classify([texts])[0].label
        return [found.label for found in self.classify(texts)]

    @overload
    def classify(self, texts: str) -> Labelled: ...  # type: ignore[overload-overlap]
    @overload
    def classify(self, texts: Sequence[str]) -> list[Labelled]: ...
    def classify(self, texts: str | Sequence[str]) -> Labelled | list[Labelled]:
        """The same with the probabilities of all labels."""
        if isinstance(texts, str):
            return self.classify([texts])[0]
        texts = check_texts(texts)
        if not texts:
            return []
        logits = self.engine.classify(text_vectors(self.pack, self.engine, texts))  # (texts, labels)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        found = []
        for row in powers / powers.sum(axis=1, keepdims=True):
            order = np.argsort(-row, kind="stable")
            found.append(Labelled(self.labels[order[0]], {self.labels[i]: float(row[i]) for i in order}))
        return found


def text_vectors(pack: Pack, engine: Engine, texts: Sequence[str]) -> NDArray[np.float32]:
    """(texts, d_model): the mean over each text's tokens. A text longer than the window is read in windows."""
    room = pack.manifest.architecture.max_positions - 1
    windows: list[list[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(pack.tokenizer.encode_batch(list(texts))):
        for begin in range(0, max(1, len(ids)), room):
            windows.append(ids[begin : begin + room])
            owners.append(number)
    total = np.zeros((len(texts), pack.manifest.architecture.d_model), dtype=np.float32)
    tokens = np.zeros((len(texts), 1), dtype=np.float32)
    for owner, vectors in zip(owners, engine.encode(windows), strict=True):
        total[owner] += vectors.sum(axis=0)
        tokens[owner] += len(vectors)
    return np.asarray(total / np.maximum(tokens, 1), dtype=np.float32)
