"""GGUF, the file of llama.cpp: metadata and tensors of a language model, its weights mostly of 4 to 8 bits.

Where `general.architecture` is llama, the rows of `attn_q` and `attn_k` are in the order of interleaved rotary pairs
(0, 1), (2, 3), …; in transformers, a number of the same model is paired with the one half a head away.
A model without `output.weight` has tied embeddings.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.byte_reader import ByteReader
from dhyan.interchange.ggml_blocks import BLOCK_KINDS, OTHER_KINDS, BlockKind
from dhyan.interchange.lazy_tensors import Array, LazyTensors, Shape, broken_file, checked_shape, mapped

MAGIC, VERSIONS = b"GGUF", (2, 3)
MAX_HEAD_BYTES = 32_000_000  # metadata, names and shapes: a vocabulary of 260,000 pieces takes 12 MB
MOST_NESTED = 3  # arrays in arrays
NUMBERS_AT_ONCE = 1 << 22  # while they are unpacked, they take several times the space

# The file's numbers of types of metadata → NumPy's names. Texts and arrays have lengths.
SCALARS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
TEXT, ARRAY = 8, 9


@dataclass(frozen=True)
class GgufFile:
    path: Path
    metadata: dict[str, Any]  # 'general.architecture', 'llama.block_count', 'tokenizer.ggml.tokens', …
    tensors: Mapping[str, Array]


@dataclass(frozen=True)
class _Entry:
    kind: BlockKind
    shape: Shape
    offset: int

    @property
    def blocks(self) -> int:
        return math.prod(self.shape) // self.kind.numbers


def open_gguf(path: Path) -> GgufFile:
    """Metadata, names and shapes are read now, each tensor when it is asked for.

    Shapes are NumPy's: the file has its axes in the other order, fastest first. A matrix is (outputs, inputs) here.
    """
    if not path.is_file():
        raise DhyanError(f"{path}: there is no such file; name a .gguf file.")
    try:
        metadata, entries = _read_head(path)
    except (OSError, ValueError) as error:
        raise broken_file(path, "GGUF", str(error)) from None
    shapes = {name: entry.shape for name, entry in entries.items()}
    return GgufFile(path, metadata, LazyTensors(path, shapes, lambda name: _read(path, entries[name])))


def _read_head(path: Path) -> tuple[dict[str, Any], dict[str, _Entry]]:
    size = path.stat().st_size
    head = ByteReader(path, MAX_HEAD_BYTES)
    if head.take(4) != MAGIC:
        raise ValueError("it does not begin with GGUF")
    version = head.number("<u4")
    if version not in VERSIONS:
        raise DhyanError(
            f"{path} is GGUF of version {version}, or of another byte order; Dhyan reads versions 2 and 3."
        )
    tensor_count, value_count = head.numbers("<u8", 2)
    metadata: dict[str, Any] = {}
    for _ in range(value_count):
        key = _text(head)
        if key in metadata:
            raise ValueError(f"{key} stands in it twice")
        metadata[key] = _value(head, head.number("<u4"))
    entries: dict[str, _Entry] = {}
    for _ in range(tensor_count):
        name = _text(head)
        if name in entries:
            raise ValueError(f"{name} stands in it twice")
        entries[name] = _entry(path, head, name)
    alignment = metadata.get("general.alignment", 32)
    if type(alignment) is not int or not 0 < alignment <= 1 << 20:
        raise ValueError("its alignment is absurd")
    start = math.ceil(head.position / alignment) * alignment
    placed = {name: _Entry(entry.kind, entry.shape, start + entry.offset) for name, entry in entries.items()}
    for name, entry in placed.items():
        if entry.offset + entry.blocks * entry.kind.bytes > size:
            raise ValueError(f"{name} lies outside of it")
    return metadata, placed


def _text(head: ByteReader) -> str:
    return head.text(head.number("<u8"))


def _value(head: ByteReader, kind: int, nested: int = 0) -> Any:
    if kind in SCALARS:
        return head.number(SCALARS[kind])
    if kind == TEXT:
        return _text(head)
    if kind != ARRAY or nested == MOST_NESTED:
        raise ValueError("its metadata has a type that GGUF has not")
    inner, count = head.number("<u4"), head.number("<u8")
    if inner in SCALARS:
        return head.numbers(SCALARS[inner], count)
    return [_value(head, inner, nested + 1) for _ in range(count)]  # each takes some bytes, so the count is bounded


def _entry(path: Path, head: ByteReader, name: str) -> _Entry:
    """Its offset counts from the start of the numbers, which is only known behind the last entry."""
    shape = checked_shape(head.numbers("<u8", head.number("<u4"))[::-1])
    number = head.number("<u4")
    if number not in BLOCK_KINDS:
        found = OTHER_KINDS.get(number, f"type {number}")
        known = ", ".join(kind.name for kind in BLOCK_KINDS.values())
        raise DhyanError(f"{path}: {shortened(name)} is stored as {found}; take the model in one of {known}.")
    kind = BLOCK_KINDS[number]
    if math.prod(shape[-1:]) % kind.numbers:
        raise ValueError(f"a row of {name} is not whole blocks")
    return _Entry(kind, shape, head.number("<u8"))


def _read(path: Path, entry: _Entry) -> Array:
    kind, blocks = entry.kind, entry.blocks
    packed = mapped(path, np.uint8, entry.offset, blocks * kind.bytes).reshape(blocks, kind.bytes)
    floats = np.empty((blocks, kind.numbers), np.float32)
    step = NUMBERS_AT_ONCE // kind.numbers
    with np.errstate(all="ignore"):  # a scale may be infinite
        for start in range(0, blocks, step):
            floats[start : start + step] = kind.floats(packed[start : start + step])
    return floats.reshape(entry.shape)
