"""What a classifier says of a text: one of its labels, several of them, or a number."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

LabelKind: TypeAlias = Literal["one", "several", "number"]

THRESHOLD = 0.5  # a label of several is said from this probability on


def label_probabilities(logits: NDArray[np.floating[Any]], kind: LabelKind) -> NDArray[np.floating[Any]]:
    """(…, labels) → (…, labels): softmax, where one label takes what another loses; sigmoid, where each stands alone.

    The logit of a number is the number itself, and has none.
    """
    if kind == "number":
        raise ValueError("a number has no probability")
    if kind == "several":
        return np.asarray(np.exp(log_sigmoid(logits)))
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_sigmoid(logits: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """log(1 / (1 + exp(−x))), which overflows nowhere."""
    return np.asarray(np.minimum(logits, 0) - np.log1p(np.exp(-np.abs(logits))))


def joined_labels(labels: list[str] | tuple[str, ...]) -> str:
    """Several labels as one text for a person; a dash where none holds."""
    return ", ".join(labels) or "–"


def number_as_text(value: float) -> str:
    return f"{value:.6g}"
