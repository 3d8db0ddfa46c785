"""SentencePiece's own file, written without its library: the other direction of sentencepiece_file.py."""

import struct
from collections.abc import Iterator

from dhyan.interchange.sentencepiece_file import SentencePieceModel

_VARINT, _LENGTH, _FLOAT = 0, 2, 5  # the protobuf's wire types
_MODEL_TYPES = {"unigram": 1, "bpe": 2}


def sentencepiece_bytes(model: SentencePieceModel) -> bytes:
    numbers = {"unk": model.unk_id, "bos": model.bos_id, "eos": model.eos_id, "pad": model.pad_id}
    trainer = [_number(3, _MODEL_TYPES[model.model_type]), _number(4, len(model.pieces))]
    trainer.append(_number(35, model.byte_fallback))
    for place, number in enumerate(numbers.values()):
        trainer.append(_number(40 + place, number))
        if number >= 0:  # SentencePiece finds it by its text
            trainer.append(_bytes(45 + place, model.pieces[number].text.encode()))
    normalizer = [
        _bytes(1, b"user_defined"),
        _bytes(2, model.precompiled_charsmap),
        _number(3, model.add_dummy_prefix),
        _number(4, model.remove_extra_whitespaces),
        _number(5, True),  # spaces are written as ▁
    ]
    return b"".join([*_pieces(model), _bytes(2, b"".join(trainer)), _bytes(3, b"".join(normalizer))])


def _pieces(model: SentencePieceModel) -> Iterator[bytes]:
    for piece in model.pieces:
        score = _key(2, _FLOAT) + struct.pack("<f", piece.score)
        yield _bytes(1, _bytes(1, piece.text.encode()) + score + _number(3, piece.type))


def _number(field: int, value: int) -> bytes:
    return _key(field, _VARINT) + _varint(value & (1 << 64) - 1)  # a negative one as its two's complement


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, _LENGTH) + _varint(len(value)) + value


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(value: int) -> bytes:
    """Seven bits per byte, the lowest first; all but the last have their highest bit set."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
