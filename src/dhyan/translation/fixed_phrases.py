"""Phrases whose words do not mean what they mean by themselves: "in order to" has no order in it."""

import re
from collections.abc import Iterable

from dhyan.text.inflection import forms_of_term
from dhyan.text.languages import all_languages
from dhyan.translation.unicode import BLANKS

_LETTER = r"[\w\u0300-\u036f\u0900-\u0dff\u200c\u200d]"  # the marks of Indian scripts are no \w
_LONGEST = 80  # characters that a phrase reaches beyond a term


class FixedPhrases:
    """The phrases that hold one of the given words; the others are never asked about."""

    def __init__(self, own: Iterable[str], words: Iterable[str]) -> None:
        known = {form.lower() for word in words for form in (word, *(other for other, _ in forms_of_term(word)))}
        phrases = [*own, *all_languages().fixed_phrases]
        patterns = [_pattern(phrase) for phrase in sorted(phrases) if _has_one_of(phrase, known)]
        # Each is tried at every place, so that a phrase does not hide another that begins further on.
        self._pattern = re.compile(f"(?<!{_LETTER})(?=({'|'.join(patterns)})(?!{_LETTER}))") if patterns else None

    def around(self, text: str, start: int, end: int) -> str:
        """The phrase in this text (in lower case) that a term from start to end is a part of; empty: none.

        A term that is the whole phrase, or more than it, is used.
        """
        if self._pattern is None:
            return ""
        for found in self._pattern.finditer(text, max(0, start - _LONGEST), min(len(text), end + _LONGEST)):
            first, last = found.span(1)
            if first <= start and end <= last and (last - first) > (end - start):
                return found[1]
        return ""


def _pattern(phrase: str) -> str:
    words = ("|".join(map(re.escape, word.split("|"))) for word in phrase.lower().split())
    return " ".join(f"(?:{word})" for word in words)


def _has_one_of(phrase: str, known: set[str]) -> bool:
    return any(word in known for word in re.split(r"[\s|'’-]+", BLANKS.sub(" ", phrase.lower())))
