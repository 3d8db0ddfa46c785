"""Weights as bytes: float32, bfloat16, or int8 with one scale per row, in a safetensors file."""

import json
import struct
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors
from numpy.typing import NDArray

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError

Storage = Literal["float32", "bfloat16", "int8"]
Weights = dict[str, NDArray[np.float32]]

# How safetensors calls the kinds of numbers that a pack may hold; NumPy knows no bfloat16.
NUMBERS = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "I8": np.int8, "BF16": np.uint16}
MAX_HEADER_BYTES = 16_000_000  # of names and shapes: a thousand layers take 4 MB
SCALE = ".scale"  # enc.0.self.W_Q is stored beside enc.0.self.W_Q.scale


def save_weights(
    path: Path, weights: Mapping[str, NDArray[np.float32]], storage: Storage, matrices: Collection[str] = ()
) -> None:
    """matrices: the names that int8 applies to; biases and norms are few and matter much, so they stay float32."""
    tensors: dict[str, tuple[str, NDArray[Any]]] = {}  # name → kind of number, array
    for name, array in weights.items():
        array = np.ascontiguousarray(array, dtype=np.float32)
        if storage == "bfloat16":
            tensors[name] = ("BF16", to_bfloat16(array))
        elif storage == "int8" and name in matrices:
            numbers, scale = quantize(name, array)
            tensors[name] = ("I8", numbers)
            tensors[name + SCALE] = ("F32", scale)
        else:
            tensors[name] = ("F32", array)
    write_atomic(path, to_safetensors(tensors))


def stored_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Every weight's name and shape, out of the header alone: what is wrong shows before any number is read.

    The library checks that the shapes account for every byte of the file.
    """
    try:
        with path.open("rb") as file:
            header_bytes = int.from_bytes(file.read(8), "little")
        if header_bytes > MAX_HEADER_BYTES:
            raise ValueError
        safe_open: Any = safetensors.safe_open  # typed in some releases only
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
            stored = {name: (part.get_dtype(), tuple(part.get_shape())) for name, part in slices.items()}
    except (OSError, ValueError, safetensors.SafetensorError):
        raise _incomplete(path) from None
    for name, (kind, shape) in stored.items():
        if kind not in NUMBERS:
            raise DhyanError(f"{path}: {name} is stored as {kind}; a pack holds float32, bfloat16 or int8.")
        if kind == "I8" and stored.get(name + SCALE) != ("F32", scale_shape(name, shape)):
            raise DhyanError(f"{path}: {name} is int8 without a scale per row; copy the pack again.")
    return {name: shape for name, (_, shape) in sorted(stored.items()) if not name.endswith(SCALE)}


def load_weights(path: Path) -> Weights:
    """Every weight as float32, whatever it was stored as."""
    names = stored_shapes(path)
    try:
        entries = dict(safetensors.deserialize(path.read_bytes()))  # type: ignore[no-untyped-call]
    except (OSError, safetensors.SafetensorError):
        raise _incomplete(path) from None
    weights = {}
    for name in names:
        array = _array(entries[name])
        if array.dtype == np.int8:
            array = dequantize(array, _array(entries[name + SCALE]))
        weights[name] = array.astype(np.float32, copy=False)
    return weights


def _incomplete(path: Path) -> DhyanError:
    return DhyanError(f"{path} is not a whole safetensors file; copy the pack again or train it again.")


def quantize(name: str, array: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """int8 numbers and one scale for each output of the matrix: numbers · scale ≈ array.

    The scale keeps its axes at length 1, so that multiplying restores the weight without knowing what it is.
    """
    axes = _summed_axes(name, array.ndim)
    scale = (np.abs(array).max(axis=axes, keepdims=True) / 127).astype(np.float32)
    scale = np.where(scale >= np.finfo(np.float32).tiny, scale, np.float32(1))  # a row of zeros has none
    return np.rint(array / scale).astype(np.int8), scale


def scale_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    summed = _summed_axes(name, len(shape))
    return tuple(1 if axis in summed else length for axis, length in enumerate(shape))


def dequantize(numbers: NDArray[np.int8], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    return numbers.astype(np.float32) * scale


def to_bfloat16(array: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The upper half of a float32, rounded to the nearest, ties to even."""
    bits = array.view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    # Rounding would carry what is not a number over into zero.
    return np.where(np.isnan(array), 0x7FC0, rounded >> 16).astype(np.uint16)


def from_bfloat16(halves: NDArray[np.uint16]) -> NDArray[np.float32]:
    return (halves.astype(np.uint32) << 16).view(np.float32)


def _summed_axes(name: str, axes: int) -> tuple[int, ...]:
    """The axes that a product sums over: all but the outputs. W_O is (d_model, heads, d_head): outputs first."""
    return tuple(range(1, axes)) if name.endswith("W_O") else (axes - 1,)


def to_safetensors(tensors: Mapping[str, tuple[str, NDArray[Any]]]) -> bytes:
    """The format itself: the header's length, the header, the numbers.

    Written here because NumPy has no bfloat16, which `safetensors.numpy.save` would need, and the library's writer of
    raw bytes takes other arguments from version to version.
    """
    header: dict[str, Any] = {}
    end = 0
    for name, (kind, array) in tensors.items():
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, end]}
    document = json.dumps(header).encode()
    document += b" " * (-len(document) % 8)  # the numbers start at a multiple of eight
    return b"".join([struct.pack("<Q", len(document)), document, *(array.tobytes() for _, array in tensors.values())])


def _array(entry: Mapping[str, Any]) -> NDArray[Any]:
    array: NDArray[Any] = np.frombuffer(entry["data"], dtype=NUMBERS[entry["dtype"]]).reshape(entry["shape"])
    return from_bfloat16(array) if entry["dtype"] == "BF16" else array
