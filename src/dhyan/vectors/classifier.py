"""Texts to labels: the head of a pack that was trained to classify, or a linear probe on any vectors."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_rows
from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel, check_texts
from dhyan.pack.pack import Pack
from dhyan.vectors.arrays import Embed
from dhyan.vectors.embedder import text_vectors
from dhyan.vectors.logistic_regression import LogisticRegression


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


class LinearProbe:
    """Texts → labels by logistic regression on their vectors, whatever makes these.

    The vectors stay as they are; only a weight for each of their numbers is learnt.
    """

    def __init__(self, embed: Embed, texts: Sequence[str], labels: Sequence[str]) -> None:
        self.embed = embed
        self.labels = sorted(set(labels))
        if len(self.labels) < 2:
            raise DhyanError(
                f"every row has the label '{labels[0]}': give rows of at least two labels, or say where the label"
                " stands, e.g. --columns label=2,text=1."
            )
        number = {label: index for index, label in enumerate(self.labels)}
        right = np.array([number[label] for label in labels])
        self.regression = LogisticRegression(embed(texts), right, len(self.labels))

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        if not texts:
            return []
        return [labelled(self.labels, row) for row in self.regression.probabilities(self.embed(texts))]


def labelled_rows(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> tuple[list[Row], list[str]]:
    """Rows of label and text, and their labels as training sees them."""
    rows = list(read_rows(files, ("label", "text"), columns))
    return rows, [unicodedata.normalize("NFC", row.columns[0]).strip() for row in rows]
