"""Several labels per text, or none: each is a decision by itself, yes or no."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.label_kind import joined_labels, log_sigmoid
from dhyan.core.label_metrics import several_label_scores
from dhyan.training.assessment.calibration import Logits, Loss, binary_cross_entropy, calibration_error
from dhyan.training.assessment.judges.judge import Doubt, Judge, Score, ScoresOfSome, Share
from dhyan.training.assessment.label_errors import MOST
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Linear, Targets
from dhyan.vectors.one_vs_rest import fit_one_vs_rest


class SeveralLabelsJudge(Judge):
    """A label is said from a logit of 0 on, which is a probability of one half."""

    scores = (Score("micro_f1", "micro F1"), Score("f1", "macro F1"), Share("exact_match", "exactly right"))
    learner = "one-vs-rest logistic regression"
    trivial = "the most frequent labels together"
    curve_of = ", micro F1"
    doubts_title = "These may be labelled wrong"
    doubts_headers = ("labels", "seems to be", "sure")

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels

    @property
    def outputs(self) -> int:
        return len(self.labels)

    def fit(self, vectors: Vectors | NDArray[np.float64], targets: Targets) -> Linear:
        return fit_one_vs_rest(vectors, targets > 0)

    def loss(self, logits: Logits, targets: Targets) -> Loss:
        return binary_cross_entropy(logits, targets > 0)

    def classes(self, targets: Targets) -> NDArray[np.intp]:
        """Each row's rarest label, or a class of their own for rows without any: the rest is spread by chance."""
        rows = (targets > 0).sum(axis=0)
        rarity = np.where(targets > 0, -rows, -len(targets) - 1)
        return np.where((targets > 0).any(axis=1), rarity.argmax(axis=1), self.outputs)

    def scores_of(self, logits: Logits, targets: Targets) -> dict[str, float]:
        found = several_label_scores(logits > 0, targets > 0, self.labels)
        return {score.key: found[score.key] for score in self.scores}

    def scores_of_some(self, logits: Logits, targets: Targets) -> ScoresOfSome:
        found, right = logits > 0, targets > 0
        exact = (found == right).all(axis=1)
        hits, either = (found & right).astype(np.float32), found.astype(np.float32) + right  # (rows, labels)

        def scores(some: NDArray[np.intp]) -> tuple[float, ...]:
            times = np.bincount(some, minlength=len(exact)).astype(np.float32)  # that each row is drawn
            hit, there = 2 * (times @ hits), times @ either  # (labels,)
            known = there > 0
            micro = float(hit.sum() / there.sum()) if known.any() else 1.0
            macro = float((hit[known] / there[known]).mean()) if known.any() else 1.0
            return micro, macro, float(exact[some].mean())

        return scores

    def trivial_scores(self, learnt: Targets, judged: Targets) -> dict[str, float]:
        sets, rows = np.unique(learnt > 0, axis=0, return_counts=True)
        always = np.where(sets[rows.argmax()], 1.0, -1.0)
        return self.scores_of(np.broadcast_to(always, judged.shape), judged)

    def calibration(self, logits: Logits, targets: Targets) -> float:
        """Of every label of every text."""
        return calibration_error(np.exp(log_sigmoid(logits)).ravel(), (targets > 0).ravel())

    def doubts(self, logits: Logits, targets: Targets) -> list[Doubt]:
        holds = targets > 0
        against = np.where(holds, -logits, logits)  # log-odds that the opposite is right
        order = np.argsort(-against, axis=None, kind="stable")[:MOST]
        found = [divmod(int(one), self.outputs) for one in order]
        return [self._doubt(row, label, holds, against) for row, label in found if against[row, label] > 0]

    def _doubt(self, row: int, label: int, holds: NDArray[np.bool_], against: Logits) -> Doubt:
        said = joined_labels([name for name, there in zip(self.labels, holds[row], strict=True) if there])
        seems = f"{'not' if holds[row, label] else 'also'} {self.labels[label]}"
        return Doubt(row, (said, seems, f"{float(np.exp(log_sigmoid(against[row, label]))):.0%}"))

    def details(self, logits: Logits, targets: Targets) -> dict[str, Any]:
        by_label = several_label_scores(logits > 0, targets > 0, self.labels)["labels"]
        rounded = {label: {key: round(value, 3) for key, value in one.items()} for label, one in by_label.items()}
        return {"compared by": self.main.key, "labels": rounded}
