"""What a paragraph is made of, whatever the format: words in a style, and what stands between them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dhyan.documents.zipped.elements import escaped


class Translatable(Protocol):
    """Something with texts in it, such as a footnote in the middle of a sentence."""

    def texts(self) -> Iterator[str]: ...

    def written(self, translations: Iterator[str]) -> str:
        """It again, with the next translations in place of its texts."""


Content = tuple["str | Translatable", ...]


def texts_of(content: Iterable["str | Translatable"]) -> Iterator[str]:
    for part in content:
        if not isinstance(part, str):
            yield from part.texts()


def write_content(content: Iterable["str | Translatable"], translations: Iterator[str]) -> str:
    return "".join(part if isinstance(part, str) else part.written(translations) for part in content)


@dataclass(frozen=True, slots=True)
class Style:
    """How words are written: `<w:r><w:rPr>…</w:rPr>`, `<w:t>`, the words, and the same backwards."""

    opening: str = ""
    text_opening: str = ""
    text_closing: str = ""
    closing: str = ""
    looks: str = ""  # equal for styles that look alike
    raised: bool = False  # superscript or subscript
    translated_opening: str | None = None  # for words of the target language; else as `opening`
    spaces: str | None = None  # how a space is written where it would be lost: after another, or alone

    def write(self, text: str, translated: bool = False) -> str:
        if not text:
            return ""
        opening = self.translated_opening if translated and self.translated_opening is not None else self.opening
        return f"{opening}{self.text_opening}{self._spelt(text)}{self.text_closing}{self.closing}"

    def around(self, raw: str) -> str:
        """Something else than words, in this style."""
        return f"{self.opening}{raw}{self.closing}"

    def _spelt(self, text: str) -> str:
        spelt = escaped(text)
        if self.spaces is None:
            return spelt
        return re.sub("(?<= ) |^ (?= *$)", self.spaces, spelt)


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Words:
    text: str
    style: Style = PLAIN


@dataclass(frozen=True, slots=True)
class Kept:
    """A field, an image, a note: part of the sentence, but not of the language.

    `parts` gives what is inside, with its own texts; without it, nothing inside is translated. What is read as
    a word, such as a page's number, belongs to the sentence also at its edge: `Page 1 of 3`.
    """

    raw: str
    parts: Callable[[], Content] | None = None
    is_word: bool = False

    @property
    def content(self) -> Content:
        return self.parts() if self.parts else (self.raw,)


@dataclass(frozen=True, slots=True)
class Mark:
    """One end of a range that cannot be seen, such as a bookmark: it may move to the edge of the line.

    A range that people look at, such as a comment's, is `visible`: it stays around its words.
    """

    raw: str
    id: str
    starts: bool
    visible: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """The beginning of something around words, such as a link."""

    raw: str


@dataclass(frozen=True, slots=True)
class Close:
    raw: str


@dataclass(frozen=True, slots=True)
class Break:
    """A tab or a line break: what stands on its two sides is translated apart."""

    raw: str


Item = Words | Kept | Mark | Open | Close | Break
