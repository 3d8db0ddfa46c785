"""SentencePiece's own file (`.spm`, `.model`): a protobuf of pieces with their scores, read without its library."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from dhyan.core.errors import DhyanError

MAX_BYTES = 50_000_000  # a vocabulary of 256 000 pieces takes 5 MB
_MOST_PIECES = 1_000_000
_VARINT, _LENGTH, _FIXED = 0, 2, {1: 8, 5: 4}  # the protobuf's wire types; the last with their bytes
Value = int | bytes
_MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


class PieceType(IntEnum):
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True)
class Piece:
    text: str
    score: float
    type: PieceType


@dataclass(frozen=True)
class SentencePieceModel:
    """What the file says. An id is a place in `pieces`; one that is -1 is not used."""

    pieces: tuple[Piece, ...]
    model_type: str  # unigram or bpe
    unk_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    pad_id: int = -1
    byte_fallback: bool = False
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    precompiled_charsmap: bytes = b""


def read_sentencepiece(path: Path) -> SentencePieceModel:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES // 1_000_000} MB")
        return _parse_model(data)
    except FileNotFoundError:
        raise DhyanError(f"{path}: there is no such SentencePiece file; check the path.") from None
    except (OSError, ValueError) as error:
        raise DhyanError(f"{path} cannot be read as a SentencePiece model: {error}; copy it again.") from None


def _parse_model(data: bytes) -> SentencePieceModel:
    pieces: list[Piece] = []
    trainer: dict[int, Value] = {}
    normalizer: dict[int, Value] = {}
    for number, value in _fields(data):
        if number == 1:
            pieces.append(_piece(_message(value)))
        elif number == 2:
            trainer |= dict(_fields(_message(value)))
        elif number == 3:
            normalizer |= dict(_fields(_message(value)))
        elif number == 5 and dict(_fields(_message(value))).get(2):
            raise ValueError("it changes the text that it puts together, which Dhyan does not do")
        if len(pieces) > _MOST_PIECES:
            raise ValueError(f"it has more than {_MOST_PIECES} pieces")
    kind = _MODEL_TYPES.get(_number(trainer, 3, 1), "unknown")
    if kind not in ("unigram", "bpe"):
        raise ValueError(f"it is of the kind {kind}, and Dhyan knows unigram and bpe")
    if _number(trainer, 24, 0) or not _number(normalizer, 5, 1):
        raise ValueError("it does not write spaces as ▁ in front of words")
    unknown = [index for index, piece in enumerate(pieces) if piece.type is PieceType.UNKNOWN]
    if len(unknown) != 1 or len({piece.text for piece in pieces}) < len(pieces):
        raise ValueError("it has not exactly one piece for unknown text, or a piece twice")
    return SentencePieceModel(
        tuple(pieces),
        kind,
        unknown[0],
        bos_id=_number(trainer, 41, 1),
        eos_id=_number(trainer, 42, 2),
        pad_id=_number(trainer, 43, -1),
        byte_fallback=bool(_number(trainer, 35, 0)),
        add_dummy_prefix=bool(_number(normalizer, 3, 1)),
        remove_extra_whitespaces=bool(_number(normalizer, 4, 1)),
        precompiled_charsmap=_message(normalizer.get(2, b"")),
    )


def _piece(message: bytes) -> Piece:
    fields = dict(_fields(message))
    text = _message(fields.get(1, b"")).decode("utf-8")
    (score,) = struct.unpack("<f", struct.pack("<I", _number(fields, 2, 0)))
    if not text or not abs(score) < 1e6:
        raise ValueError("it has a piece without text, or one whose score is no log-probability")
    return Piece(text, score, PieceType(_number(fields, 3, PieceType.NORMAL)))


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """The fields of a message: their numbers, and their values as they are stored."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if wire == _LENGTH:
            length, place = _varint(data, place)
        elif wire in _FIXED:
            length = _FIXED[wire]
        else:
            raise ValueError("it is no protobuf")
        if length > len(data) - place:
            raise ValueError("it is cut off")
        part = data[place : place + length]
        yield number, part if wire == _LENGTH else int.from_bytes(part, "little")
        place += length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Seven bits per byte, the lowest first; a byte without its highest bit is the last."""
    value = 0
    for index, byte in enumerate(data[place : place + 10]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, place + index + 1
    raise ValueError("it is cut off")


def _number(fields: dict[int, Value], key: int, default: int) -> int:
    value = fields.get(key, default)
    if not isinstance(value, int):
        raise ValueError("it is no SentencePiece model")
    return value - (1 << 64) if value >> 63 > 0 else value


def _message(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("it is no SentencePiece model")
    return value
