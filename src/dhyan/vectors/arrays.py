"""Rows of vectors, whatever makes them: dense arrays, or sparse matrices where most numbers are zero."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SparseMatrix:
    """The numbers that are not zero, each with its row and its column, none of them twice."""

    shape: tuple[int, int]
    rows: NDArray[np.intp]  # (numbers,)
    columns: NDArray[np.intp]  # (numbers,)
    values: NDArray[np.float32]  # (numbers,)

    @property
    def T(self) -> "SparseMatrix":
        return SparseMatrix(self.shape[::-1], self.columns, self.rows, self.values)

    def __matmul__(self, other: NDArray[Any]) -> NDArray[np.float64]:
        """Times a dense matrix: (rows, columns) @ (columns, n) → (rows, n)."""
        found = np.empty((self.shape[0], other.shape[1]))
        for n, column in enumerate(other.T):
            found[:, n] = np.bincount(self.rows, self.values * column[self.columns], minlength=self.shape[0])
        return found

    def __getitem__(self, chosen: NDArray[np.intp]) -> "SparseMatrix":
        """These rows, in this order; each may come once."""
        position = np.full(self.shape[0], -1)
        position[chosen] = np.arange(len(chosen))
        kept = position[self.rows] >= 0
        return SparseMatrix(
            (len(chosen), self.shape[1]), position[self.rows[kept]], self.columns[kept], self.values[kept]
        )

    def toarray(self) -> NDArray[np.float32]:
        full = np.zeros(self.shape, dtype=np.float32)
        full[self.rows, self.columns] = self.values
        return full


Vectors = NDArray[np.float32] | SparseMatrix  # (texts, width), each row of length 1, or of zeros
Embed = Callable[[Sequence[str]], Vectors]


def dense(vectors: Vectors) -> NDArray[np.float32]:
    """Every zero written out."""
    return vectors.toarray() if isinstance(vectors, SparseMatrix) else np.asarray(vectors, dtype=np.float32)


def concatenated(parts: Sequence[Vectors]) -> Vectors:
    """Batches of rows as one; all are dense, or all are sparse."""
    sparse = [part for part in parts if isinstance(part, SparseMatrix)]
    if not sparse:
        return np.concatenate([part for part in parts if isinstance(part, np.ndarray)])
    begins = np.cumsum([0, *(part.shape[0] for part in sparse)])
    return SparseMatrix(
        (int(begins[-1]), sparse[0].shape[1]),
        np.concatenate([part.rows + begin for part, begin in zip(sparse, begins, strict=False)]),
        np.concatenate([part.columns for part in sparse]),
        np.concatenate([part.values for part in sparse]),
    )


def cosines(few: Vectors, many: Vectors) -> NDArray[Any]:
    """(few, many): the cosine of each of the first with each of the second; the first are written out."""
    return (many @ dense(few).T).T


def row_products(first: Vectors, second: Vectors) -> NDArray[np.float64]:
    """(rows,): the inner product of each row with its partner."""
    chunk = 1024  # rows of a sparse matrix that are written out at a time
    found = [np.empty(0)]
    for begin in range(0, first.shape[0], chunk):
        some = np.arange(begin, min(begin + chunk, first.shape[0]))
        found.append(np.einsum("rw,rw->r", dense(first[some]), dense(second[some]), dtype=np.float64))
    return np.concatenate(found)


def unit_rows(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Each row divided by its length; rows of zeros stay."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), dtype=np.float32)
