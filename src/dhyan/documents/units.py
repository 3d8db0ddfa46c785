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

    def written(self, translation: str) -> str:
        # What the translator leaves alone keeps its spelling too: quotes, escapes, line breaks.
        return self.raw if translation == self.text and not self.fills else self.write(translation)


Unit = Fixed | Text


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
