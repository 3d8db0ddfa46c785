"""Texts to labels: the head of a pack that was trained to classify."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel, check_texts
from dhyan.pack.pack import Pack
from dhyan.vectors.embedder import text_vectors


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text's most probable label, and the probability of each label, the most probable first."""

    label: str
    probabilities: dict[str, float]


def labelled(labels: Sequence[str], probabilities: NDArray[Any]) -> Labelled:
    """probabilities: (labels,)"""
    order = np.argsort(-probabilities, kind="stable")
    return Labelled(labels[order[0]], {labels[i]: float(probabilities[i]) for i in order})


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
        return [labelled(self.labels, row) for row in powers / powers.sum(axis=1, keepdims=True)]
