"""Texts to labels: the head of a pack that was trained to classify, or a linear probe on any vectors."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from dhyan.core.arguments import check_texts
from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_rows
from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel
from dhyan.pack.pack import Pack
from dhyan.text.likeness import on_one_line
from dhyan.vectors.answers import Labelled, answers, labelled
from dhyan.vectors.arrays import Embed
from dhyan.vectors.embedder import text_vectors
from dhyan.vectors.logistic_regression import LogisticRegression
from dhyan.vectors.pair_vectors import Pair, check_inputs, pair_vectors


class Classifier(LoadedModel):
    """Texts → labels with probabilities, or numbers: `label_kind` says which. Call it for the answer alone."""

    task = "classify"
    shipped = "sentiment"

    def __init__(self, pack: Pack, engine: Engine) -> None:
        super().__init__(pack, engine)
        self.labels = pack.manifest.labels
        self.words = pack.words_head
        self.label_kind = pack.manifest.label_kind
        self.reads_pairs = pack.manifest.reads_pairs

    def _traits(self) -> list[str]:
        what = {"one": "labels", "several": "any of the labels", "number": "a number:"}[self.label_kind]
        return ["pairs of texts"] * self.reads_pairs + [f"{what} {', '.join(self.labels)}"]

    @overload
    def __call__(self, texts: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, texts: Iterable[str]) -> list[str]: ...
    @overload
    def __call__(self, texts: Iterable[Pair]) -> list[str]: ...
    def __call__(self, texts: str | Iterable[str] | Iterable[Pair]) -> str | list[str]:
        """The label alone; several labels, or a number, as a text for a person."""
        if isinstance(texts, str):
            return self.classify(texts).said
        return [found.said for found in self.classify(texts)]

    @overload
    def classify(self, texts: str) -> Labelled: ...  # type: ignore[overload-overlap]
    @overload
    def classify(self, texts: Iterable[str]) -> list[Labelled]: ...
    @overload
    def classify(self, texts: Iterable[Pair]) -> list[Labelled]: ...
    def classify(self, texts: str | Iterable[str] | Iterable[Pair]) -> Labelled | list[Labelled]:
        """The same with the probabilities of all labels. For a pack that reads pairs each text is (first, second)."""
        found = self.classify_checked(texts)
        return found[0] if isinstance(texts, str) else found

    def classify_checked(self, texts: object) -> list[Labelled]:
        """Of whatever is given: what is neither texts nor, for a pack that reads them, pairs is refused."""
        inputs = check_inputs(texts, self.reads_pairs, self.pack.folder.name)
        return answers(self.label_kind, self.labels, self.logits(inputs)) if inputs else []

    def logits(self, inputs: Sequence[str] | Sequence[Pair]) -> NDArray[np.float32]:
        """(texts, labels): of checked texts, or pairs."""
        vectors = pair_vectors if self.reads_pairs else text_vectors
        logits = self.engine.classify(vectors(self.pack, self.engine, inputs))  # type: ignore[arg-type]
        if self.words is not None:
            logits = logits + self.words.logits([one if isinstance(one, str) else on_one_line(one) for one in inputs])
        return logits


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
        return self.classify_checked(texts)

    def classify_checked(self, given: object) -> list[Labelled]:
        texts = check_texts(given)
        if not texts:
            return []
        return [labelled(self.labels, row) for row in self.regression.probabilities(self.embed(texts))]


def labelled_rows(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> tuple[list[Row], list[str]]:
    """Rows of label and text, and their labels as training sees them."""
    rows = list(read_rows(files, ("label", "text"), columns))
    return rows, [unicodedata.normalize("NFC", row.columns[0]).strip() for row in rows]
