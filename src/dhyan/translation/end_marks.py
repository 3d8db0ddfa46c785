"""A sentence without a mark at its end, as messages have it, gets one before the model reads it.

A model has learnt from sentences with marks: without one it takes a sentence for a heading, or for half of one. Only
what ends as a sentence does gets a mark; the full stop that comes of it is taken away again, a question mark stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from re import Pattern
from typing import Any, Self

from dhyan.translation.checks.spaced import pattern, spaced
from dhyan.translation.unicode import is_word

FULL_STOP = "."
FEWEST_WORDS, MOST_WORDS = 2, 12  # a longer sentence is understood as one anyway


@dataclass(frozen=True)
class EndMarks:
    """statement, question: the marks; empty where the language's table says nothing of them."""

    statement: str
    question: str
    ends: Pattern[str]  # the last word of a sentence
    asks: Pattern[str]  # words of a question
    tells: Pattern[str]  # words of a sentence in which such a word asks nothing

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        marks = table.get("statement", ""), table.get("question", "")
        return cls(*marks, *(pattern(table.get(name, ())) for name in ("ends", "asks", "tells")))

    def are_left_out(self, text: str) -> bool:
        """Whether this is a short text without a mark, in a language whose table has them."""
        is_short = FEWEST_WORDS <= len(text.split()) <= MOST_WORDS
        return bool(self.statement) and is_short and is_word(text[-1])

    def missing(self, text: str) -> str:
        """The mark that a sentence should end with; empty where it has one, or is none."""
        if not self.are_left_out(text):
            return ""
        words = spaced(text)
        if self.asks.search(words) and not self.tells.search(words):
            return self.question
        return self.statement if self.ends.search(f" {words.split()[-1]} ") else ""


def without_full_stop(text: str) -> str:
    """The translation of a sentence that had no mark; "9 a.m." and an ellipsis stay."""
    last = text.split()[-1:]
    return text if last and FULL_STOP in last[0][:-1] else text.removesuffix(FULL_STOP)
