"""Text to sentences without loss: joined again, the sentences are the text, to the last space.

Rules, not a model: a mark that can end a sentence does end it unless what stands around it says otherwise (an
abbreviation, an initial, a number, a small letter after it). The abbreviations are those of text/languages/; the
marks are those of English, Hindi, Chinese and Japanese, and other languages get by on what they share with these.
"""

import re
from itertools import pairwise

from dhyan.text.languages import all_languages

# A blank after the mark is asked of . ! ? … only: what stands in 3.14, a URL or a file name has none.
_BREAK = re.compile(
    r"""(?P<line>[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*)
      | (?P<full>[।॥。！？]+["'”’»)\]}›」』]*\s*)
      | (?P<mark>(?<![.!?…])[.!?…]+)["'”’»)\]}›]*(?P<blank>\s+)""",
    re.VERBOSE,
)
_OPENING = "\"'“‘«([{‹¿¡*_<"
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«<]+\Z")
_LETTERS_WITH_DOTS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
# What "9 a.m." may go on with: a time zone, a day of the week, a date.
_REST_OF_A_TIME = re.compile(
    r"(?:[BCEIJKMP]ST|[CEMP]DT|AE[DS]T|CES?T|EET|[CEMP]T|GMT|UTC|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d"
)

_INITIAL_AHEAD = re.compile(r"([^\s.]{1,7})\.")

# Where a sentence that is too long may be cut, the better cut first; everything else is a plain space.
_CUT = re.compile(r"\s+|(?<=[，、；：])(?!\s|\Z)")
_STRONG_MARKS = ";:—–；：؛"
_WEAK_MARKS = ",，、،"


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each with the blanks that follow it; a line break always ends one."""
    sentences: list[str] = []
    start = 0
    for found in _BREAK.finditer(text):
        if found.end() < len(text) and _ends(text, start, found):
            sentences.append(text[start : found.end()])
            start = found.end()
    if start < len(text):
        sentences.append(text[start:])
    return sentences


def split_long(sentence: str, max_words: int = 100) -> list[str]:
    """Parts of at most `max_words` words: cut at ; or :, else at a comma, else at a space; never in a word."""
    if max_words < 1:
        raise ValueError(f"max_words = {max_words}: a part holds at least one word")
    # Blanks around the sentence part no words.
    cuts = [found for found in _CUT.finditer(sentence) if found.start() > 0 and found.end() < len(sentence)]
    offsets = [found.end() for found in cuts]
    ranks = [_rank(sentence[found.start() - 1]) for found in cuts]
    chosen: list[int] = []
    waiting = [(0, len(offsets))]  # ranges of cuts: a range of n cuts holds n + 1 words
    while waiting:
        first, last = waiting.pop()
        if last - first + 1 > max_words:
            cut = _best_cut(ranks, first, last)
            chosen.append(offsets[cut])
            waiting += [(first, cut), (cut + 1, last)]
    edges = [0, *sorted(chosen), len(sentence)]
    return [sentence[start:end] for start, end in pairwise(edges)] if sentence else []


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    """Does the sentence that began at `start` end here? Blank lines and blanks before a text end none."""
    if not text[start : found.start()].strip() and found["line"] is not None:
        return False
    if found["mark"] is None or found["blank"].splitlines() != [found["blank"]]:
        return True  # no line break joins
    ahead = text[found.end() : found.end() + 12].lstrip(_OPENING)
    if ahead[:1].islower():
        return False
    return found["mark"] != "." or not _is_abbreviation(text, start, found.start(), ahead)


def _is_abbreviation(text: str, start: int, dot: int, ahead: str) -> bool:
    # Words are short; looking back a little way keeps the search linear in text without any blank.
    behind = text[max(start, dot - 40) : dot]
    found = _LAST_WORD.search(behind)
    if found is None:
        return False
    word, before = found[0], behind[: found.start()].rstrip()
    name = word.lower()
    rules = all_languages()
    if name in rules.abbreviations:
        return True
    if name in rules.abbreviations_before_numbers:
        return ahead[:1].isdecimal()
    if word.isdecimal():
        return not before  # "1. Introduction" is one line
    if word in rules.spelt_letters_that_are_words:
        initial = _INITIAL_AHEAD.match(ahead)
        return initial is not None and initial[1] in rules.spelt_letters | rules.spelt_letters_that_are_words
    if word in rules.spelt_letters or _LETTERS_WITH_DOTS.fullmatch(word):
        return name not in ("a.m", "p.m") or _REST_OF_A_TIME.match(ahead) is not None
    if len(word) == 1 and word.isupper():
        # "John F. Kennedy", but not "rich in vitamin C. It …".
        previous = before.rsplit(maxsplit=1)[-1:]
        return not previous or previous[0].lstrip(_OPENING)[:1].isupper()
    return False


def _rank(before: str) -> int:
    return 0 if before in _STRONG_MARKS else 1 if before in _WEAK_MARKS else 2


def _best_cut(ranks: list[int], first: int, last: int) -> int:
    """The best mark in the middle half of the range, so that no part is a stump; among equals, the middlemost."""
    middle = (first + last - 1) / 2
    quarter = (last - first) // 4
    return min(range(first + quarter, last - quarter), key=lambda cut: (ranks[cut], abs(cut - middle)))
