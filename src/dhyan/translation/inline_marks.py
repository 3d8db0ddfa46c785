"""Marks inside a sentence, such as emphasis and links: on the translation of the same words afterwards.

The sentence is translated without its marks, so that they do not change it. Word alignment says which words of the
translation come from the marked ones. Where that is not clear, there is no answer, and the caller finds another way.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dhyan.explain.analyses.head_alignment import Alignment, TooLongToAlign
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.unicode import is_word

Align = Callable[[str, str], Alignment]

_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)[^<>]*?(/?)>")
_PART_OF_THE_SPAN = 0.3  # of what a word between two marked ones looks at
_AT_THE_EDGE = 0.45  # a postposition looks less at marked words than the word it belongs to
_AT_THE_END = 0.7  # the last word has the full stop, which looks at the last word of the source


def tag_pairs(spans: Iterable[Span]) -> list[tuple[Span, Span]]:
    """The tags that open something, each with the one that closes it."""
    pairs: list[tuple[Span, Span]] = []
    begun: list[tuple[str, Span]] = []
    for span in spans:
        if span.kind is not Kind.TAG:
            continue
        name, opens = _name(span.replacement)
        if opens:
            begun.append((name, span))
        elif begun and begun[-1][0] == name:
            pairs.append((begun.pop()[1], span))
    return sorted(pairs, key=lambda pair: (pair[0].start, -pair[1].end))


def _name(tag: str) -> tuple[str, bool]:
    """What a tag is called, and whether it opens something."""
    found = _TAG.fullmatch(tag)
    if found:
        return found[2], not found[1] and not found[3]
    return "[", tag.endswith("[")  # half of a link: [ or ](address)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Two tags, and the characters of the bare sentence that they stand around."""

    opening: str
    closing: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence without its marks, and the marks."""

    bare: str
    marks: tuple[_Mark, ...]  # an outer one before those inside of it

    @classmethod
    def of(cls, source: str, hidden: Sequence[Span]) -> "MarkedSentence | None":
        """None if there are no marks, or some whose other half is in another sentence."""
        tags = [span for span in hidden if span.kind is Kind.TAG]
        pairs = tag_pairs(tags)
        if not tags or 2 * len(pairs) != len(tags):
            return None
        bare = ""
        offsets: dict[int, int] = {}
        at = 0
        for tag in tags:
            bare += source[at : tag.start]
            offsets[tag.start] = len(bare)
            at = tag.end
        marks = [_Mark(a.replacement, b.replacement, offsets[a.start], offsets[b.start]) for a, b in pairs]
        return cls(bare + source[at:], tuple(marks))

    def carried(self, translation: str, kept: Sequence[str], align: Align) -> str | None:
        """The translation of `bare` with the marks on the right words. `kept`: parts that are in both as they are."""
        source, marks = self.bare, self.marks
        words = _unused_words(source + translation, len(kept))
        for part, word in zip(kept, words, strict=True):  # the alignment sees names, as the model did
            if part not in source or translation.count(part) != 1:
                return None
            at = source.index(part)
            source = source.replace(part, word, 1)
            translation = translation.replace(part, word)
            marks = tuple(_shifted(mark, at, len(part), len(word)) for mark in marks)
        carried = _carried(source, translation, marks, align)
        if carried is None:
            return None
        for part, word in zip(kept, words, strict=True):
            carried = carried.replace(word, part, 1)
        return carried


def _unused_words(text: str, count: int) -> list[str]:
    candidates = (f"{letter}{digit}" for letter in "XYZWVUQ" for digit in range(1, 10))
    return [word for word in candidates if word not in text][:count]


def _shifted(mark: _Mark, at: int, before: int, after: int) -> _Mark:
    """A mark where so many characters from `at` on were replaced by others."""
    start, end = (offset if offset <= at else max(at, offset - before + after) for offset in (mark.start, mark.end))
    return _Mark(mark.opening, mark.closing, start, end)


def _carried(source: str, translation: str, marks: Sequence[_Mark], align: Align) -> str | None:
    try:
        found = align(source, translation)
    except TooLongToAlign:
        return None
    given, written = _word_spans(source, found.source), _word_spans(translation, found.target)
    if given is None or written is None or not written or not given:
        return None
    ranges: list[tuple[int, int, _Mark]] = []
    for mark in marks:
        if mark.start == mark.end or not any(map(is_word, source[mark.start : mark.end])):
            place = _after_word(source, translation, mark, found, given, written)
        else:
            place = _around_words(source, translation, mark, found, given, written)
        if place is None:
            return None
        ranges.append((*place, mark))
    return _with_marks(translation, ranges)


def _word_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]] | None:
    spans: list[tuple[int, int]] = []
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0:
            return None
        at = start + len(word)
        spans.append((start, at))
    return spans


_Spans = list[tuple[int, int]]


def _around_words(
    source: str, translation: str, mark: _Mark, found: Alignment, given: _Spans, written: _Spans
) -> tuple[int, int] | None:
    marked = [number for number, (start, end) in enumerate(given) if start < mark.end and end > mark.start]
    if not marked:
        return None
    weights = found.weights / found.weights.sum(axis=1, keepdims=True).clip(1e-9)
    share = weights[:, marked].sum(axis=1)  # (target words,)
    hits = [int(row.argmax()) in marked for row in weights]
    for number in range(1, len(hits) - 1):  # a word between two marked ones that looks at the same words
        hits[number] = hits[number] or bool(
            hits[number - 1] and hits[number + 1] and share[number] > _PART_OF_THE_SPAN
        )
    runs: list[list[int]] = [[]]
    for number, hit in enumerate(hits):
        if hit:
            runs[-1].append(number)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=lambda run: float(share[run].sum()))
    if not best:  # words such as "do not" go into others: the one that looks at them most
        best = [int(share[: max(1, len(share) - 1)].argmax())]
    while share[best[0]] < _AT_THE_EDGE * share[best].max():
        best = best[1:]
    while share[best[-1]] < (_AT_THE_END if best[-1] == len(share) - 1 else _AT_THE_EDGE) * share[best].max():
        best = best[:-1]
    start, end = written[best[0]][0], written[best[-1]][1]
    # Punctuation at the edges is marked if it was so in the source.
    if not is_word(source[mark.end - 1]):
        return start, end
    while end > start + 1 and not is_word(translation[end - 1]):
        end -= 1
    while start < end - 1 and not is_word(translation[start]) and is_word(source[mark.start]):
        start += 1
    return start, end


def _after_word(
    source: str, translation: str, mark: _Mark, found: Alignment, given: _Spans, written: _Spans
) -> tuple[int, int] | None:
    """Where a footnote's number goes: after the word that it stood after."""
    before = [number for number, (start, _) in enumerate(given) if start < mark.start]
    if not before:
        return 0, 0
    end = written[int(found.weights[:, before[-1]].argmax())][1]
    if mark.start and is_word(source[mark.start - 1]):
        while end and not is_word(translation[end - 1]):
            end -= 1
    return end, end


def _with_marks(translation: str, ranges: Sequence[tuple[int, int, _Mark]]) -> str | None:
    """The marks put in; None if two of them would cross, or stand in each other where they did not before."""
    placed: list[tuple[int, int, _Mark]] = []
    for start, end, mark in ranges:
        for outer_start, outer_end, outer in placed:
            was_inside = outer.start <= mark.start and mark.end <= outer.end and outer.start < outer.end
            is_inside = outer_start <= start and end <= outer_end
            is_apart = end <= outer_start or start >= outer_end
            if not (is_inside if was_inside else is_apart):
                return None
        placed.append((start, end, mark))
    pieces: list[tuple[int, int, int, str]] = []
    for number, (start, end, mark) in enumerate(placed):
        # At one offset: first what ends there, the inner one first, then what begins, the outer one first.
        if start == end:
            pieces.append((start, 1, number, mark.opening + mark.closing))
            continue
        pieces += [(start, 2, number, mark.opening), (end, 0, -number, mark.closing)]
    result = ""
    at = 0
    for offset, _, _, tag in sorted(pieces):
        result += translation[at:offset] + tag
        at = offset
    return result + translation[at:]
