"""One label per text: accuracy, a softmax, a confusion matrix."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.metrics import label_scores
from dhyan.training.assessment.calibration import (
    Labels,
    Logits,
    Loss,
    cross_entropy,
    expected_calibration_error,
    log_softmax,
)
from dhyan.training.assessment.confusion import MOST_LABELS, confusion_matrix, confusion_picture
from dhyan.training.assessment.experts import WEIGHTED_WORDS, LabelledData, fit_expert
from dhyan.training.assessment.judges.judge import Doubt, Judge, Score, ScoresOfSome, Share
from dhyan.training.assessment.label_errors import suspects
from dhyan.vectors.arrays import SparseMatrix, Vectors
from dhyan.vectors.label_ratios import label_ratios
from dhyan.vectors.linear_fit import Fit, Linear, Targets
from dhyan.vectors.logistic_regression import ROUGHLY, LogisticRegression

CONFUSION = "confusion.svg"
NEVER = -50.0  # the logit of a label that none of the rows has
INVERSE_PENALTY = 3.0  # of weighted words, whose weights are measured in ratios above 1


class OneLabelJudge(Judge):
    scores = (Share("accuracy", "accuracy"), Score("f1", "macro F1"))
    learner = "logistic regression"
    trivial = "the most frequent label"
    doubts_title = "These may be labelled wrong"
    doubts_headers = ("label", "seems to be", "sure")

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels

    @property
    def outputs(self) -> int:
        return len(self.labels)

    def fit(self, vectors: Vectors | NDArray[np.float64], targets: Targets) -> Linear:
        return LogisticRegression(vectors, targets, self.outputs, ROUGHLY).one_each

    def experts(self, data: LabelledData) -> list[str]:
        words, *others = super().experts(data)
        return [words, WEIGHTED_WORDS, *others]

    def fit_of(self, expert: str) -> Fit:
        return self._fit_weighted if expert == WEIGHTED_WORDS else self.fit

    def _fit_weighted(self, vectors: Vectors | NDArray[np.float64], targets: Targets) -> Linear:
        """A word that tells labels apart gets its weight more cheaply (Wang and Manning, 2012)."""
        assert isinstance(vectors, SparseMatrix)
        scales = label_ratios(vectors, targets, self.outputs)
        return LogisticRegression(vectors, targets, self.outputs, ROUGHLY, scales, INVERSE_PENALTY).one_each

    def loss(self, logits: Logits, targets: Targets) -> Loss:
        return cross_entropy(logits, targets)

    def quick_logits(self, learnt: LabelledData, judged: LabelledData) -> Logits:
        """Their product. Few rows may lack some of the labels."""
        present, labels = np.unique(learnt.targets, return_inverse=True)
        found = np.full((len(judged), self.outputs), NEVER)
        if len(present) == 1:  # there is nothing to choose
            found[:, present] = 0.0
            return found
        some, fit = replace(learnt, targets=labels), OneLabelJudge([self.labels[one] for one in present]).fit
        experts = (fit_expert(name, some, fit, len(present)) for name in some.quick_names)
        found[:, present] = sum(log_softmax(expert(judged)) for expert in experts)
        return found

    def classes(self, targets: Targets) -> NDArray[np.intp]:
        return targets

    def scores_of(self, logits: Logits, targets: Targets) -> dict[str, float]:
        found = self._counted(logits, targets)
        return {score.key: found[score.key] for score in self.scores}

    def score(self, logits: Logits, targets: Targets) -> float:
        return float((logits.argmax(axis=1) == targets).mean())

    def scores_of_some(self, logits: Logits, targets: Targets) -> ScoresOfSome:
        found = logits.argmax(axis=1)
        return lambda some: (
            float((found[some] == targets[some]).mean()),
            _macro_f1(found[some], targets[some]),
        )

    def trivial_scores(self, learnt: Targets, judged: Targets) -> dict[str, float]:
        most_frequent = np.bincount(learnt, minlength=self.outputs).argmax()
        return {"accuracy": float((judged == most_frequent).mean())}

    def chance(self, logits: Logits, targets: Targets) -> float:
        best = self.score(logits, targets)
        return float(0.5 * (best * (1 - best) / len(targets)) ** 0.5)

    def calibration(self, logits: Logits, targets: Targets) -> float:
        return expected_calibration_error(logits, targets)

    def doubts(self, logits: Logits, targets: Targets) -> list[Doubt]:
        return [
            Doubt(one.row, (self.labels[one.said], self.labels[one.found], f"{one.probability:.0%}"))
            for one in suspects(log_softmax(logits), targets)
        ]

    def details(self, logits: Logits, targets: Targets) -> dict[str, Any]:
        by_label = self._counted(logits, targets)["labels"]
        rounded = {label: {key: round(value, 3) for key, value in one.items()} for label, one in by_label.items()}
        return {"labels": rounded}

    def picture(self, logits: Logits, targets: Targets) -> dict[str, str]:
        if self.outputs > MOST_LABELS:
            return {}
        counts = confusion_matrix(logits.argmax(axis=1), targets, self.outputs)
        return {CONFUSION: confusion_picture(counts, self.labels)}

    def _counted(self, logits: Logits, targets: Targets) -> dict[str, Any]:
        return label_scores(logits.argmax(axis=1).tolist(), targets.tolist(), self.labels)


def _macro_f1(found: Labels, right: Labels) -> float:
    labels = np.union1d(found, right)
    hits = np.array([((found == label) & (right == label)).sum() for label in labels])
    either = np.array([(found == label).sum() + (right == label).sum() for label in labels])
    return float((2 * hits / np.maximum(either, 1)).mean())
