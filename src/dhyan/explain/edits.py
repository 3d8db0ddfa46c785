"""The address turned round: numbers that were set by hand take the place of computed ones, and the model goes on."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain.formulas import Array
from dhyan.explain.layout import LOOKING
from dhyan.explain.trace import Trace

OPEN = sys.maxsize  # the end of an axis that goes on for as long as the text does


@dataclass(frozen=True, slots=True)
class Edit:
    """Numbers for some cells of one array. It is small and can be compared: a question is made of such things."""

    address: str  # as it was asked for
    name: str  # of the array, all heads of it
    where: tuple[tuple[int, int], ...]  # on each axis the first cell, and the one behind the last
    shape: tuple[int, ...]  # of the numbers; on each axis 1 (the same all along), or as many as there are cells
    numbers: bytes  # float32

    @property
    def value(self) -> Array:
        return np.frombuffer(self.numbers, dtype=np.float32).reshape(self.shape)

    @property
    def said(self) -> str:
        """`enc.2.output[3] = 0`"""
        value = self.value
        return f"{self.address} = {f'{value.item():.6g}' if value.size == 1 else f'{value.size} numbers'}"

    def put(self, array: Array, first_row: int = 0) -> Array:
        """The array with these numbers in it, as far as it has such cells.

        first_row: which row (of the last axis but one) the array begins with. A decoder that takes one step after
        the other computes a row at a time, and each is changed when its turn comes.
        """
        cells: list[EllipsisType | slice] = [...]
        value, shape = self.value, array.shape[-len(self.where) :]
        for axis, ((first, end), size) in enumerate(zip(self.where, shape, strict=True)):
            begins = first_row if axis == len(shape) - 2 else 0
            start, stop = max(first, begins), min(end, begins + size)
            if start >= stop:
                return array
            cells.append(slice(start - begins, stop - begins))
            if value.shape[axis] > 1:
                value = value.take(range(start - first, stop - first), axis)
        changed = array.copy(order="K")  # a matrix that lies otherwise may be multiplied with other roundings
        changed[tuple(cells)] = value
        if looks_back(self.name):  # what is yet to be written is not there when a row is computed
            queries, keys = shape[-2:]
            changed = np.where(np.arange(keys) <= first_row + np.arange(queries)[:, None], changed, array)
        if np.isneginf(value).any() and np.isneginf(changed.max(axis=-1)).any():
            raise DhyanError(f"{self.said}: then a row of {self.name} has nothing left to look at.")
        return changed


def looks_back(name: str) -> bool:
    """Whether an array says how a decoder looks at its own tokens: at itself and at what came before."""
    return name.startswith("dec.") and ".self." in name and name.rpartition(".")[2] in LOOKING


class Edits:
    """All that was set by hand in one run, by the name of the array."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._of: dict[str, list[Edit]] = {}
        for edit in edits:
            self._of.setdefault(edit.name, []).append(edit)

    def __bool__(self) -> bool:
        return bool(self._of)

    def put(self, name: str, array: Array, first_row: int = 0) -> Array:
        for edit in self._of.get(name, ()):
            array = edit.put(array, first_row)
        return array

    def of_weights(self, weights: Mapping[str, Array]) -> dict[str, Array]:
        """The learnt arrays that are changed, as they are then."""
        return {name: self.put(name, weights[name]) for name in self._of if name in weights}


class EditedTrace(Trace):
    """What a run records into: every number passes through here before the model goes on with it."""

    def __init__(self, trace: Trace, edits: Edits, first_row: int) -> None:
        super().__init__()
        self._trace, self._edits, self._first_row = trace, edits, first_row

    def record(self, name: str, array: Array) -> Array:
        return self._trace.record(name, self._edits.put(name, array, self._first_row))


def numbers_in(edits: Sequence[Edit]) -> int:
    return sum(len(edit.numbers) // 4 for edit in edits)
