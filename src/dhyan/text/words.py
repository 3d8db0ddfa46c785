"""Words as people see them: split, and found in their sentence. In any script, Devanagari's marks included."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from dhyan.core.errors import DhyanError

WordSpan = tuple[int, int]  # where a word begins and ends in its text


def words_of(text: str) -> list[str]:
    """The words of a text in lower case: letters and digits with the marks that belong to them, as in हिन्दी."""
    spaced = "".join(c if in_word(c) else " " for c in unicodedata.normalize("NFC", text).lower())
    words = (word.strip("'’\u200c\u200d") for word in spaced.split())
    return [word for word in words if any(map(str.isalnum, word))]


def runs_of(words: Sequence[str], longest: int) -> list[str]:
    """Words, and up to `longest` of them in a row with a blank between."""
    return [" ".join(words[begin:end]) for begin, end in run_spans(len(words), longest)]


def run_spans(words: int, longest: int) -> list[WordSpan]:
    """Of each of these runs the number of its first word, and of the one behind its last."""
    return [(i, i + n) for n in range(1, longest + 1) for i in range(words - n + 1)]


@cache
def in_word(character: str) -> bool:
    """Letters, marks (vowel signs, virama), digits; the joiners that shape Devanagari; apostrophes, as in don't."""
    return unicodedata.category(character)[0] in "LMN" or character in "'’\u200c\u200d"


def word_spans(word: str, text: str) -> list[WordSpan]:
    """Where a word stands in a text, whatever its case; never inside another word, but `bank` is in `bank's`."""
    found = []
    for match in re.finditer(re.escape(word), text, re.IGNORECASE):
        begin, end = match.span()
        before, behind = text[:begin][-1:], text[end:][:1]
        inside = (before and _joins(before)) or (behind and _joins(behind))
        if begin < end and not inside:
            found.append((begin, end))
    return found


def find_word(word: str, text: str) -> list[WordSpan]:
    """The same, where there must be one."""
    wanted, there = (unicodedata.normalize("NFC", one) for one in (word.strip(), text))
    if not wanted:
        raise DhyanError("--word is empty; name a word of the sentence.")
    if spans := word_spans(wanted, there):
        return spans
    shown = there if len(there) <= 60 else there[:59] + "…"
    raise DhyanError(f"the word '{word}' is not in the text '{' '.join(shown.split())}'; name one that stands in it.")


def _joins(character: str) -> bool:
    return in_word(character) and character not in "'’"
