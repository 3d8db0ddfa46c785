"""A classifier's answer in numbers: its probabilities, and what is measured when something changes."""

from collections.abc import Mapping

import numpy as np

from dhyan.core.label_kind import THRESHOLD, LabelKind, joined_labels, log_sigmoid, number_as_text
from dhyan.explain.formulas import Array, log_softmax, sigmoid, softmax

NUMBER, PROBS = "cls.number", "cls.probs"


def answer_address(kind: LabelKind) -> str:
    """Where the answer stands. A number has no probability."""
    return NUMBER if kind == "number" else PROBS


def label_answer(kind: LabelKind, logits: Array) -> Array:
    """(…, labels) → (…, labels): probabilities, or the number."""
    if kind == "number":
        return logits
    return sigmoid(logits) if kind == "several" else softmax(logits)


def label_scores(kind: LabelKind, logits: Array) -> Array:
    """(…, labels): what a change is measured in: log-probabilities, or the number."""
    if kind == "number":
        return logits
    return log_sigmoid(logits) if kind == "several" else log_softmax(logits)


def measure_of(kind: LabelKind) -> str:
    return "number" if kind == "number" else "log-probability"


def said_of(kind: LabelKind, found: Mapping[str, float]) -> str:
    """The answer as a text. found: label → probability, or the number."""
    if kind == "number":
        return number_as_text(next(iter(found.values())))
    if kind == "several":
        ordered = sorted(found, key=lambda label: -found[label])
        return joined_labels([label for label in ordered if found[label] >= THRESHOLD])
    return max(found, key=lambda label: found[label])


def answer_likelihood(kind: LabelKind, own: Array, changed: Array) -> Array:
    """(…): how much changed logits still say what was said; of a number, how near they are to it.

    own: (labels,). changed: (…, labels).
    """
    if kind == "number":
        return np.asarray(-np.abs(changed[..., 0] - own[0]))
    if kind == "several":  # each label as it was, said or not
        return np.asarray(log_sigmoid(np.where(own > 0, changed, -changed)).sum(axis=-1))
    return np.asarray(log_softmax(changed)[..., int(own.argmax())])
