"""A linear probe: logistic regression on the vectors of labelled texts, whatever makes the vectors."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_rows
from dhyan.vectors.arrays import Embed
from dhyan.vectors.classifier import Labelled, labelled
from dhyan.vectors.logistic_regression import LogisticRegression


def labelled_rows(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> tuple[list[Row], list[str]]:
    """Rows of label and text, and their labels as training sees them."""
    rows = list(read_rows(files, ("label", "text"), columns))
    return rows, [unicodedata.normalize("NFC", row.columns[0]).strip() for row in rows]


class LinearProbe:
    """Texts → labels. The vectors stay as they are; only a weight for each of their numbers is learnt."""

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
