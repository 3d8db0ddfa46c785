"""Which sense is nearest: by the means of the known vectors, or by the votes of neighbours."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from dhyan.evaluation.vectors import _nearest_sense


def at(*degrees):
    """Vectors of length 1 that point there."""
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


KNOWN = at(0, 5, 100, 60)  # the first sense lies on both sides of the second
OWNERS = np.array([0, 0, 0, 1])


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize(
    ("neighbours", "found"),
    [
        (0, [0, 1, 1]),  # the mean of the first sense points to 25°
        (1, [0, 1, 0]),
        (3, [0, 0, 0]),  # two of the three nearest, wherever one stands
        (9, [0, 0, 0]),  # more than there are: all of them
    ],
)
def test_the_nearest_sense(neighbours, found, kind):
    assert _nearest_sense(kind(at(2, 62, 95)), kind(KNOWN), OWNERS, neighbours).tolist() == found
