"""Which sense is nearest: by the means of the known vectors, or by the votes of neighbours."""

import numpy as np
import pytest

from dhyan.evaluation.word_senses import nearest_sense
from dhyan.vectors.arrays import SparseMatrix


def at(*degrees):
    """Vectors of length 1 that point there."""
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


KNOWN = at(0, 5, 100, 60)  # the first sense lies on both sides of the second
SENSES = np.array([0, 0, 0, 1])


def sparse(array):
    rows, columns = np.nonzero(array)
    return SparseMatrix(array.shape, rows, columns, array[rows, columns])


@pytest.mark.parametrize("kind", [np.asarray, sparse])
@pytest.mark.parametrize(
    ("neighbours", "found"),
    [
        (0, [0, 1, 1]),  # the mean of the first sense points to 25°
        (1, [0, 1, 0]),
        (3, [0, 0, 0]),  # two of the three nearest, wherever one stands
        (9, [0, 0, 0]),  # more than there are: all of them
    ],
)
def test_thenearest_sense(neighbours, found, kind):
    assert nearest_sense(kind(at(2, 62, 95)), kind(KNOWN), SENSES, neighbours).tolist() == found
