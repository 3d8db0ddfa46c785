"""An address as a file that other programs read: JSON and CSV, with what its axes stand for."""

import csv
import io
import math
from typing import Any

import numpy as np

from dhyan.explain.axes import axes_of, by_words
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array


def labelled(
    explanation: Explanation, address: str, words: bool = False
) -> tuple[Array, list[tuple[str, list[str] | None]]]:
    """The array and, for each axis, its name and labels; by words if asked, where there are words."""
    axes = axes_of(explanation, address)
    array = by_words(explanation, address) if words else explanation[address]
    named = []
    for axis in axes:
        merged = words and axis.words is not None and axis in axes[-2:]
        labels = axis.word_labels if merged else axis.labels
        named.append((axis.name, None if labels is None else list(labels)))
    return array, named


def as_json(explanation: Explanation, address: str, words: bool = False) -> dict[str, Any]:
    """−∞, which JSON does not know, becomes null."""
    array, axes = labelled(explanation, address, words)
    return {
        "address": address,
        "text": explanation.question.text,
        "words": words,
        "shape": list(array.shape),
        "axes": [{"name": name, "labels": labels} for name, labels in axes],
        "values": _plain(array.tolist()),
    }


def as_csv(explanation: Explanation, address: str, words: bool = False) -> str:
    """A row for each row of the last two axes; axes in front of them become columns. −∞ is written -inf."""
    array, axes = labelled(explanation, address, words)
    while array.ndim < 2:
        array, axes = array[None], [("", [address]), *axes]
    names = [labels or list(map(str, range(size))) for (_, labels), size in zip(axes, array.shape, strict=True)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(name for name, _ in axes[:-1]), *names[-1]])
    for index in np.ndindex(*array.shape[:-1]):
        front = [labels[i] for labels, i in zip(names, index, strict=False)]
        writer.writerow([*front, *(f"{value:.9g}" for value in array[index].tolist())])
    return out.getvalue()


def _plain(values: Any) -> Any:
    if isinstance(values, list):
        return [_plain(one) for one in values]
    return values if math.isfinite(values) else None
