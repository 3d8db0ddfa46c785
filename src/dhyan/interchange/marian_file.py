"""Weights as Marian itself stores them: `.npz`, or the `.bin` of Bergamot and Firefox, whose matrices may be int8.

How a model of these numbers computes, as checked with a real one (`x` is a row):

- Every matrix is (inputs, outputs): y = x W + b. Biases and norms are (1, outputs).
- An embedding `Wemb` is (vocabulary, d). Tied, it is also the output: x Wembᵀ + `decoder_ff_logit_out_b`.
- Embeddings are multiplied by √d. Positions are added: position · 10000^(−i / (d/2 − 1)) for i < d/2, all the sines
  first, then all the cosines.
- The decoder starts without a token: its first embedding is zero, plus position 0; the token that it writes there is
  read at position 1. The source ends with `</s>`, id 0; `<unk>` is 1.
- The norm's epsilon is 1e-6.
- An SSRU (`dec-cell: ssru`) stands where self-attention would: f = σ(x Wf + bf), c = f · c_before + (1 − f) · x W,
  with c_before = 0 at the start, and relu(c) is what it adds to x.
"""

import math
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import yaml
from numpy.lib import format as npy

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.byte_reader import ByteReader
from dhyan.interchange.lazy_tensors import Array, LazyTensors, Shape, broken_file, checked_shape, mapped

SETTINGS = "special:model.yml"
ACTIVATION_SCALE = (
    "_QuantMultA"  # what int8 arithmetic multiplies its inputs by: float32 arithmetic has no use for it
)
VERSION = 1  # of .bin
MAX_HEAD_BYTES, MOST_TENSORS = 8_000_000, 50_000
MAX_SETTINGS_BYTES, MAX_SETTINGS_DEPTH = 100_000, 10  # real ones have 1 to 10 kB

# Marian's numbers of types → NumPy's names.
INT8, FLOAT32, FLOAT16, INTGEMM8 = 0x0101, 0x0404, 0x0402, 0x4101
KINDS = {INT8: "<i1", FLOAT32: "<f4", FLOAT16: "<f2", INTGEMM8: "<i1"}


@dataclass(frozen=True)
class MarianFile:
    path: Path
    settings: dict[str, Any]  # as in Marian's own YAML: dim-emb, enc-depth, transformer-heads, …
    tensors: Mapping[str, Array]


@dataclass(frozen=True)
class _Entry:
    kind: str
    shape: Shape
    offset: int
    is_quantized: bool = False


def open_marian(path: Path) -> MarianFile:
    """Settings, names and shapes are read now, each tensor when it is asked for."""
    if not path.is_file():
        raise DhyanError(f"{path}: there is no such file; name a model of Marian, .npz or .bin.")
    try:
        entries = dict(_npz_entries(path) if path.suffix == ".npz" else _bin_entries(path))
        settings = _settings(path, entries)
    except DhyanError:
        raise
    except Exception as error:  # zip files, NumPy's headers and YAML fail in a dozen ways each
        raise broken_file(path, "Marian", str(error) if type(error) is ValueError else "") from None
    shapes = {
        name: entry.shape
        for name, entry in entries.items()
        if name != SETTINGS and not name.endswith(ACTIVATION_SCALE)
    }
    return MarianFile(path, settings, LazyTensors(path, shapes, lambda name: _read(path, name, entries[name])))


def _settings(path: Path, entries: Mapping[str, _Entry]) -> dict[str, Any]:
    entry = entries.get(SETTINGS)
    count = math.prod(entry.shape) if entry else 0
    if entry is None or entry.kind[1:] != "i1" or count > MAX_SETTINGS_BYTES:
        raise ValueError(f"it has no {SETTINGS}")
    return parse_plain_yaml(mapped(path, entry.kind, entry.offset, count).tobytes().rstrip(b"\0").decode("utf-8"))


def parse_plain_yaml(text: str) -> dict[str, Any]:
    """YAML without aliases, by which a few lines can stand for a billion, and without depth, which takes long."""
    depth = 0
    for event in yaml.parse(text):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_SETTINGS_DEPTH or isinstance(event, yaml.AliasEvent):
            raise ValueError("its YAML is nested too deep, or has aliases")
    found = yaml.safe_load(text)
    if not isinstance(found, dict):
        raise ValueError("its YAML has no keys")
    return found


