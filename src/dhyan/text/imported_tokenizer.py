"""The tokenizer of a model that another program trained, behind the same interface as our own.

It cuts text as that program does, with one difference: the name of a special token in a text is text.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import tokenizers
from tokenizers import models

from dhyan.core.special_tokens import BYTES
from dhyan.text.imported_file import hidden, parse_imported, shown
from dhyan.text.known_components import HIDDEN, parts_of
from dhyan.text.tokenizer import Tokenizer, check_whole_characters

METASPACE = "▁"  # SentencePiece's sign for a space


class ImportedTokenizer(Tokenizer):
    """Ids, pieces and their cuts are the other program's. Its special tokens may stand anywhere in the vocabulary.

    Many are not lossless: an uncased one writes lower case, others squeeze spaces.
    """

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        super().__init__(inner)
        added = inner.get_added_tokens_decoder()
        self._special_ids = frozenset(number for number, token in added.items() if token.special)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], special: Collection[str] = ()) -> Self:
        """From what a tokenizer.json says; ValueError if it has a part that Dhyan does not know.

        special: names of special tokens beside those that the document itself says are special.
        """
        return cls(parse_imported(document, special))

    @cached_property
    def first_learned(self) -> int:
        """The first id that is neither a special token nor a byte."""
        known = (number for number in range(self.size) if number not in self._special_ids)
        return next((number for number in known if self.piece(number) not in BYTES), 0)

    @property
    def kind(self) -> str:
        """How it cuts, as its library calls it: BPE, Unigram or WordPiece."""
        return type(self._inner.model).__name__

    @property
    def special_ids(self) -> frozenset[int]:
        return self._special_ids

    @cached_property
    def is_lossless(self) -> bool:
        """Whether `decode(encode(text))` is the text in NFC for every text: only pieces of bytes can promise that."""
        changes = {part["type"] for part in self._parts("normalizer")}
        cuts, back = self._parts("pre_tokenizer"), self._parts("decoder")
        matched = [token for token in self._inner.get_added_tokens_decoder().values() if not token.special]
        return (
            isinstance(self._inner.model, models.BPE)
            and changes <= {"NFC"}
            and [part["type"] for part in back] == ["ByteLevel"]
            and all(part.get("behavior") != "Removed" and not part.get("add_prefix_space") for part in cuts)
            and {part["type"] for part in cuts} - {"Digits", "Punctuation", "Split"} == {"ByteLevel"}
            and all(self._inner.token_to_id(sign) is not None for sign in _SIGNS_IN_TEXT)
            and not any(token.lstrip or token.rstrip or token.normalized for token in matched)
        )

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        changed = list(map(self.normalised, texts))
        encodings = self._inner.encode_batch_fast(changed, add_special_tokens=False)
        batch: list[list[int]] = [encoding.ids for encoding in encodings]
        if not self._is_shared or self._unknown is None:
            return batch
        return [
            self._with_other_side(text, ids) if self._unknown in ids else ids
            for text, ids in zip(changed, batch, strict=True)
        ]

    def _with_other_side(self, text: str, ids: list[int]) -> list[int]:
        """What this side's pieces cannot write may be, as a whole, a piece of the side that shares the vocabulary."""
        names = (hidden(text[start:end]) for start, end in self.spans(text))
        found = [super(ImportedTokenizer, self).id_of(name) for name in names]
        return [
            number if other is None or number != self._unknown or other in self._special_ids else other
            for number, other in zip(ids, found, strict=True)
        ]

    def decode_batch(self, batch: Sequence[Sequence[int]]) -> list[str]:
        written = [list(map(int, ids)) for ids in batch]
        texts: list[str] = self._inner.decode_batch(written, skip_special_tokens=True)
        return [text.replace(HIDDEN, "") for text in texts]

    def normalised(self, text: str) -> str:
        """The text itself: what the tokenizer changes in it, it changes piece by piece, and spans know where."""
        check_whole_characters(text)
        return text.replace(HIDDEN, "\N{REPLACEMENT CHARACTER}")

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each piece begins and ends in the text, with its space; several may share a character."""
        encoding = self._inner.encode(self.normalised(text), add_special_tokens=False)
        spans: list[tuple[int, int]] = encoding.offsets
        return spans

    def piece(self, number: int) -> str:
        """The piece with this id as the other program names it: `##ing`, `Ġthe` or `▁the`."""
        return shown(super().piece(number))

    def id_of(self, piece: str) -> int | None:
        number = super().id_of(piece)
        return super().id_of(hidden(piece)) if number is None else number

    def shown_piece(self, number: int) -> str:
        """The piece as a person reads it: with a space in front where it starts a word, `ing` and ` the`.

        Bytes that are no whole character read `<0xE0>`.
        """
        piece = self.piece(number)
        if number in self._special_ids:
            return piece
        if isinstance(self._inner.model, models.WordPiece):
            prefix = self._inner.model.continuing_subword_prefix
            return piece.removeprefix(prefix) if piece.startswith(prefix) else f" {piece}"
        if self._is_byte_level and all(sign in _BYTE_OF_SIGN for sign in piece):
            text = bytes(_BYTE_OF_SIGN[sign] for sign in piece).decode("utf-8", "surrogateescape")
            return text.translate(_NAME_OF_STRAY_BYTE)
        return piece.replace(METASPACE, " ")

    @cached_property
    def _unknown(self) -> int | None:
        """The id of what the vocabulary cannot write; None where it can write everything."""
        model = self._inner.model
        if isinstance(model, models.Unigram):
            number: int = json.loads(model.__getstate__())["unk_id"]
            return number
        return super().id_of(model.unk_token) if model.unk_token is not None else None

    @cached_property
    def _is_shared(self) -> bool:
        """Whether some pieces are only the other side's."""
        names = self._inner.get_vocab()
        return any(name.startswith(HIDDEN) and number not in self._special_ids for name, number in names.items())

    @cached_property
    def _is_byte_level(self) -> bool:
        return any(part["type"] == "ByteLevel" for part in self._parts("decoder"))

    def _parts(self, kind: str) -> list[dict[str, Any]]:
        component = getattr(self._inner, kind)
        if component is None:
            return []
        parts: list[dict[str, Any]] = parts_of(json.loads(component.__getstate__()))
        return parts


def _signs_of_bytes() -> dict[str, int]:
    """Byte-level pieces write each byte as one visible sign: itself where it has one, else the next from Ā on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + index): byte for index, byte in enumerate(others)}


_BYTE_OF_SIGN = _signs_of_bytes()
_SIGNS_IN_TEXT = [sign for sign, byte in _BYTE_OF_SIGN.items() if byte not in (0xC0, 0xC1) and byte < 0xF5]  # UTF-8
_NAME_OF_STRAY_BYTE = {0xDC00 + byte: BYTES[byte] for byte in range(128, 256)}
