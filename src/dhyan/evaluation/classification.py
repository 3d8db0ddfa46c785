"""Labels against the right ones: accuracy and F1."""

from typing import Any

from dhyan.core.metrics import label_scores
from dhyan.core.progress import Progress
from dhyan.evaluation.test_data import TestData, refuse_unseen_labels
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.linear_probe import labelled_rows

BATCH = 256  # texts between two reports of the progress


def score_labels(classifier: Classifier, data: TestData, progress: Progress) -> dict[str, Any]:
    rows, right = labelled_rows(data.files, data.columns)
    refuse_unseen_labels(rows, right, classifier.labels)
    texts = [row.columns[1] for row in rows]
    outputs: list[str] = []
    with progress.working("classifying", len(texts)) as update:
        for begin in range(0, len(texts), BATCH):
            outputs += classifier(texts[begin : begin + BATCH])
            update(len(outputs))
    number = {label: index for index, label in enumerate(classifier.labels)}
    found, wanted = ([number[label] for label in labels] for labels in (outputs, right))
    return {"rows": len(rows), **label_scores(found, wanted, classifier.labels), "outputs": outputs}
