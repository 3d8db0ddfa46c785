"""Numbers that were said against those that are right, as a picture: on the diagonal they are the same."""

import io

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 2_000  # more make a blot, and a large file


def scatter_picture(said: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    """SVG. said, right: (rows,)."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    some = np.random.default_rng(0).permutation(len(said))[:MOST_POINTS]
    figure, axes = pyplot.subplots(figsize=(5, 5), layout="constrained")
    axes.plot(right[some], said[some], ".", alpha=0.5, markersize=5)
    axes.axline((float(right.mean()), float(right.mean())), slope=1, color="grey", linewidth=1)
    axes.set_xlabel("right")
    axes.set_ylabel("said")
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return drawn.getvalue()
