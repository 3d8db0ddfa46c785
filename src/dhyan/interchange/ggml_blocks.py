"""The kinds of numbers in a GGUF file → float32: plain floats, and blocks of few bits with scales of their own.

A block is 32 or 256 neighbours of one row. `_0` kinds have a scale: q · d. `_1` kinds have a minimum too: q · d + m.
`_K` kinds cut 256 numbers into smaller runs, whose scales are themselves small integers times a scale of the block.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dhyan.interchange.lazy_tensors import Array
from dhyan.pack.weights_file import from_bfloat16

Bytes = NDArray[np.uint8]
FOUR = np.uint8(4)  # as a plain int, NumPy's type hints make something wider of the bytes


class BlockKind(NamedTuple):
    name: str
    numbers: int  # in a block
    bytes: int
    floats: Callable[[Bytes], NDArray[Any]]  # (blocks, bytes) → (blocks, numbers)


def _halves(part: Bytes) -> Array:
    """float16 → float32; (blocks, bytes) → (blocks, bytes / 2)."""
    return part.view("<f2").astype(np.float32)


def _nibbles(part: Bytes) -> Bytes:
    """The lower four bits of every byte, then the upper four: the last axis is twice as long."""
    return np.concatenate([part & 15, part >> 4], axis=-1)


def _q4_0(block: Bytes) -> Array:
    return (_nibbles(block[:, 2:]).astype(np.float32) - 8) * _halves(block[:, :2])


def _q4_1(block: Bytes) -> Array:
    return _nibbles(block[:, 4:]) * _halves(block[:, :2]) + _halves(block[:, 2:4])


def _five_bits(upper: Bytes, lower: Bytes) -> Bytes:
    """upper: the fifth bits of 32 numbers, in four bytes."""
    return _nibbles(lower) | np.unpackbits(upper, axis=1, bitorder="little") << FOUR


def _q5_0(block: Bytes) -> Array:
    return (_five_bits(block[:, 2:6], block[:, 6:]).astype(np.float32) - 16) * _halves(block[:, :2])


def _q5_1(block: Bytes) -> Array:
    return _five_bits(block[:, 4:8], block[:, 8:]) * _halves(block[:, :2]) + _halves(block[:, 2:4])


def _q8_0(block: Bytes) -> Array:
    return block[:, 2:].view(np.int8) * _halves(block[:, :2])


def _runs_of_32(block: Bytes, numbers: Bytes) -> Array:
    """Q4_K and Q5_K begin alike: two scales, then 12 bytes with a scale and a minimum of six bits for each of 8 runs.

    numbers: (blocks, 8, 32). The first four scales and minima lie in the lower six bits of 8 bytes; the last four
    have their lower four bits in the other 4 bytes, and their upper two in what is left of the first 8.
    """
    packed = block[:, 4:16]
    first, rest, left = packed[:, :8] & 63, packed[:, 8:], packed[:, :8] >> 6 << 4
    scales = np.concatenate([first[:, :4], rest & 15 | left[:, :4]], axis=1)  # (blocks, 8)
    minima = np.concatenate([first[:, 4:], rest >> 4 | left[:, 4:]], axis=1)
    scaled = scales * _halves(block[:, :2])
    lowered = minima * _halves(block[:, 2:4])
    floats: Array = numbers * scaled[:, :, None] - lowered[:, :, None]
    return floats.reshape(-1, 256)


def _q4_k(block: Bytes) -> Array:
    return _runs_of_32(block, _nibbles(block[:, 16:].reshape(-1, 4, 32)).reshape(-1, 8, 32))


def _q5_k(block: Bytes) -> Array:
    lower = _nibbles(block[:, 48:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    upper = np.unpackbits(block[:, 16:48, None], axis=2, bitorder="little").swapaxes(1, 2)  # bit r is run r's
    return _runs_of_32(block, lower | upper << FOUR)


def _q6_k(block: Bytes) -> Array:
    """Two halves of 128 numbers: 64 bytes of lower bits, 32 of upper ones; then 16 scales for runs of 16 numbers."""
    lower = _nibbles(block[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    upper = block[:, 128:192].reshape(-1, 2, 1, 32) >> shifts & 3
    numbers = (lower | upper << FOUR).reshape(-1, 16, 16).astype(np.float32) - 32
    scales = block[:, 192:208].view(np.int8) * _halves(block[:, 208:])
    return (numbers * scales[:, :, None]).reshape(-1, 256)


# The file's number of a kind → what it is.
BLOCK_KINDS = {
    0: BlockKind("F32", 1, 4, lambda block: block.view("<f4")),
    1: BlockKind("F16", 1, 2, _halves),
    2: BlockKind("Q4_0", 32, 18, _q4_0),
    3: BlockKind("Q4_1", 32, 20, _q4_1),
    6: BlockKind("Q5_0", 32, 22, _q5_0),
    7: BlockKind("Q5_1", 32, 24, _q5_1),
    8: BlockKind("Q8_0", 32, 34, _q8_0),
    12: BlockKind("Q4_K", 256, 144, _q4_k),
    13: BlockKind("Q5_K", 256, 176, _q5_k),
    14: BlockKind("Q6_K", 256, 210, _q6_k),
    30: BlockKind("BF16", 1, 2, lambda block: from_bfloat16(block.view("<u2"))),
}
OTHER_KINDS = {9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S"}
OTHER_KINDS |= {20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64"}
OTHER_KINDS |= {28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4"}
