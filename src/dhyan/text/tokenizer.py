"""Text to ids and back, without loss: for every text, `decode(encode(text))` is the text in NFC."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import tokenizers

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.json_object import parse_json_object, read_bounded_text
from dhyan.core.special_tokens import END, FRONT, MASK, PAD, SPECIAL, START, UNK
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer_file import MAX_BYTES, is_ours, parse_tokenizer
from dhyan.text.train_tokenizer import learn_pieces

__all__ = ["END", "MASK", "PAD", "SPECIAL", "START", "UNK", "Tokenizer", "with_dotted_circle"]


class Tokenizer:
    """Cuts text into pieces and knows each piece by its id; ids 0 to 4 are the special tokens.

    Pieces hold real spaces: a piece that starts with one starts a word. Special tokens exist only as ids:
    `<end>` inside a text is five ordinary characters.
    """

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self._inner = inner

    @classmethod
    def train(cls, texts: Iterable[str], settings: TextSettings, vocabulary: int, exact: bool = True) -> Self:
        """Learn `vocabulary` entries, special tokens included, from `texts`.

        The texts are read twice: an iterator is kept in memory, anything that can be iterated again is not.
        With `exact=False` fewer entries are accepted when the texts hold no more.
        """
        again = list(texts) if isinstance(texts, Iterator) else texts
        tokenizer = cls(learn_pieces(again, settings, vocabulary))
        if exact and tokenizer.size < vocabulary:
            raise DhyanError(
                f"A vocabulary of {vocabulary} is too large: this text gives only {tokenizer.size} entries; "
                f"lower --vocabulary to {tokenizer.size} or less, or leave it out."
            )
        return tokenizer

    @staticmethod
    def load(path: Path) -> "Tokenizer":
        """That of a pack: one that Dhyan trained, or an `ImportedTokenizer`."""
        try:
            text = read_bounded_text(path, MAX_BYTES)
        except FileNotFoundError:
            raise DhyanError(f"{path}: there is no such tokenizer file; check the path.") from None
        except (OSError, ValueError) as error:
            raise DhyanError(f"{path} cannot be read as a tokenizer: {error}.") from None
        return Tokenizer.from_json(text, where=str(path))

    @staticmethod
    def from_json(text: str, where: str = "The tokenizer") -> "Tokenizer":
        from dhyan.text.imported_tokenizer import ImportedTokenizer  # it is a Tokenizer itself

        try:
            document = parse_json_object(text)
            inner = parse_tokenizer(text, document) if is_ours(document) else None
        except ValueError as error:
            raise DhyanError(f"{where} is broken ({error}); copy or train it again.") from None
        if inner is None:
            try:
                return ImportedTokenizer.from_document(document)
            except ValueError as error:
                raise DhyanError(f"{where} cannot be used as a tokenizer: {error}; use another.") from None
        if tuple(map(inner.id_to_token, range(len(FRONT)))) != FRONT:
            raise DhyanError(
                f"{where} does not begin with {', '.join(SPECIAL)} and the bytes; use one that Dhyan trained."
            )
        return Tokenizer(inner)

    def save(self, path: Path) -> None:
        write_atomic(path, self.to_json())

    def to_json(self) -> str:
        text: str = self._inner.to_str()
        return text + "\n"

    @property
    def size(self) -> int:
        """Entries in the vocabulary, special tokens and bytes included."""
        size: int = self._inner.get_vocab_size()
        return size

    @property
    def first_learned(self) -> int:
        """The id of the first piece behind the special tokens and the bytes."""
        return len(FRONT)

    @property
    def special_ids(self) -> frozenset[int]:
        """The ids that are not text; `decode` skips them."""
        return frozenset(range(len(SPECIAL)))

    @property
    def is_lossless(self) -> bool:
        """Whether `decode(encode(text))` is the text in NFC for every text."""
        return self.normalised("A") == "A"  # only lower case loses anything

    def encode(self, text: str) -> list[int]:
        """The ids of a text; no special id is added."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._inner.encode_batch_fast(list(map(_composed, texts)), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; special ids are skipped."""
        return self.decode_batch([ids])[0]

    def decode_batch(self, batch: Sequence[Sequence[int]]) -> list[str]:
        written = [[number for number in map(int, ids) if number >= len(SPECIAL)] for ids in batch]
        texts: list[str] = self._inner.decode_batch(written, skip_special_tokens=False)
        return texts

    def normalised(self, text: str) -> str:
        """The text as pieces see it: in NFC, and in lower case where the settings say so."""
        changed: str = self._inner.normalizer.normalize_str(_composed(text))
        return changed[1:] if self._prepends else changed

    def cut(self, text: str) -> list[str]:
        """The words that are cut into pieces, each by itself; blanks belong to the word behind them."""
        normalised: str = self._inner.normalizer.normalize_str(text)
        if self._inner.pre_tokenizer is None:
            return [normalised]
        return [word for word, _ in self._inner.pre_tokenizer.pre_tokenize_str(normalised)]

    def encode_word(self, word: str) -> list[int]:
        """The ids of one of them."""
        return [piece.id for piece in self._inner.model.tokenize(word)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each piece begins and ends in `normalised(text)`, without the space that stands for its start.

        The bytes of a character all have the span of that character.
        """
        encoding = self._inner.encode(self.normalised(text), add_special_tokens=False)
        spans: list[tuple[int, int]] = list(encoding.offsets)
        if self._prepends and spans and encoding.tokens[0] == " ":
            spans[0] = (0, 0)  # a piece that is nothing but the space in front
        return spans

    def piece(self, number: int) -> str:
        """The piece with this id as it is stored: with its leading space; a byte reads `<0xE0>`."""
        piece: str | None = self._inner.id_to_token(number)
        if piece is None:
            raise DhyanError(f"There is no piece {number}: ids go from 0 to {self.size - 1}.")
        return piece

    def shown_piece(self, number: int) -> str:
        """The piece as a person reads it: with a space in front where it starts a word."""
        return self.piece(number)

    def id_of(self, piece: str) -> int | None:
        """The id of a piece as it is stored; None where there is no such piece."""
        number: int | None = self._inner.token_to_id(piece)
        return number

    def starts_word(self, number: int) -> bool:
        """A blank begins one; so does a new line."""
        return self.shown_piece(number)[:1].isspace()

    @property
    def _prepends(self) -> bool:
        # Only a tokenizer of whole words cuts text before it looks for pieces; that of characters does not.
        return self._inner.pre_tokenizer is not None


def with_dotted_circle(piece: str) -> str:
    """The piece as it can stand alone on a page: a vowel sign or other mark gets a ◌ to sit on."""
    bare = piece.lstrip(" ")
    if bare and unicodedata.category(bare[0]).startswith("M"):
        return piece[: len(piece) - len(bare)] + "◌" + bare
    return piece


def check_whole_characters(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DhyanError(
            f"The text holds half of a character ({text[error.start]!a} at position {error.start + 1}), "
            "which no text may hold; write the whole character."
        ) from None


def _composed(text: str) -> str:
    """The text in NFC. The tokenizer's file asks for NFC too, but its library does not know newer scripts."""
    check_whole_characters(text)
    return unicodedata.normalize("NFC", text)
