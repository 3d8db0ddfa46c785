"""Tensors of a file by name: names and shapes are known at once, the numbers are read when they are asked for."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dhyan.core.errors import DhyanError, did_you_mean, shortened

Array = NDArray[np.float32]
Shape = tuple[int, ...]

MOST_AXES = 8
MOST_NUMBERS = 1 << 50  # in one tensor: far above any, and far below what overflows


class MissingTensorError(DhyanError, KeyError):
    """Both: the user reads a sentence, and `get` and `in` work as with every mapping."""

    __str__ = Exception.__str__  # that of a KeyError puts the sentence in quotes


@dataclass(frozen=True, eq=False)
class LazyTensors(Mapping[str, Array]):
    """name → float32 array, read anew at each question: nothing is kept but what the caller keeps."""

    source: Path
    shapes: Mapping[str, Shape]
    read: Callable[[str], Array]
    no_floats: Mapping[str, str] = field(default_factory=dict)  # name → kind of number: counters, masks, int4 weights

    def __getitem__(self, name: str) -> Array:
        if name in self.no_floats:
            raise MissingTensorError(
                f"{self.source}: {shortened(name)} is stored as {shortened(self.no_floats[name])}; take a copy of the"
                " model whose weights are float32, float16 or bfloat16."
            )
        if name not in self.shapes:
            raise MissingTensorError(
                f"{self.source} has no tensor {shortened(name)}{did_you_mean(name, self.shapes)};"
                " it is incomplete, or of another kind than its settings say."
            )
        return self.read(name)

    def __contains__(self, name: object) -> bool:
        return name in self.shapes

    def __iter__(self) -> Iterator[str]:
        return iter(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)


def checked_shape(lengths: Any) -> Shape:
    """A shape out of a file; ValueError if it is none, or absurd."""
    shape = tuple(lengths)
    if len(shape) > MOST_AXES or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("a shape is not a few lengths")
    if math.prod(shape) > MOST_NUMBERS:
        raise ValueError("a shape is too large")
    return shape


def mapped(path: Path, kind: DTypeLike, offset: int, count: int) -> NDArray[Any]:
    """Numbers of a file, memory-mapped: what is not looked at is not read."""
    if not count:
        return np.empty(0, kind)  # the system maps no empty range
    try:
        return np.asarray(np.memmap(path, kind, "r", offset, (count,)))
    except (OSError, ValueError):
        raise broken_file(path, "weight") from None


def broken_file(path: Path, kind: str, why: str = "") -> DhyanError:
    """The one sentence about a file that is damaged, cut off or something else altogether."""
    if _is_pointer(path):
        return DhyanError(f"{path} only points to the file, which was not fetched: run `git lfs pull` in its folder.")
    reason = f" ({shortened(why)})" if why else ""
    return DhyanError(f"{path} is not a whole {kind} file{reason}; copy or download it again.")


def _is_pointer(path: Path) -> bool:
    """What `git clone` leaves in the place of a large file."""
    try:
        with path.open("rb") as file:
            return file.read(24) == b"version https://git-lfs."
    except OSError:
        return False
