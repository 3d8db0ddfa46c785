"""The user's own terms: how each is to be translated, or that it is not to be translated.

A term without capitals is found in any case ("bank" in "Bank" and "BANK"). A term with capitals is found as it is
written or in capitals throughout ("Apple" in "Apple" and "APPLE", not in "apple"). Only whole words are found, the
longest term first, except in scripts without spaces between words.

A noun is found in its other forms too ("order" in "orders"), but not in a fixed phrase ("in order to"). A verb form
("ordered") is left to the model, because a noun in its place would leave the sentence without a verb.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from dhyan.core.arguments import check_mapping, check_path, check_text
from dhyan.core.errors import DhyanError
from dhyan.data.open_text import numbered_lines
from dhyan.text.inflection import Form, forms_of_term, plural
from dhyan.text.scripts import script_of
from dhyan.translation.fixed_phrases import FixedPhrases
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.unicode import BLANKS, is_word

_WITHOUT_BLANKS = frozenset[str | None](("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PHRASE = "! "  # begins a line of a glossary file that names a phrase to leave alone


class _Entry(NamedTuple):
    term: str  # as the glossary writes it
    translation: str | None  # None: it stays as it stands in the text
    form: Form | None = None  # of the term, where it is not as the glossary writes it


@dataclass(frozen=True, slots=True)
class Found:
    """A term in a text, in whatever form. `translation` is None where it stays as it is written."""

    start: int
    end: int
    term: str
    translation: str | None
    left_alone: str = ""  # why the term is not used here; empty where it is
    form: Form | None = None  # of the term, where it is not as the glossary writes it


class Glossary:
    """Terms and their translations; None, or the term itself, means that the term stays as it stands in the text.

    phrases: those whose words are left alone, besides the language's own.
    """

    def __init__(self, terms: Mapping[str, str | None], phrases: Iterable[str] = ()) -> None:
        self._as_written: dict[str, _Entry] = {}
        self._in_any_case: dict[str, _Entry] = {}
        check_mapping(terms, "a glossary", '{"bank": "बैंक"}')
        entries = [_checked(term, translation) for term, translation in terms.items()]
        for entry in entries:
            self._add(entry.term, entry)
        for entry in entries:  # what is written in the glossary goes before forms that are made here
            for form, kind in forms_of_term(entry.term):
                self._add(form, _inflected(entry, kind), replaces=False)
        self._longest = max(map(len, (*self._as_written, *self._in_any_case)), default=0)
        self._phrases = FixedPhrases(phrases, (word for entry in entries for word in entry.term.split()))

    def _add(self, written: str, entry: _Entry, replaces: bool = True) -> None:
        for form in _spellings(written):
            table = self._in_any_case if form == form.lower() else self._as_written
            key = _folded(form) if form == form.lower() else form
            if replaces:
                table[key] = entry
            else:
                table.setdefault(key, entry)
            if table is self._as_written and not entry.term.isupper():
                table.setdefault(form.upper(), entry)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read lines of `term<TAB>translation`, or `term` alone; empty lines and `#` comments are skipped.

        A line that begins with "! " names a phrase in which no term is replaced.
        """
        path = check_path(path, "a glossary")
        terms: dict[str, str | None] = {}
        phrases: list[str] = []
        for line, text in numbered_lines(path):
            if not text.strip() or text.startswith("#"):
                continue
            if text.startswith(_PHRASE):
                phrases.append(_phrase(path, line, text.removeprefix(_PHRASE)))
                continue
            term, translation = _entry(path, line, text)
            if terms.setdefault(term, translation) != translation:
                raise DhyanError(
                    f"{path}, line {line}: '{term}' has another translation further up; keep one of them."
                )
        return cls(terms, phrases)

    def spans(self, text: str) -> list[Span]:
        """Where terms stand in the text, and what is to stand there; they do not overlap."""
        used = [one for one in self.find(text) if not one.left_alone]
        return [Span(one.start, one.end, Kind.TERM, one.translation or text[one.start : one.end]) for one in used]

    def find(self, text: str) -> list[Found]:
        """Every term in the text, with the reason where it is not to be used."""
        plain, offsets = _plain_with_offsets(text)
        folded = _folded(plain)
        edges = [at for at in range(len(plain) + 1) if not _inside_word(plain, at)] if self._longest else []
        found: list[Found] = []
        free = 0  # where the term before ends
        for number, start in enumerate(edges):
            end, entry = self._term_at(plain, folded, edges, number) if start >= free else (0, None)
            if entry is not None:
                why = self._reason(entry, folded, start, end)
                begins, ends = offsets[start], offsets[end - 1] + 1
                found.append(Found(begins, ends, entry.term, entry.translation, why, entry.form))
                free = end
        return found

    def _reason(self, entry: _Entry, folded: str, start: int, end: int) -> str:
        """Why a term that stands here is not used; empty if it is."""
        if phrase := self._phrases.around(folded, start, end):
            return f"is not replaced in the phrase '{phrase}'"
        return f"is left to the model: a verb form of '{entry.term}'" if entry.form is Form.VERB else ""

    def _term_at(self, plain: str, folded: str, edges: list[int], number: int) -> tuple[int, _Entry | None]:
        """The longest term that begins at an edge of a word and ends at one: where it ends, and what it is."""
        start = edges[number]
        last = bisect_right(edges, start + self._longest)
        for end in reversed(edges[number + 1 : last]):
            if (written := plain[start:end]) in self._as_written:
                return end, self._as_written[written]
            if (any_case := folded[start:end]) in self._in_any_case:
                return end, self._in_any_case[any_case]
        return 0, None


