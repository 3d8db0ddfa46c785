"""Shouted sentences and titles are sent in ordinary case, which is what models know best.

`to_sentence_case` changes letters one for one, so that offsets in the text stay the same.
"""

import re
from enum import Enum

from dhyan.text.languages import all_languages
from dhyan.translation.unicode import BLANKS


class Case(Enum):
    ORDINARY = "as it is written"
    UPPER = "ALL OF IT"
    TITLE = "Every Word of It"


# "USA" and "NASA" are names; "HELLO" is shouted. More capitals than this, and no small letter, are shouting.
_LONGEST_ACRONYM = 4
# Five capitalised words may still be names with commas; one capitalised "To" among fewer is a title for sure.
_WORDS_OF_A_TITLE = 5
_WORDS_OF_A_SURE_TITLE = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBER_BEFORE = re.compile(r"\d \Z")  # "5 Easy Ways": the first word does not begin the sentence


def case_of(text: str) -> Case:
    if sum(map(str.isupper, text)) > _LONGEST_ACRONYM and not any(map(str.islower, text)):
        return Case.UPPER
    return Case.TITLE if _is_title(text) else Case.ORDINARY


def all_letters_have_case(text: str) -> bool:
    """Whether a text shows if it is shouted: "AAP KAISE HO" is, "ISRO" among words in Devanagari is a name."""
    return all(one.lower() != one.upper() for one in text if one.isalpha())


def to_sentence_case(text: str, case: Case) -> str:
    """The text as it would stand in running prose; it has as many characters as before."""
    if case is Case.ORDINARY:
        return text
    seen_first = False

    def lowered(found: re.Match[str]) -> str:
        nonlocal seen_first
        word, first = found[0], not seen_first and not _NUMBER_BEFORE.search(text, 0, found.start())
        seen_first = True
        if word == "I" or word.startswith(("I'", "I’")):  # the English pronoun
            return word[:1] + _lower(word[1:])
        if case is Case.UPPER:
            return word[:1] + _lower(word[1:]) if first else _lower(word)
        # In a title, USA and iPhone are written on purpose.
        return word if first or not _is_capitalised(word) else _lower(word)

    return _WORD.sub(lowered, text)


def to_case(case: Case, text: str) -> str:
    """A translation in the case of its source, for languages that have case."""
    if case is Case.UPPER:
        return text.upper()
    if case is Case.TITLE:
        return "".join(word[:1].upper() + word[1:] for word in re.split(f"({BLANKS.pattern})", text))
    return text


def _is_title(text: str) -> bool:
    words = _WORD.findall(text)
    if len(words) < _WORDS_OF_A_SURE_TITLE:
        return False
    function_words, abbreviations = all_languages().function_words, all_languages().abbreviations
    if not words[0][:1].isupper() or any(word.islower() and word not in function_words for word in words):
        return False
    capitalised = sum(map(_is_capitalised, words))
    if any(word.lower() in function_words and _is_capitalised(word) for word in words[1:]):
        return capitalised >= _WORDS_OF_A_SURE_TITLE
    if any(word.lower() in abbreviations for word in words):
        return False  # Mr and Dr stand before names
    return capitalised >= _WORDS_OF_A_TITLE and "," not in text


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper() and not any(map(str.isupper, word[1:]))


def _lower(word: str) -> str:
    # A letter whose small form is two characters (İ) stays: offsets must not change.
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in word)
