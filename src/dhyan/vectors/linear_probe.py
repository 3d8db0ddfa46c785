"""A classifier in a second: logistic regression on the vectors of labelled texts, whatever makes the vectors."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_rows
from dhyan.vectors.arrays import Embed
from dhyan.vectors.embedder import Labelled


def labelled_rows(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> tuple[list[Row], list[str]]:
    """Rows of label and text, and their labels as training sees them."""
    rows = list(read_rows(files, ("label", "text"), columns))
    return rows, [unicodedata.normalize("NFC", row.columns[0]).strip() for row in rows]


class Probe:
    """Texts → labels. The vectors stay as they are; only a weight for each of their numbers is learnt."""

    def __init__(self, embed: Embed, texts: Sequence[str], labels: Sequence[str]) -> None:
        if len(set(labels)) < 2:
            raise DhyanError(
                f"every row has the label '{labels[0]}': give rows of at least two labels, or say where the label"
                " stands, e.g. --columns label=2,text=1."
            )
        self.embed = embed
        self.regression = LogisticRegression(C=10.0, max_iter=1000, random_state=0)
        self.regression.fit(embed(texts), labels)
        self.labels = [str(label) for label in self.regression.classes_]

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        if not texts:
            return []
        found = []
        for row in self.regression.predict_proba(self.embed(texts)):  # (texts, labels)
            order = np.argsort(-row, kind="stable")
            found.append(Labelled(self.labels[order[0]], {self.labels[i]: float(row[i]) for i in order}))
        return found
