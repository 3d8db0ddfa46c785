"""The keys and values that a decoder has computed already, for the NumPy model."""

import numpy as np
from numpy.typing import NDArray

from dhyan.explain.formulas import Array


class KeyValueCache:
    """Keys and values of the positions that a decoder has gone through: a step adds one, the rest are known."""

    def __init__(self) -> None:
        self.length = 0
        self.parts: dict[str, tuple[Array, Array]] = {}  # part → (…, heads, positions, d_head) twice

    def select(self, rows: NDArray[np.intp]) -> None:
        """Follow the hypotheses that live on: row i of the batch becomes what row rows[i] was."""
        for part, (key, value) in self.parts.items():
            if not part.endswith(".cross"):  # what comes from the source is the same for all
                self.parts[part] = key[rows], value[rows]
