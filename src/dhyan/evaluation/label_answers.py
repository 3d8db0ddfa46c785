"""What a classifier says against what the test rows say: one label, several, or a number; of texts or of pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dhyan.core.label_metrics import number_scores, several_label_scores
from dhyan.core.metrics import label_scores
from dhyan.core.progress import Progress
from dhyan.data.corpus import Row, read_rows
from dhyan.data.labels import LABEL, only_label, only_number, split_labels
from dhyan.data.text_pairs import FIRST, SECOND, pair_columns
from dhyan.evaluation.test_data import TestData, refuse_unseen_labels
from dhyan.vectors.answers import Labelled
from dhyan.vectors.classifier import Classifier

LABELLED_AT_ONCE = 256  # texts between two reports of the progress


def score_labels(classifier: Classifier, data: TestData, progress: Progress) -> dict[str, Any]:
    """Accuracy and F1; of several labels F1 and exact matches; of numbers correlations and errors."""
    columns = pair_columns(data.files, data.columns) if classifier.reads_pairs else data.columns
    rows = list(read_rows(data.files, (LABEL, FIRST, *([SECOND] if classifier.reads_pairs else [])), columns))
    if classifier.label_kind == "number":
        numbers = [only_number(row) for row in rows]
        found = _classified(classifier, rows, progress)
        scores: dict[str, Any] = number_scores([one.value or 0.0 for one in found], numbers)
    elif classifier.label_kind == "several":
        separator = classifier.pack.manifest.label_separator
        several = [split_labels(row.columns[0], separator) for row in rows]
        for row, labels in zip(rows, several, strict=True):
            refuse_unseen_labels([row] * len(labels), labels, classifier.labels)
        found = _classified(classifier, rows, progress)
        said, right = (_table(labels, classifier.labels) for labels in ([one.labels for one in found], several))
        scores = several_label_scores(said, right, classifier.labels)
    else:
        wanted = [only_label(row) for row in rows]
        refuse_unseen_labels(rows, wanted, classifier.labels)
        found = _classified(classifier, rows, progress)
        number = {label: index for index, label in enumerate(classifier.labels)}
        scores = label_scores(
            [number[one.label] for one in found], [number[label] for label in wanted], classifier.labels
        )
    return {"rows": len(rows), **scores, "outputs": [one.said for one in found]}


def _classified(classifier: Classifier, rows: Sequence[Row], progress: Progress) -> list[Labelled]:
    found: list[Labelled] = []
    with progress.working("classifying", len(rows)) as update:
        for begin in range(0, len(rows), LABELLED_AT_ONCE):
            some = [row.columns[1:] for row in rows[begin : begin + LABELLED_AT_ONCE]]
            if classifier.reads_pairs:
                found += classifier.classify([(first, second) for first, second in some])
            else:
                found += classifier.classify([text for (text,) in some])
            update(len(found))
    return found


def _table(rows: Sequence[Sequence[str]], labels: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """(rows, labels): which hold."""
    return np.array([[label in row for label in labels] for row in rows], dtype=bool).reshape(len(rows), len(labels))
