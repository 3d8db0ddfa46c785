"""What no translation has: words that are still in the source's script, broken characters, far too few words."""

import re
import unicodedata

from dhyan.text.scripts import script_of
from dhyan.translation.checks.spaced import LETTER

_UNUSUAL = re.compile(r"[^\w\s!-~।॥–—‘’“”…\u0900-\u097f]")
_SYMBOLS = ("So", "Sk", "Cc", "Cn", "Co")  # their categories; the mark of a broken character is one of them
_WORD = re.compile(f"{LETTER}{{3,}}")  # "km" and "PM" belong to no language
_SHORTEST = 4  # letters of a word that must have been translated: "mph" may stay
_QUOTED = re.compile(r"[\"“‘'«`(]\s*(\w+)\s*[\"”’'»`)]")
_MOST_LISTED = 3
_VOWELS = frozenset("aeiouy")
# A translation of less than this share of the source's letters, and this many letters less, has lost something.
_LEAST_SHARE, _ALLOWANCE = 0.4, 12


class LeftoverCheck:
    """For two languages in different scripts."""

    def __init__(self, source_script: str, source_has_case: bool) -> None:
        self.script, self.has_case = source_script, source_has_case

    def __call__(self, source: str, target: str) -> list[str]:
        words = set(_WORD.findall(source))
        known = {word.casefold() for word in words}
        invented: list[str] = []
        left: list[str] = []
        for word in dict.fromkeys(_WORD.findall(target)):
            if script_of(word[0]) != self.script:
                continue
            if not any(one.startswith(word.casefold()) or word.casefold() == one + "s" for one in known):
                invented.append(word)
            elif word in words and self._has_a_translation(word) and word not in _QUOTED.findall(source):
                left.append(word)
        notes = ["the translation has a broken character"] * _has_new_symbol(source, target)
        notes += [f"{_listed(invented)} may be invented"] * bool(invented)
        notes += [f"{_listed(left)} may not be translated"] * bool(left)
        if _letters(target) < _LEAST_SHARE * _letters(source) - _ALLOWANCE:
            notes.append("the translation is much shorter than its source")
        return notes

    def _has_a_translation(self, word: str) -> bool:
        """Whether it is an ordinary word, as far as its letters tell: no name, no abbreviation."""
        return len(word) >= _SHORTEST and (not self.has_case or (word.islower() and not _VOWELS.isdisjoint(word)))


def _has_new_symbol(source: str, target: str) -> bool:
    unusual = set(_UNUSUAL.findall(target)) - set(source)
    return any(unicodedata.category(character) in _SYMBOLS for character in unusual)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _listed(words: list[str]) -> str:
    some = ", ".join(f'"{word}"' for word in words[:_MOST_LISTED])
    return some + ", …" * (len(words) > _MOST_LISTED)
