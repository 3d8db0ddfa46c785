"""Why a pair is left out of a mix: rules of thumb for the ways in which gathered pairs go wrong."""

import re
from collections import Counter

from dhyan.data.mix.settings import FilterSettings

# Every branch begins with a plain character: that is what makes the search fast.
_MARKUP = re.compile(
    r"""<[a-zA-Z/!?]|/>|&\#?\w+;|%[\d$(]*[a-zA-Z@]\b|%\(|[{}\\♪♫#|~^]|\$[A-Za-z(]|@(?<=\w@)\w|https?:|www\.
      |-\s?[LR]RB\s?-|\[!|\]\(|\[\d*\]|==|::|;;|\*\*|\(\)|--\w|_(?<=\w_)\w|/(?<=\w/)\w+/""",
    re.VERBOSE,
)
_BROKEN_LETTER = re.compile("[\u093a-\u094f](?<=[\\sA-Za-z.,(][\u093a-\u094f])(?<!\u093d)")  # a vowel sign on nothing
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b")
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d),(?=\d)")
# Counted otherwise in another language (1.5 million is 15 lakh), or told otherwise (7 pm).
_RECKONED = re.compile(
    r"(?:[mbtr]illion|thousand|hundred|dozen|percent|per cent|\d ?[ap]\.?m\b|\d['’]?s\b|:\d\d)", re.I
)
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_SMALL_WORD = re.compile(r"(?<![A-Za-z./-])[a-z][a-z-]+(?![A-Za-z.()/-])")
_OPENING_QUOTE = re.compile(r"""(?:^|[\s(—-])['‘]\w|["“”]""")
_ANY_QUOTE = re.compile(r"""["“”'‘’«]""")
_WORD_BREAK = re.compile(r"[\s/-]+")
_CLOSING = "\"'”’»)]} "
_NOT_TOLD_APART = re.compile(r"[\s!-/:-@\[-`{-~।॥“”‘’…–—•·]+|\d+")
# A greeting may be one word here and four there: only longer texts tell by their length that they do not match.
_RATIO_FROM_CHARACTERS = 30


def why_dropped(source: str, target: str, settings: FilterSettings, trusted: bool = False) -> str | None:
    """The reason to leave a pair out; None when it is fit. The cheap questions come first."""
    if not source or not target:
        return "empty"
    if trusted:
        return None
    if source == target:
        return "identical sides"
    words = target.count(" ") + 1
    if max(words, source.count(" ") + 1) > settings.max_words:
        return "too long"
    longer, shorter = max(len(source), len(target)), min(len(source), len(target))
    if longer >= _RATIO_FROM_CHARACTERS and longer > settings.max_ratio * shorter:
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
    if source.count(" ") >= 2 and max(_mean_word(source), _mean_word(target)) > settings.max_word_length:
        return "words run together"
    if settings.match_questions and _asks(source) != _asks(target):
        return "question on one side"
    if settings.match_numbers and not _numbers_match(source, target):
        return "numbers differ"
    if settings.match_quotes and _OPENING_QUOTE.search(source) and not _ANY_QUOTE.search(target):
        return "quotes on one side"
    return None


def _mean_word(text: str) -> float:
    breaks = len(_WORD_BREAK.findall(text))
    return (len(text) - breaks) / (breaks + 1)


def _asks(text: str) -> bool:
    return text.rstrip(_CLOSING)[-1:] == "?"


def _numbers_match(source: str, target: str) -> bool:
    """No number of the source is lost. The target may write in digits what the source spells, if it is small."""
    if not _NUMBER.search(source) and not _NUMBER.search(target):
        return True
    here = _NUMBER.findall(_ORDINAL.sub("", _GROUPED.sub("", source)))
    there = _NUMBER.findall(_GROUPED.sub("", target))
    if here == there:
        return True
    if _RECKONED.search(source):
        return True
    there_counts = Counter(number.lstrip("0") for number in there)
    lost = Counter(number.lstrip("0") for number in here) - there_counts
    gained = there_counts - Counter(number.lstrip("0") for number in _NUMBER.findall(_GROUPED.sub("", source)))
    # "3 years" may be तीन वर्ष, and "thirty-nine" 39.
    return all(len(number) < 2 or number == "10" for number in lost) and all(len(number) < 3 for number in gained)


def likeness(text: str) -> str:
    """What is left of a text without case, digits and punctuation: near-duplicates share it."""
    return _NOT_TOLD_APART.sub("", text.casefold())
