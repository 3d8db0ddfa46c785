"""Words in another script than the translator has learnt: 東京, Москва, السلام عليكم, π. They are kept."""

from dataclasses import dataclass
from itertools import pairwise

from dhyan.text.scripts import script_of
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.unicode import is_word

_STRAY = frozenset({"Modifier", "Information"})  # Hawaiʻi: no script of its own
_LONGEST_GAP = 3  # characters between two words of one phrase
_OPENING, _CLOSING = frozenset("「『《〈【（"), frozenset("」』》〉】）。，！？、；：؟،؛")
_BOUNDS = frozenset("()[]{}<>|\t\n")


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts that a translator reads; with none, words in every script are for it."""

    source: frozenset[str]

    def foreign_spans(self, text: str) -> list[Span]:
        """Phrases in other scripts, also in the target's where that is not the source's too."""
        if not self.source or text.isascii():
            return []
        ranges = _phrases(text, _words(text, self.source | _STRAY))
        return [Span(start, end, Kind.FIXED, text[start:end]) for start, end in ranges]


ANY_SCRIPT = Scripts(frozenset())


def _words(text: str, known: frozenset[str]) -> list[tuple[int, int]]:
    """Where words in other scripts than the known ones begin and end."""
    words: list[tuple[int, int]] = []
    start = -1
    for at, character in enumerate(text):
        script = script_of(character)
        if script is not None and script not in known:
            start = at if start < 0 else start
        elif start >= 0 and (script is not None or not is_word(character)):
            words.append((start, at))
            start = -1
    return [*words, (start, len(text))] if start >= 0 else words


def _phrases(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words with no more than blanks and punctuation between them, as one."""
    if not words:
        return []
    cuts = [(one[1], other[0]) for one, other in pairwise(words) if not _joins(text[one[1] : other[0]])]
    starts = [words[0][0], *(start for _, start in cuts)]
    ends = [*(end for end, _ in cuts), words[-1][1]]
    return [_with_marks(text, start, end) for start, end in zip(starts, ends, strict=True)]


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """The phrase with the punctuation that only its script has, as in 「こんにちは」。"""
    while start > 0 and text[start - 1] in _OPENING:
        start -= 1
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return start, end


def _joins(between: str) -> bool:
    return len(between) <= _LONGEST_GAP and not any(map(is_word, between)) and _BOUNDS.isdisjoint(between)
