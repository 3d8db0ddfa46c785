"""What a document is made of: parts that are copied as they are, and texts that are translated.

Whatever the format, the `raw` of all units, one after the other, is the document again.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


def one_line(translation: str) -> str:
    """For formats in which a line break has a meaning: the translation on one line."""
    return re.sub(r"[\r\n]+", " ", translation)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Marks, code, numbers, white space: nothing to translate."""

    raw: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text to translate, and how its translation is written into the document.

    `write` may raise a DhyanError for a translation that cannot stand there; `raw` then stays.
    """

    text: str
    line: int
    raw: str
    write: Callable[[str], str] = one_line
    fills: bool = False  # `raw` is a gap to be filled, not a spelling of `text`
    context: str | None = None  # what helps to understand it: a key, a comment, the menu it stands in

    def written(self, translation: str) -> str:
        # What the translator leaves alone keeps its spelling too: quotes, escapes, line breaks.
        return self.raw if translation == self.text and not self.fills else self.write(translation)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A part that is not as its format wants it: kept as it is, and reported as failed."""

    raw: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to tell the user about the document as a whole; it stands nowhere in it."""

    message: str
    raw: str = ""


Unit = Fixed | Text | Unreadable | Remark


def has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def prose(raw: str, line: int, write: Callable[[str], str] = one_line) -> Iterator[Unit]:
    """A text with the white space around it kept; without a letter in it there is nothing to translate."""
    core = raw.strip()
    if not has_letters(core):
        if raw:
            yield Fixed(raw)
        return
    start = raw.index(core)
    if start:
        yield Fixed(raw[:start])
    yield Text(core, line, core, write)
    if after := raw[start + len(core) :]:
        yield Fixed(after)
