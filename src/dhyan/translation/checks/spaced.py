"""A text as the checks read it: its words, numbers and marks with one blank between any two of them."""

import re
import unicodedata
from collections.abc import Iterable

from dhyan.translation.unicode import in_ascii_digits

LETTER = "(?:[^\\W\\d_]|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963])"  # vowel signs are no \w
TOKEN = re.compile(rf"\d+(?:[,.:/]\d+)*|{LETTER}(?:{LETTER}|\d)*(?:'{LETTER}+)*|[^\s\w]")
# Spellings of one word: the dot below ज़, the moon above ँ, invisible joiners, apostrophes and dashes of print.
_SAME = str.maketrans({"़": None, "ँ": "ं", "\u200c": None, "\u200d": None, "’": "'", "–": "-", "—": "-", "−": "-"})


def folded(text: str) -> str:
    """The text in lower case, in one spelling, with the digits 0 to 9."""
    return in_ascii_digits(_in_one_spelling(text).casefold())


def spaced(text: str) -> str:
    """A blank before and after each word, number and mark: " the 5 kg , not 6 . " """
    return f" {' '.join(TOKEN.findall(folded(text)))} "


def pattern(alternatives: Iterable[str]) -> re.Pattern[str]:
    """Any of these in a spaced text, from the beginning of a word to the end of one."""
    return re.compile(f"(?<= )(?:{any_of(alternatives)})(?= )")


def any_of(alternatives: Iterable[str]) -> str:
    r"""A pattern for any of these, in the spelling of spaced texts; `\w` is any part of a word."""
    return "|".join(_in_one_spelling(one).replace(r"\w", "[^ ]") for one in alternatives) or "(?!)"


def _in_one_spelling(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFD", text).translate(_SAME)
