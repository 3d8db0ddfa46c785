"""A number per text: how far what is said lies from it, and how much of its differences is told."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.label_kind import number_as_text
from dhyan.core.label_metrics import number_scores
from dhyan.pack.manifest import NumberScale
from dhyan.training.assessment.calibration import Logits, Loss, squared_error
from dhyan.training.assessment.judges.judge import Amount, Doubt, Judge, Score, ScoresOfSome
from dhyan.training.assessment.label_errors import MOST
from dhyan.training.assessment.scatter import scatter_picture
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Linear, Targets
from dhyan.vectors.ridge_regression import fit_ridge

SCATTER = "scatter.svg"
TOO_FAR = 5.0  # typical errors; of 10,000 that are spread as a bell, seven are as large


class NumberJudge(Judge):
    """What is learnt, in standard deviations from the mean, is judged in the user's own unit."""

    scores = (Score("r2", "R²"), Amount("mae", "mean absolute error"),
              Score("pearson", "Pearson"), Score("spearman", "Spearman"))  # fmt: skip
    learner = "ridge regression"
    trivial = "the mean"
    curve_of = ", R²"
    doubts_title = "These may have a wrong number"
    doubts_headers = ("number", "seems to be", "typical errors apart")

    def __init__(self, scale: NumberScale) -> None:
        self.scale = scale

    @property
    def outputs(self) -> int:
        return 1

    def fit(self, vectors: Vectors | NDArray[np.float64], targets: Targets) -> Linear:
        return fit_ridge(vectors, targets.astype(np.float64))

    def loss(self, logits: Logits, targets: Targets) -> Loss:
        return squared_error(logits, targets.astype(np.float64))

    def classes(self, targets: Targets) -> NDArray[np.intp]:
        """Numbers that are next to each other, twenty and twenty."""
        ranks = np.empty(len(targets), dtype=np.intp)
        ranks[np.argsort(targets, kind="stable")] = np.arange(len(targets))
        return ranks // 20

    def scores_of(self, logits: Logits, targets: Targets) -> dict[str, float]:
        return number_scores(*self._in_users_unit(logits, targets))

    def scores_of_some(self, logits: Logits, targets: Targets) -> ScoresOfSome:
        said, right = self._in_users_unit(logits, targets)

        def scores(some: NDArray[np.intp]) -> list[float]:
            found = number_scores(said[some], right[some])
            return [found[score.key] for score in self.scores]

        return scores

    def trivial_scores(self, learnt: Targets, judged: Targets) -> dict[str, float]:
        found = self.scores_of(np.full((len(judged), 1), learnt.mean(dtype=np.float64)), judged)
        return {key: found[key] for key in ("r2", "mae")}  # what never varies has no correlation

    def doubts(self, logits: Logits, targets: Targets) -> list[Doubt]:
        """A typical error: half of the rows have a larger one."""
        said, right = self._in_users_unit(logits, targets)
        error = np.abs(said - right)
        apart = error / max(float(np.median(error)), 1e-6 * self.scale.spread)
        order = [int(row) for row in np.argsort(-apart, kind="stable")[:MOST] if apart[row] >= TOO_FAR]
        return [Doubt(row, (*map(number_as_text, (right[row], said[row])), f"{apart[row]:.1f}")) for row in order]

    def details(self, logits: Logits, targets: Targets) -> dict[str, Any]:
        return {"compared by": self.main.key}

    def picture(self, logits: Logits, targets: Targets) -> dict[str, str]:
        return {SCATTER: scatter_picture(*self._in_users_unit(logits, targets))}

    def _in_users_unit(self, logits: Logits, targets: Targets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(rows,) and (rows,): what is said, and what is right."""
        mean, spread = self.scale.mean, self.scale.spread
        return logits[:, 0] * spread + mean, targets.astype(np.float64) * spread + mean
