"""What the other files ask of a single character."""

import re
import unicodedata

# Python counts the unit separator as a blank; here it is a control character, to be kept.
BLANKS = re.compile(r"[^\S\x1f]+")

_DOTS = re.compile(r"\.{2,}")
_AFTER_BRACKET = re.compile(r"(?<=[(\[]) +(?=\S)")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_JOINERS = "\u200c\u200d"


def is_word(character: str) -> bool:
    """Is it part of a word? Vowel signs and joiners are, which `\\w` forgets."""
    return character.isalnum() or character in _JOINERS or unicodedata.category(character)[0] == "M"


def has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def in_ascii_digits(text: str) -> str:
    """The text with the digits of every script (२५) as 0 to 9, character for character."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def with_ellipsis_of(source: str, text: str) -> str:
    """Dots as the source writes them: models put .. or ... where it has …"""
    return _DOTS.sub("…", text) if "…" in source and "…" not in text and ".." not in source else text


def without_blank_after_bracket(source: str, text: str) -> str:
    """Brackets as the source writes them: models put ( word where it has (word."""
    return text if _AFTER_BRACKET.search(source) else _AFTER_BRACKET.sub("", text)
