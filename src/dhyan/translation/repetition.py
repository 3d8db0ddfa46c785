"""Loops: a translation that says the same thing again and again where its source does not."""

import re
from collections import Counter

from dhyan.translation.unicode import is_word

# "धीरे धीरे" is good Hindi, so a word may stand twice; a third time is a loop unless the source repeats itself too.
_ROUNDS = 3
_ROUNDS_BEYOND_SOURCE = 2
_LONGEST_ROUND = 20  # words
# Within a word more is usual ("hmmmm", "......").
_LETTER_LOOP = re.compile(r"(\S{1,8}?)\1{9,}")

_LENGTH_FACTOR = 5
_LENGTH_ALLOWANCE = 60

_UNIT = re.compile(r"\S+")


def loops(text: str, source: str) -> bool:
    return without_loops(text, source) != text


def without_loops(text: str, source: str) -> str:
    """The text with every loop cut to one round; what stands before and after it stays."""
    if max(Counter(_words(text)).values(), default=0) >= _ROUNDS:  # else no word can be in a loop
        text = _without_loops_of_words(text, source)
    if not _LETTER_LOOP.search(source):
        text = _LETTER_LOOP.sub(r"\1", text)
    return text


def _without_loops_of_words(text: str, source: str) -> str:
    limit = max(_ROUNDS, _most_rounds(_words(source)) + _ROUNDS_BEYOND_SOURCE)
    while (loop := _first_loop(_words(text), limit)) is not None:
        spans = [found.span() for found in _UNIT.finditer(text)]
        start, period, length = loop
        # The last whole round is kept, for the punctuation of the end; the broken one after it is not.
        last = start + (length // period - 1) * period
        kept = text[spans[last][0] : spans[last + period - 1][1]]
        text = text[: spans[start][0]] + kept + text[spans[start + length - 1][1] :]
    return text


def absurdly_long(text: str, source: str) -> bool:
    return len(text) > _LENGTH_FACTOR * len(source) + _LENGTH_ALLOWANCE


def _words(text: str) -> list[str]:
    """The words without their punctuation and case: "OK, ok." says one thing twice."""
    return ["".join(filter(is_word, unit)).casefold() or unit for unit in _UNIT.findall(text)]


def _runs(words: list[str]) -> list[tuple[int, int, int]]:
    """Every sequence of words that repeats, as (start, words per round, words in all)."""
    runs: list[tuple[int, int, int]] = []
    for period in range(1, min(_LONGEST_ROUND, len(words) // 2) + 1):
        same = 0
        for index in range(period, len(words) + 1):
            if index < len(words) and words[index] == words[index - period]:
                same += 1
            else:
                if same >= period:
                    runs.append((index - period - same, period, period + same))
                same = 0
    return runs


def _most_rounds(words: list[str]) -> int:
    return max((length // period for _, period, length in _runs(words)), default=1)


def _first_loop(words: list[str], limit: int) -> tuple[int, int, int] | None:
    # Short rounds come first: "ok ok ok ok" is four rounds of one word, not two of two.
    return next((run for run in _runs(words) if run[2] // run[1] >= limit), None)
