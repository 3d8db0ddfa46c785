"""A sequence of tokens as a person reads it: pieces, and whole words above them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dhyan.core.arguments import check_several, check_whole
from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.special_tokens import SpecialTokens
from dhyan.explain.formulas import Array
from dhyan.text.tokenizer import Tokenizer, with_dotted_circle


@dataclass(frozen=True, slots=True)
class Token:
    """One piece. `text` is the piece as it can stand alone: without its space, with ◌ under a lone vowel sign."""

    id: int
    piece: str  # as stored: a piece that starts a word has its leading space
    text: str
    word: int  # number of the word that it belongs to
    span: tuple[int, int] | None = None  # where it stands in the given text, as the tokenizer sees that
    special: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A whole word, and which tokens it is made of: tokens[start:end]. A special token is a word of its own."""

    text: str
    start: int
    end: int
    special: bool = False


@dataclass(frozen=True)
class Tokens:
    """A row of tokens with the words above them."""

    tokens: tuple[Token, ...]
    words: tuple[Word, ...]

    @classmethod
    def of(cls, tokenizer: Tokenizer, ids: Sequence[int], text: str | None = None, before: int = 0) -> "Tokens":
        """text: what the ids were made from; then tokens know where in `tokenizer.normalised(text)` they stand.

        before: how many of the ids stand in front of the text's own. Whatever stands around a text is special;
        whatever stands in it is not, even where the vocabulary lacks it.
        """
        spans: list[tuple[int, int] | None] = [None] * before
        spans += list(tokenizer.spans(text)) if text is not None else []
        spans += [None] * (len(ids) - len(spans))
        special = [
            index < before or (spans[index] is None if text is not None else number in tokenizer.special_ids)
            for index, number in enumerate(ids)
        ]
        seen = tokenizer.normalised(text) if text is not None else ""
        starts = [
            index
            for index, number in enumerate(ids)
            if index == 0
            or special[index]
            or special[index - 1]
            or (
                _follows_space(seen, spans[index])
                if number in tokenizer.special_ids
                else tokenizer.starts_word(number)
            )
        ]
        words, tokens = [], []
        for number, (start, end) in enumerate(pairwise([*starts, len(ids)])):
            is_special, first, last = special[start], spans[start], spans[end - 1]
            if is_special:
                said = tokenizer.piece(ids[start])
            elif first and last and not tokenizer.special_ids.isdisjoint(ids[start:end]):
                said = seen[first[0] : last[1]].strip()  # what the vocabulary lacks is not decoded
            else:
                said = tokenizer.decode(ids[start:end]).strip()
            words.append(Word(said or blank_sign(tokenizer.decode(ids[start:end])), start, end, is_special))
            tokens += [_token(tokenizer, ids[i], number, spans[i], is_special) for i in range(start, end)]
        return cls(tuple(tokens), tuple(words))

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]

    @property
    def texts(self) -> list[str]:
        return [token.text for token in self.tokens]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]


def _follows_space(text: str, span: tuple[int, int] | None) -> bool:
    return span is None or any(sign.isspace() for sign in text[max(0, span[0] - 1) : span[0] + 1])


def piece_of(tokenizer: Tokenizer, number: int) -> str:
    """A piece as it can stand alone on a page or in a terminal."""
    if number in tokenizer.special_ids:
        return tokenizer.piece(number)
    piece = with_dotted_circle(tokenizer.shown_piece(number))
    return piece.strip() or blank_sign(piece)


def blank_sign(blanks: str) -> str:
    """What shows a piece of nothing but blanks: ␣, or ↵ where it begins a new line."""
    return "↵" if "\n" in blanks else "␣"


def piece_id(tokenizer: Tokenizer, piece: int | str, special: SpecialTokens) -> int:
    """A piece that can be written, by id, as it is stored, or as a person writes it (with or without its space)."""
    never_written = special.never_written
    if not isinstance(piece, str):
        piece = check_whole(piece, "a piece to force that is not written out")
        if piece in never_written or not 0 <= piece < tokenizer.size:
            least = next(number for number in range(tokenizer.size) if number not in never_written)
            raise DhyanError(f"there is no piece {piece} to force: ids go from {least} to {tokenizer.size - 1}.")
        return piece
    for form in (piece, f" {piece}", piece.replace("◌", "")):
        found = tokenizer.id_of(form)
        if found is not None and found not in never_written:
            return found
    ids = tokenizer.encode(piece)
    if len(ids) == 1:
        return ids[0]
    parts = ", ".join(f"'{tokenizer.piece(number)}'" for number in ids)
    hint = f"; it is made of {parts}: force the first, then the next" if ids else ""
    known = (tokenizer.piece(number) for number in range(tokenizer.size) if number not in never_written)
    raise DhyanError(f"'{piece}' is not one piece of the vocabulary{did_you_mean(piece, known)}{hint}.")


def word_asked(text: str) -> int | str:
    """A word as it is asked for in a command or a URL: a number where it looks like one."""
    return int(text) if text.isdecimal() and len(text) < 10 else text


def read_words(tokens: Tokens, asked: int | str | Iterable[int | str] | None) -> tuple[int, ...]:
    """Words by number (marks are not counted), each once and in order; one that is written out means all like it."""
    words = [word.text for word in tokens.words if not word.special]
    found: set[int] = set()
    for one in check_several(asked, "a word of the text"):
        if isinstance(one, str):
            alike = [number for number, word in enumerate(words) if word.casefold() == one.strip().casefold()]
            if not alike:
                raise DhyanError(f"'{shortened(one)}' is not a word of the text{did_you_mean(one, words)}.")
            found.update(alike)
        elif 0 <= check_whole(one, "a word of the text that is not written out") < len(words):
            found.add(int(one))
        else:
            raise DhyanError(f"there is no word {one}: the words of the text are numbered 0 to {len(words) - 1}.")
    return tuple(sorted(found))


def _token(tokenizer: Tokenizer, number: int, word: int, span: tuple[int, int] | None, special: bool) -> Token:
    return Token(number, tokenizer.shown_piece(number), piece_of(tokenizer, number), word, span, special)


def merge_columns(array: Array, words: Sequence[Word]) -> Array:
    """(…, tokens) → (…, words): what goes *to* a word's pieces adds up."""
    return np.stack([array[..., word.start : word.end].sum(axis=-1) for word in words], axis=-1)


def merge_rows(array: Array, words: Sequence[Word]) -> Array:
    """(…, tokens, columns) → (…, words, columns): what comes *from* a word's pieces is averaged.

    So a row that summed to 1 still does.
    """
    return np.stack([array[..., word.start : word.end, :].mean(axis=-2) for word in words], axis=-2)