def _read(path: Path, name: str, entry: _Entry) -> Array:
    """int8: numbers / multiplier, the multiplier being the float32 behind them.

    Matrices lie transposed, column by column, which is how the products of int8 want them; the shape is that of the
    matrix. Only an embedding lies row by row, since the output's product takes it transposed anyway.
    """
    count = math.prod(entry.shape)
    numbers = mapped(path, entry.kind, entry.offset, count)
    if not entry.is_quantized:
        return numbers.astype(np.float32, copy=False).reshape(entry.shape)
    multiplier = mapped(path, "<f4", entry.offset + count, 1)[0]
    if not (np.isfinite(multiplier) and multiplier > 0):
        raise broken_file(path, "Marian", f"the scale of {name} is no positive number")
    floats = numbers.astype(np.float32) / np.float32(multiplier)
    if name.endswith("Wemb"):
        return floats.reshape(entry.shape)
    return np.ascontiguousarray(floats.reshape(entry.shape[::-1]).T)


# -- .bin ----------------------------------------------------------------------------------------------------------


def begins_as_marian(path: Path) -> bool:
    """Many programs call their files .bin."""
    with path.open("rb") as file:
        return file.read(8) == VERSION.to_bytes(8, "little")


def _bin_entries(path: Path) -> Iterator[tuple[str, _Entry]]:
    """version, count; per tensor four lengths; the names; the shapes; padding; the numbers."""
    size = path.stat().st_size
    head = ByteReader(path, MAX_HEAD_BYTES)
    version, count = head.numbers("<u8", 2)
    if version != VERSION or count > MOST_TENSORS:
        raise ValueError("it does not begin as one does")
    heads = [head.numbers("<u8", 4) for _ in range(count)]  # of the name, type, axes, bytes
    names = [head.text(length).rstrip("\0") for length, _, _, _ in heads]
    shapes = [checked_shape(head.numbers("<i4", axes)) for _, _, axes, _ in heads]
    offset = head.number("<u8") + head.position
    if len(set(names)) < count:
        raise ValueError("a name stands in it twice")
    for name, shape, (_, kind, _, length) in zip(names, shapes, heads, strict=True):
        if offset + length > size:
            raise ValueError("it ends too early")
        if not name.endswith(ACTIVATION_SCALE):
            if kind not in KINDS:
                raise DhyanError(
                    f"{path}: {shortened(name)} is stored as type {kind:#06x}, for one kind of processor; take the"
                    " model as float32, or as intgemm8 for every processor."
                )
            needed = math.prod(shape) * np.dtype(KINDS[kind]).itemsize + (4 if kind == INTGEMM8 else 0)
            if needed > length or (kind == INTGEMM8 and len(shape) != 2):
                raise ValueError(f"{name} has not as many numbers as its shape")
            yield name, _Entry(KINDS[kind], shape, offset, kind == INTGEMM8)
        offset += length


# -- .npz ----------------------------------------------------------------------------------------------------------


def _npz_entries(path: Path) -> Iterator[tuple[str, _Entry]]:
    """A zip file of NumPy's files. Marian does not compress them, so they are mapped where they lie."""
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    with path.open("rb") as file:
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
                raise DhyanError(f"{path} is compressed or encrypted; save it as Marian does, with numpy.savez.")
            file.seek(member.header_offset)
            name_length, extra_length = struct.unpack("<26xHH", file.read(30))
            file.seek(name_length + extra_length, 1)
            lengths, is_by_column, kind = _npy_header(file)
            shape, offset = checked_shape(lengths), file.tell()
            if is_by_column or kind.str not in ("<f4", "<f2", "<f8", "|i1", "|u1"):
                raise ValueError(f"{member.filename} holds something else than weights")
            if math.prod(shape) * kind.itemsize > size - offset:
                raise ValueError("it ends too early")
            yield member.filename.removesuffix(".npy"), _Entry(kind.str, shape, offset)


def _npy_header(file: BinaryIO) -> tuple[Any, bool, np.dtype[Any]]:
    version: tuple[int, int] = npy.read_magic(file)  # type: ignore[no-untyped-call]
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_by_column, kind = read(file)  # type: ignore[no-untyped-call]
    return shape, is_by_column, kind
