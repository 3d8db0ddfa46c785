"""Why a pair is dropped from a mix: rules of thumb for the ways in which gathered pairs go wrong."""

import re
from collections import Counter

from dhyan.data.cleaning import lengths_differ
from dhyan.data.mix.settings import FilterSettings
from dhyan.text.languages import language_rules

# Every branch begins with a plain character: that is what makes the search fast.
_MARKUP = re.compile(
    r"""<[a-zA-Z/!?]|/>|&\#?\w+;|%[\d$(]*[a-zA-Z@]\b|%\(|[{}\\♪♫#|~^]|\$[A-Za-z(]|@(?<=\w@)\w|https?:|www\.
      |-\s?[LR]RB\s?-|\[!|\]\(|\[\d*\]|==|::|;;|\*\*|\(\)|--\w|_(?<=\w_)\w|/(?<=\w/)\w+/""",
    re.VERBOSE,
)
_BROKEN_LETTER = re.compile("[\u093a-\u094f](?<=[\\sA-Za-z.,(][\u093a-\u094f])(?<!\u093d)")  # a vowel sign on nothing
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d),(?=\d)")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_SMALL_WORD = re.compile(r"(?<![A-Za-z./-])[a-z][a-z-]+(?![A-Za-z.()/-])")
_OPENING_QUOTE = re.compile(r"""(?:^|[\s(—-])['‘]\w|["“”]""")
_ANY_QUOTE = re.compile(r"""["“”'‘’«]""")
_WORD_BREAK = re.compile(r"[\s/-]+")
_CLOSING = "\"'”’»)]} "
_NOT_COMPARED = re.compile(r"[\s!-/:-@\[-`{-~।॥“”‘’…–—•·]+|\d+")
# Only longer texts tell by their length that they do not match: a greeting may be one word here and four there.
_RATIO_FROM_CHARACTERS = 30


class PairFilter:
    """Says why a pair is dropped from a mix."""

    def __init__(self, settings: FilterSettings, source_language: str = "en") -> None:
        self._settings = settings
        rules = language_rules(source_language)
        self._ordinal = re.compile(rf"\b\d+(?:{'|'.join(sorted(rules.ordinal_endings)) or '(?!)'})\b")
        self._differing_number = re.compile("|".join(sorted(rules.differing_numbers)) or "(?!)", re.IGNORECASE)

    def rejection_reason(self, source: str, target: str, trusted: bool = False) -> str | None:
        """The reason to drop a pair; None when it is kept. The cheap questions come first."""
        settings = self._settings
        if not source or not target:
            return "empty"
        if trusted:
            return None
        if source == target:
            return "identical sides"
        words = target.count(" ") + 1
        if max(words, source.count(" ") + 1) > settings.max_words:
            return "too long"
        sides = (source, target)
        if max(map(len, sides)) >= _RATIO_FROM_CHARACTERS and lengths_differ(sides, settings.max_ratio):
            return "length ratio"
        if settings.drop_markup and (_MARKUP.search(source) or _MARKUP.search(target)):
            return "markup"
        if _BROKEN_LETTER.search(target):
            return "broken letters"
        latin = len(_LATIN_WORD.findall(target))
        if latin:
            if latin > settings.max_latin * words:
                return "Latin letters"
            small = _SMALL_WORD.findall(target)
            if small and sum(word in source for word in small) > settings.max_untranslated * words:
                return "untranslated"
        if source.count(" ") >= 2 and max(_mean_word(source), _mean_word(target)) > settings.max_mean_word_length:
            return "words run together"
        if settings.match_questions and _is_question(source) != _is_question(target):
            return "question on one side"
        if settings.match_numbers and not self._numbers_match(source, target):
            return "numbers differ"
        if settings.match_quotes and _OPENING_QUOTE.search(source) and not _ANY_QUOTE.search(target):
            return "quotes on one side"
        return None

    def _numbers_match(self, source: str, target: str) -> bool:
        """No number of the source is lost. The target may write in digits what the source spells, if it is small."""
        if not _NUMBER.search(source) and not _NUMBER.search(target):
            return True
        in_source = _NUMBER.findall(self._ordinal.sub("", _GROUPED.sub("", source)))
        in_target = _NUMBER.findall(_GROUPED.sub("", target))
        if in_source == in_target or self._differing_number.search(source):
            return True
        target_counts = _counted(in_target)
        lost = _counted(in_source) - target_counts
        gained = target_counts - _counted(_NUMBER.findall(_GROUPED.sub("", source)))
        # "3 years" may be तीन वर्ष, and "thirty-nine" 39.
        return all(len(number) < 2 or number == "10" for number in lost) and all(len(number) < 3 for number in gained)


def _counted(numbers: list[str]) -> Counter[str]:
    return Counter(number.lstrip("0") for number in numbers)


def _mean_word(text: str) -> float:
    breaks = len(_WORD_BREAK.findall(text))
    return (len(text) - breaks) / (breaks + 1)


def _is_question(text: str) -> bool:
    return text.rstrip(_CLOSING)[-1:] == "?"


def dedup_key(text: str) -> str:
    """What is left of a text without case, digits and punctuation: near-duplicates share it."""
    return _NOT_COMPARED.sub("", text.casefold())
