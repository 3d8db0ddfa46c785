"""What one label, several and a number differ in: how they are learnt, when an answer is good, what to say of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dhyan.training.assessment.bootstrap import STANDARD_ERRORS, Interval, intervals
from dhyan.training.assessment.calibration import Logits, Loss, fit_scales
from dhyan.training.assessment.experts import PROBE, WORD_PAIRS, WORDS, LabelledData, fit_expert
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.linear_fit import Fit, Linear, Targets

ScoresOfSome = Callable[[NDArray[np.intp]], Sequence[float]]  # row numbers → the scores of these rows
FOR_A_CHOICE = 200  # samples: enough to tell a difference from chance


@dataclass(frozen=True)
class Score:
    """One of a judge's scores; more is better, but for an error."""

    key: str  # in pack.json
    name: str  # for a person

    def shown(self, value: float) -> str:
        return f"{value:.3f}"

    def range(self, found: Interval) -> str:
        return f"{self.shown(found.low)} to {self.shown(found.high)}"

    def rounded(self, value: float) -> float:
        return round(value, 4)


@dataclass(frozen=True)
class Share(Score):
    """A score of which a person thinks in per cent."""

    def shown(self, value: float) -> str:
        return f"{value:.1%}"

    def range(self, found: Interval) -> str:
        return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"


@dataclass(frozen=True)
class Amount(Score):
    """In the unit of the user's own numbers, whatever their size."""

    def shown(self, value: float) -> str:
        return f"{value:.4g}"

    def rounded(self, value: float) -> float:
        return float(f"{value:.4g}")


@dataclass(frozen=True)
class Doubt:
    """A row whose label, or number, may be wrong; and what the table says of it, in front of its text."""

    row: int
    cells: tuple[str, ...]


class Judge(ABC):
    """logits: (rows, outputs), as a model gives them. targets: (rows,) or (rows, labels), as training has them."""

    scores: ClassVar[tuple[Score, ...]]  # the first decides
    learner: ClassVar[str]  # that simple models are
    trivial: ClassVar[str]  # an answer that needs no model
    curve_of: ClassVar[str] = ""  # what the learning curve counts, where that does not go without saying
    doubts_title: ClassVar[str]
    doubts_headers: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def outputs(self) -> int: ...

    @property
    def main(self) -> Score:
        return self.scores[0]

    # -- how it is learnt ------------------------------------------------------------------------------------

    def experts(self, data: LabelledData) -> list[str]:
        """The simple models that can be fitted to it."""
        return [WORDS, WORD_PAIRS, *([] if data.vectors is None else [PROBE])]

    def fit_of(self, expert: str) -> Fit:
        """How this one is fitted."""
        return self.fit

    @abstractmethod
    def fit(self, vectors: Vectors | NDArray[np.float64], targets: Targets) -> Linear: ...

    @abstractmethod
    def loss(self, logits: Logits, targets: Targets) -> Loss: ...

    def fit_scales(self, experts: Sequence[Logits], targets: Targets) -> NDArray[np.float64]:
        return fit_scales(experts, partial(self.loss, targets=targets))

    def quick_logits(self, learnt: LabelledData, judged: LabelledData) -> Logits:
        """Of the quick ones among the simple models, together."""
        found = [fit_expert(name, learnt, self.fit, self.outputs)(judged) for name in learnt.quick_names]
        return np.asarray(np.mean(found, axis=0))

    @abstractmethod
    def classes(self, targets: Targets) -> NDArray[np.intp]:
        """(rows,): what folds are to have as much of as each other."""

    # -- how good it is --------------------------------------------------------------------------------------

    @abstractmethod
    def scores_of(self, logits: Logits, targets: Targets) -> dict[str, float]:
        """By their keys."""

    @abstractmethod
    def scores_of_some(self, logits: Logits, targets: Targets) -> ScoresOfSome:
        """The same in the order of `scores`, for many samples of the rows."""

    @abstractmethod
    def trivial_scores(self, learnt: Targets, judged: Targets) -> dict[str, float]:
        """Of the trivial answer, as far as they say anything."""

    def score(self, logits: Logits, targets: Targets) -> float:
        """The one that decides."""
        return self.scores_of(logits, targets)[self.main.key]

    def chance(self, logits: Logits, targets: Targets) -> float:
        """Half a standard error of the score: what is less apart may be luck."""
        found = intervals(self.scores_of_some(logits, targets), len(targets), FOR_A_CHOICE)[0]
        return (found.high - found.low) / STANDARD_ERRORS / 2

    def calibration(self, logits: Logits, targets: Targets) -> float | None:
        """The expected calibration error, where there are probabilities."""
        return None

    # -- what is said of it ----------------------------------------------------------------------------------

    @abstractmethod
    def doubts(self, logits: Logits, targets: Targets) -> list[Doubt]:
        """Rows whose target may be wrong, the surest first. logits: by models that have not learnt from the row."""

    def details(self, logits: Logits, targets: Targets) -> dict[str, Any]:
        """More for pack.json."""
        return {}

    def picture(self, logits: Logits, targets: Targets) -> dict[str, str]:
        """Name of a file → SVG, where there is something to see."""
        return {}
