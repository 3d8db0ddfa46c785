"""Rows of vectors, whatever makes them: NumPy's arrays, or SciPy's sparse rows where most numbers are zero."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = Any  # (texts, width), each row of length 1: SciPy has no types to name the second kind by
Embed = Callable[[Sequence[str]], Vectors]


def dense(vectors: Vectors) -> NDArray[np.float32]:
    """Every zero written out."""
    return np.asarray(vectors.toarray() if is_sparse(vectors) else vectors, dtype=np.float32)


def together(parts: Sequence[Vectors]) -> Vectors:
    """Batches of rows as one."""
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy.sparse import vstack  # type: ignore[import-untyped]

    return vstack(parts, format="csr")


def is_sparse(vectors: Vectors) -> bool:
    return not isinstance(vectors, np.ndarray)
