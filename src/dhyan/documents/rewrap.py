"""A text that runs over several lines is translated whole, then laid over as many lines again."""

import re
from collections.abc import Sequence


def split_evenly(text: str, lines: int) -> list[str]:
    """The words of a text on at most this many lines, all about as long."""
    words = text.split()
    total = sum(map(len, words))
    lines_of_words: list[list[str]] = [[]]
    length = 0
    for word in words:
        # A word goes where its middle falls, so that the lines come out even.
        if lines_of_words[-1] and length + len(word) / 2 >= total * len(lines_of_words) / lines:
            lines_of_words.append([])
        lines_of_words[-1].append(word)
        length += len(word)
    return [" ".join(words) for words in lines_of_words]


def rewrap(text: str, separators: Sequence[str], unfit: re.Pattern[str] | None = None) -> str:
    """Lay a text over lines that stand between `separators`; on one line if another would begin `unfit`."""
    lines = split_evenly(text, len(separators) + 1)
    if unfit and any(unfit.match(line) for line in lines[1:]):
        return " ".join(lines)
    separated = zip(separators, lines[1:], strict=False)
    return lines[0] + "".join(separator + line for separator, line in separated)
