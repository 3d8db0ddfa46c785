"""A text that runs over several lines is translated whole, then laid over lines again."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from dhyan.text.languages import all_languages

_BLANKS = re.compile(r"[ \t\r\n\f\v]+")  # a no-break space is none
_BEGINS_SOMETHING = re.compile(r"(?:[-*+•–—>]|\d{1,3}[.)]|[a-z][.)])$")  # an item, a quote: it must not begin a line


def display_width(text: str) -> int:
    """How many columns a text takes: marks that stand on or under a letter take none, Chinese letters two."""
    if text.isascii():
        return len(text.expandtabs())
    return sum(_columns(character) for character in text.expandtabs())


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap(text: str, width: int, first: int = 0) -> list[str]:
    """The words of a text on lines of this width; the first line begins so many columns further on."""
    lines: list[list[str]] = [[]]
    used = first
    for word in text.split():
        columns = display_width(word)
        if lines[-1] and used + 1 + columns > width and not _BEGINS_SOMETHING.match(word):
            lines.append([])
            used = 0
        used += columns + bool(lines[-1])
        lines[-1].append(word)
    return [" ".join(words) for words in lines]


def split_evenly(text: str, lines: int, length_of: Callable[[str], int] = len) -> list[str]:
    """The words of a text on at most this many lines, all about as long."""
    words = [word for word in _BLANKS.split(text) if word]
    total = sum(map(length_of, words))
    lines_of_words: list[list[str]] = [[]]
    length = 0
    for word in words:
        # A word goes where its middle falls, so that the lines come out even.
        if (
            lines_of_words[-1]
            and len(lines_of_words) < lines
            and length + length_of(word) / 2 >= total * len(lines_of_words) / lines
        ):
            lines_of_words.append([])
        lines_of_words[-1].append(word)
        length += length_of(word)
    return [" ".join(words) for words in lines_of_words]


def split_in_proportion(text: str, weights: Sequence[int]) -> list[str]:
    """The words of a text in parts as long as the weights say, cut where it sounds best nearby.

    With fewer words than weights there are fewer parts.
    """
    words = text.split()
    ends = [0, *accumulate(len(word) + 1 for word in words)]
    cuts = [0]
    for number, weight in enumerate(accumulate(weights[:-1]), start=1):
        wanted = ends[-1] * weight / max(1, sum(weights))
        possible = range(cuts[-1] + 1, len(words) - (len(weights) - number) + 1)
        if possible:
            cuts.append(min(possible, key=lambda cut: abs(ends[cut] - wanted) / ends[-1] + _harm(words, cut)))
    parts = [words[start:end] for start, end in pairwise([*cuts, len(words)])]
    return [" ".join(part) for part in parts if part]


def _harm(words: Sequence[str], cut: int) -> float:
    """How much a cut before this word hurts, as a share of the text that one would rather move it by."""
    before, after = words[cut - 1], words[cut].strip("।,.!?\"'”’").lower()
    if before[-1] in ",;:—–।.!?…":
        return 0.0
    if after in all_languages().leaning_words:
        return 0.3
    return 0.25 if before.lower() in all_languages().function_words else 0.1


def rewrap(text: str, separators: Sequence[str], unfit: re.Pattern[str] | None = None) -> str:
    """Lay a text over lines that stand between `separators`; on one line if another would begin `unfit`."""
    lines = split_evenly(text, len(separators) + 1)
    if unfit and any(unfit.match(line) for line in lines[1:]):
        return " ".join(lines)
    separated = zip(separators, lines[1:], strict=False)
    return lines[0] + "".join(separator + line for separator, line in separated)
