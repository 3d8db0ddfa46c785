"""Styles go with whole words: a word in two styles cannot be translated, so it gets one, or is kept as it is."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from dhyan.documents.zipped.content import Item, Kept, Style, Words

_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"(?<=\w)[^\w]{1,2}(?=\w)")  # a space or a comma, whose style nobody sees
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_LONG_WORD = 4  # letters: `discovered¹` is a word with a note, `km²` and `H₂O` are formulas


def whole_word_styles(items: Sequence[Item]) -> list[Item]:
    """The same items with neighbouring words of one look joined, and no change of style inside a word."""
    found: list[Item] = []
    for are_words, group in groupby(items, lambda item: isinstance(item, Words)):
        members = list(group)
        if not are_words:
            found += members
            continue
        found += _whole_words([item for item in members if isinstance(item, Words)])
    return found


def _whole_words(words: list[Words]) -> Iterator[Item]:
    text = "".join(item.text for item in words)
    if len({item.style.looks for item in words}) == 1 and not words[0].style.raised:
        yield Words(text, words[0].style)
        return
    styles = [item.style for item in words for _ in item.text]
    for between in _BETWEEN.finditer(text):
        left = styles[between.start() - 1]
        if left.looks != styles[between.end()].looks or not left.raised:
            styles[between.start() : between.end()] = [left] * len(between[0])
    kept: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        kept += _decided(word, styles)
    end = 0
    for start, stop in kept:
        yield from _in_styles(text[end:start], styles[end:start])
        parts = _in_styles(text[start:stop], styles[start:stop])
        is_word = not all(style.raised for style in styles[start:stop])
        yield Kept("".join(part.style.write(part.text) for part in parts), is_word=is_word)
        end = stop
    yield from _in_styles(text[end:], styles[end:])


def _decided(word: re.Match[str], styles: list[Style]) -> list[tuple[int, int]]:
    """Give a word one style; returns which part of it, if any, is kept as it is."""
    start, end = word.span()
    here = styles[start:end]
    ground = [style for style in here if not style.raised]
    if len(ground) == len(here) or (not ground and len(word[0]) >= _LONG_WORD and word[0].isalpha()):
        looks = Counter(style.looks for style in here).most_common(1)[0][0]
        styles[start:end] = [next(style for style in here if style.looks == looks)] * len(here)
        return []
    if _ORDINAL.fullmatch(word[0]) and ground:
        styles[start:end] = [ground[0]] * len(here)
        return []
    note = start + len(ground)
    if len(ground) >= _LONG_WORD and _is_word(word[0][: len(ground)]) and all(s.raised for s in styles[note:end]):
        return [(note, end)]
    return [(start, end)]


def _is_word(text: str) -> bool:
    return text.isalpha() and (text.islower() or text.istitle() or not text.isascii())


def _in_styles(text: str, styles: Sequence[Style]) -> Iterator[Words]:
    place = 0
    for _, group in groupby(styles, lambda style: style.looks):
        members = list(group)
        yield Words(text[place : place + len(members)], members[0])
        place += len(members)
