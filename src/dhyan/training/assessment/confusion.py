"""The confusion matrix as a picture: which label is taken for which."""

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_LABELS = 60  # above that nobody can read it
MOST_CHARACTERS = 24


def confusion_matrix(found: NDArray[np.intp], right: NDArray[np.intp], labels: int) -> NDArray[np.int64]:
    """(labels, labels): rows are the true labels, columns those that were said."""
    counts = np.zeros((labels, labels), dtype=np.int64)
    np.add.at(counts, (right, found), 1)
    return counts


def confusion_picture(counts: NDArray[np.int64], labels: Sequence[str]) -> str:
    """SVG. A cell's colour is its share of the row; its number is the count."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    names = [name if len(name) <= MOST_CHARACTERS else name[: MOST_CHARACTERS - 1] + "…" for name in labels]
    size = max(3.5, 0.32 * len(names) + 1.5)
    figure, axes = pyplot.subplots(figsize=(size, size), layout="constrained")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    for row, column in np.argwhere(counts > 0):
        colour = "white" if shares[row, column] > 0.5 else "black"
        axes.text(column, row, counts[row, column], ha="center", va="center", color=colour, fontsize=7)
    axes.set_xlabel("said")
    axes.set_ylabel("true label")
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return drawn.getvalue()