def _checked(written: str, translation: str | None) -> _Entry:
    term = _plain(check_text(written, "a term of a glossary"))
    if not term:
        raise DhyanError("A glossary has an empty term; name the words to be found.")
    if translation is not None:
        check_text(translation, f"the translation of '{term}'")
    return _Entry(term, None if translation is None or _plain(translation) == term else translation)


def _inflected(entry: _Entry, form: Form) -> _Entry:
    """The entry for another form of its term: English has a plural for a plural, other languages stay as given."""
    if form is Form.PLURAL and entry.translation and not entry.term.isascii() and entry.translation.isascii():
        return entry._replace(translation=plural(entry.translation, "en"), form=form)
    return entry._replace(form=form)


def _entry(path: Path, line: int, text: str) -> tuple[str, str | None]:
    cells = [cell.strip() for cell in text.split("\t")]
    where = f"{path}, line {line}"
    if len(cells) > 2 and all(map(_NUMBER.fullmatch, cells[2:])):
        cells = cells[:2]  # `dhyan terms` writes behind a term how often it is
    if len(cells) > 2:
        raise DhyanError(f"{where}: {len(cells)} columns where two are expected, a term and its translation.")
    if not cells[0]:
        raise DhyanError(f"{where}: the term is empty; write it in front of the tab.")
    if len(cells) == 2 and not cells[1]:
        raise DhyanError(f"{where}: '{cells[0]}' has an empty translation; fill it in, or remove the tab to keep it.")
    return cells[0], cells[1] if len(cells) == 2 else None


def _phrase(path: Path, line: int, text: str) -> str:
    if not text.strip() or "\t" in text:
        raise DhyanError(f"{path}, line {line}: write one phrase to leave alone behind the '!', and no translation.")
    return text.strip()


def _spellings(term: str) -> Iterator[str]:
    """A letter with its mark may be written as one character or as two; ड़ is one in some texts, two in others."""
    composed = unicodedata.normalize("NFC", term)
    yield from dict.fromkeys((composed, unicodedata.normalize("NFD", term), _with_nukta_letters(composed)))


def _with_nukta_letters(text: str) -> str:
    for letter in map(chr, range(0x0958, 0x0960)):
        text = text.replace(unicodedata.normalize("NFD", letter), letter)
    return text


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
