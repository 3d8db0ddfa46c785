"""The user's own terms: how each is to be translated, or that it is not to be translated.

A term without capitals is found in any case ("bank" in "Bank" and "BANK"). A term with capitals is found as it is
written or in capitals throughout ("Apple" in "Apple" and "APPLE", not in "apple"). Only whole words are found, the
longest term first, except in scripts without spaces between words.
"""

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from dhyan.core.errors import DhyanError
from dhyan.data.open_text import numbered_lines
from dhyan.text.scripts import script_of
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.unicode import BLANKS, is_word

_WITHOUT_BLANKS = frozenset[str | None](("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))


class Glossary:
    """Terms and their translations; None, or the term itself, means that the term stays as it stands in the text."""

    def __init__(self, terms: Mapping[str, str | None]) -> None:
        self._as_written: dict[str, str | None] = {}
        self._in_any_case: dict[str, str | None] = {}
        for written, translation in terms.items():
            term = _plain(written)
            if not term:
                raise DhyanError("A glossary has an empty term; name the words to be found.")
            replacement = None if translation is None or _plain(translation) == term else translation
            for form in (unicodedata.normalize("NFC", term), unicodedata.normalize("NFD", term)):
                if form == form.lower():
                    self._in_any_case[_folded(form)] = replacement
                else:
                    self._as_written.setdefault(form.upper(), replacement)
                    self._as_written[form] = replacement
        self._lengths = sorted({len(term) for term in (*self._as_written, *self._in_any_case)}, reverse=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read lines of `term<TAB>translation`, or `term` alone; empty lines and `#` comments are skipped."""
        terms: dict[str, str | None] = {}
        for line, text in numbered_lines(path):
            if not text.strip() or text.startswith("#"):
                continue
            term, translation = _entry(path, line, text)
            if terms.setdefault(term, translation) != translation:
                raise DhyanError(
                    f"{path}, line {line}: '{term}' has another translation further up; keep one of them."
                )
        return cls(terms)

    def spans(self, text: str) -> list[Span]:
        """Where terms stand in the text, and what is to stand there; they do not overlap."""
        plain, offsets = _plain_with_offsets(text)
        folded = _folded(plain)
        found: list[Span] = []
        at = 0
        while self._lengths and at < len(plain):
            length, replacement = self._term_at(plain, folded, at)
            if length:
                start, end = offsets[at], offsets[at + length - 1] + 1
                found.append(Span(start, end, Kind.TERM, text[start:end] if replacement is None else replacement))
            at += length or 1
        return found

    def _term_at(self, plain: str, folded: str, at: int) -> tuple[int, str | None]:
        if _inside_word(plain, at):
            return 0, None
        for length in self._lengths:
            end = at + length
            if end > len(plain) or _inside_word(plain, end):
                continue
            if (written := plain[at:end]) in self._as_written:
                return length, self._as_written[written]
            if (any_case := folded[at:end]) in self._in_any_case:
                return length, self._in_any_case[any_case]
        return 0, None


def _entry(path: Path, line: int, text: str) -> tuple[str, str | None]:
    cells = [cell.strip() for cell in text.split("\t")]
    where = f"{path}, line {line}"
    if len(cells) > 2:
        raise DhyanError(f"{where}: {len(cells)} columns where two are expected, a term and its translation.")
    if not cells[0]:
        raise DhyanError(f"{where}: the term is empty; write it in front of the tab.")
    if len(cells) == 2 and not cells[1]:
        raise DhyanError(f"{where}: '{cells[0]}' has an empty translation; fill it in, or remove the tab to keep it.")
    return cells[0], cells[1] if len(cells) == 2 else None


def _inside_word(text: str, offset: int) -> bool:
    """Do the characters on the two sides of this offset belong to one word?"""
    if not 0 < offset < len(text) or not (is_word(text[offset - 1]) and is_word(text[offset])):
        return False
    return _WITHOUT_BLANKS.isdisjoint((script_of(text[offset - 1]), script_of(text[offset])))


def _plain(text: str) -> str:
    return BLANKS.sub(" ", text).strip()


def _plain_with_offsets(text: str) -> tuple[str, list[int]]:
    """The text with one space for every run of blanks, and the offset of each of its characters in `text`."""
    offsets: list[int] = []
    at = 0
    for blank in BLANKS.finditer(text):
        offsets += range(at, blank.start() + 1)
        at = blank.end()
    offsets += range(at, len(text))
    return BLANKS.sub(" ", text), offsets


def _folded(text: str) -> str:
    # Letter by letter, and only where one letter stays one, so that offsets do not change.
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
