"""What a simple model learns of vectors: a weight for each of their numbers and each output, and a bias."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dhyan.vectors.arrays import Vectors

Targets: TypeAlias = NDArray[Any]  # (rows,) or (rows, labels): what is right, a row of it for each text


class Linear(NamedTuple):
    """output = vector · weights + bias"""

    weights: NDArray[np.float64]  # (width, outputs)
    bias: NDArray[np.float64]  # (outputs,)


Fit: TypeAlias = Callable[[Vectors | NDArray[np.float64], Targets], Linear]
