"""Placeholders: short tokens that a model copies, sent in place of what it must not change.

What stands for a name is like one (X1), what stands for a number is a number: "at 47" would be a time, and
"X1 apples" would lose its plural. A pair of rare capitals is the second choice for both. A pack that was trained to
copy characters of its own names them in its manifest, and gets those instead of names. Each is distinct in its
sentence and absent from it otherwise, so that it can be found again whatever the word order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dhyan.translation.inline_marks import tag_pairs
from dhyan.translation.protected_spans import Kind, Span, blank_out
from dhyan.translation.unicode import BLANKS, in_ascii_digits, is_word

_NAMES = "X1 X2 X3 X4 X5 X6 X7 X8 X9 Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 Z9"
_NUMBERS = "47 83 29 64 92 38 76 53 97 26 68 34 87 43 72 59 94 36 69 27"
_CAPITALS = "QX ZK XJ VQ JZ KX QZ XV ZJ QK VX JQ ZX KQ XZ QV JK ZV KJ VZ"


@dataclass(frozen=True, slots=True)
class PlaceholderWords:
    """What is sent for a number, and what for everything else."""

    names: tuple[str, ...]
    numbers: tuple[str, ...]


FIRST_CHOICE = PlaceholderWords(tuple(_NAMES.split()), tuple(_NUMBERS.split()))
SECOND_CHOICE = PlaceholderWords(tuple(_CAPITALS.split()), tuple(_CAPITALS.split()))


def placeholder_words(trained: tuple[str, ...]) -> PlaceholderWords:
    """The first choice for a pack that was trained to copy these, if any."""
    return PlaceholderWords(trained, FIRST_CHOICE.numbers) if trained else FIRST_CHOICE


_LIKE_A_TIME = re.compile(r"\d{1,2}(?:[:.]\d\d)?")

# With more than this in one sentence, no model keeps them all.
_MOST = 12


@dataclass(frozen=True, slots=True)
class _Placeholder:
    word: str
    span: Span
    gap_before: bool  # a blank was added that the source does not have
    gap_after: bool

    def spans_in(self, text: str) -> list[tuple[int, int]]:
        before, after = ((r"\d" if one.isdigit() else "[A-Za-z]") for one in (self.word[0], self.word[-1]))
        return [found.span() for found in re.finditer(f"(?<!{before}){self.word}(?!{after})", text)]


@dataclass(frozen=True, slots=True)
class WithPlaceholders:
    """A sentence as the model gets it."""

    text: str
    placeholders: tuple[_Placeholder, ...]

    def restored(self, output: str) -> str | None:
        """The output with everything back in its place; None unless each placeholder is there exactly once."""
        text = in_ascii_digits(output)
        found = [(placeholder.spans_in(text), placeholder) for placeholder in self.placeholders]
        if any(len(spans) != 1 for spans, _ in found):
            return None
        if not self._tags_are_nested(text, {placeholder.span: spans[0] for spans, placeholder in found}):
            return None
        result = ""
        at, trim, replacement = 0, False, ""
        for spans, placeholder in sorted(found, key=lambda item: item[0]):
            start, end = spans[0]
            result = _joined(result, replacement, output[at:start], trim)
            result = result.rstrip() if placeholder.gap_before else _separated(result, placeholder.span.replacement)
            at, trim, replacement = end, placeholder.gap_after, placeholder.span.replacement
            result += replacement
        return _joined(result, replacement, output[at:], trim)

    def _tags_are_nested(self, output: str, places: dict[Span, tuple[int, int]]) -> bool:
        """Whether the tags stand in each other as before; a pair around words must still have some."""
        tags = sorted((span for span in places if span.kind is Kind.TAG), key=lambda span: span.start)
        pairs = tag_pairs(tags)
        if 2 * len(pairs) != len(tags):  # some belong to another sentence: these keep their order
            return [places[tag] for tag in tags] == sorted(places[tag] for tag in tags)
        ranges = [(places[a][0], places[b][1], a, b) for a, b in pairs]
        for number, (start, end, opening, closing) in enumerate(ranges):
            words = output[places[opening][1] : places[closing][0]]
            if start > end or (opening.end < closing.start and not any(map(is_word, words))):
                return False
            for outer_start, outer_end, outer, outer_closing in ranges[:number]:
                is_inside = outer_start < start and end < outer_end
                is_apart = end <= outer_start or outer_end <= start
                if not (is_inside if outer.start < opening.start < outer_closing.start else is_apart):
                    return False
        return True

    @property
    def no_times(self) -> list[str]:
        """The placeholders that stand for something that cannot be a time of the day."""
        return [one.word for one in self.placeholders if not _LIKE_A_TIME.fullmatch(one.span.replacement)]

    def without_placeholders(self, output: str) -> str:
        """The output with blanks in place of whatever stands for something else."""
        text = in_ascii_digits(output)
        for placeholder in self.placeholders:
            for start, end in placeholder.spans_in(text):
                output = output[:start] + " " * (end - start) + output[end:]
        return output


def with_placeholders(text: str, spans: Sequence[Span], words: PlaceholderWords) -> WithPlaceholders | None:
    """The text with placeholders for the spans; None when there are too many of them."""
    plain = in_ascii_digits(blank_out(text, spans)).upper()
    names, numbers = ([word for word in several if word not in plain] for several in (words.names, words.numbers))
    if len(spans) > min(_MOST, len(names), len(numbers)):
        return None
    sent = ""
    at = 0
    placeholders: list[_Placeholder] = []
    taken: set[str] = set()  # in the second choice names and numbers are the same words
    for index, span in enumerate(spans):
        word = next(word for word in (numbers if span.kind is Kind.NUMBER else names) if word not in taken)
        taken.add(word)
        sent += text[at : span.start]
        before = bool(sent) and is_word(sent[-1])
        followed = index + 1 < len(spans) and spans[index + 1].start == span.end
        after = followed or (span.end < len(text) and is_word(text[span.end]))
        sent += " " * before + word + " " * after
        placeholders.append(_Placeholder(word, span, before, after))
        at = span.end
    return WithPlaceholders(BLANKS.sub(" ", sent + text[at:]).strip(), tuple(placeholders))


def _joined(result: str, replacement: str, following: str, trim: bool) -> str:
    if trim:
        return result + following.lstrip()
    if replacement and following and is_word(replacement[-1]) and is_word(following[0]):
        return f"{result} {following}"
    return result + following


def _separated(result: str, replacement: str) -> str:
    """A model may glue a word to a placeholder; an address or a name must not end up in the middle of a word."""
    return f"{result} " if result and replacement and is_word(result[-1]) and is_word(replacement[0]) else result
