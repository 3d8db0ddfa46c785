"""What a classifier says of a text: a label, several labels, or a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.label_kind import THRESHOLD, LabelKind, joined_labels, label_probabilities, number_as_text


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text's most probable label, and the probability of each label, the most probable first.

    Of a classifier of several labels, `labels` are those that hold, the most probable first; their probabilities do
    not sum to 1, and `label` is the first of them, or empty. Of numbers there is only `value`.
    """

    label: str
    probabilities: dict[str, float]
    labels: tuple[str, ...] = ()
    value: float | None = None

    @property
    def said(self) -> str:
        """The answer as a text for a person."""
        return self.label if self.value is not None else joined_labels(self.labels)


def labelled(labels: Sequence[str], probabilities: NDArray[Any]) -> Labelled:
    """One label. probabilities: (labels,)"""
    found = _by_probability(labels, probabilities)
    best = next(iter(found))
    return Labelled(best, found, (best,))


def with_several_labels(labels: Sequence[str], probabilities: NDArray[Any]) -> Labelled:
    """probabilities: (labels,), each by itself."""
    found = _by_probability(labels, probabilities)
    hold = tuple(label for label, probability in found.items() if probability >= THRESHOLD)
    return Labelled(hold[0] if hold else "", found, hold)


def with_number(value: float) -> Labelled:
    return Labelled(number_as_text(value), {}, value=value)


def answers(kind: LabelKind, labels: Sequence[str], logits: NDArray[Any]) -> list[Labelled]:
    """One per text. logits: (texts, labels)"""
    if kind == "number":
        return [with_number(float(row[0])) for row in logits]
    answer = with_several_labels if kind == "several" else labelled
    return [answer(labels, row) for row in label_probabilities(logits, kind)]


def _by_probability(labels: Sequence[str], probabilities: NDArray[Any]) -> dict[str, float]:
    order = np.argsort(-probabilities, kind="stable")
    return {labels[i]: float(probabilities[i]) for i in order}
