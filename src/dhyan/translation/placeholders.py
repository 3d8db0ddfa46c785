"""Placeholders: short tokens that a model copies, sent in place of what it must not change.

A two-digit number is what translation models copy best; a pair of rare capitals is the second choice. Each is
distinct in its sentence and absent from it otherwise, so that it can be found again whatever the word order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from dhyan.translation.protected_spans import Kind, Span, blank_out
from dhyan.translation.unicode import BLANKS, in_ascii_digits, is_word


class Placeholders(Enum):
    NUMBERS = "47 83 29 64 92 38 76 53 97 26 68 34 87 43 72 59 94 36 69 27"
    LETTERS = "QX ZK XJ VQ JZ KX QZ XV ZJ QK VX JQ ZX KQ XZ QV JK ZV KJ VZ"


# With more than this in one sentence, no model keeps them all.
_MOST = 12


@dataclass(frozen=True, slots=True)
class _Placeholder:
    word: str
    span: Span
    gap_before: bool  # a blank was added that the source does not have
    gap_after: bool

    def spans_in(self, text: str) -> list[tuple[int, int]]:
        neighbour = r"\d" if self.word.isdigit() else "[A-Za-z]"
        return [found.span() for found in re.finditer(f"(?<!{neighbour}){self.word}(?!{neighbour})", text)]


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
        tags = [spans[0] for spans, placeholder in found if placeholder.span.kind is Kind.TAG]
        if tags != sorted(tags):
            return None  # an end may not come before its beginning
        result = ""
        at, trim, replacement = 0, False, ""
        for spans, placeholder in sorted(found, key=lambda item: item[0]):
            start, end = spans[0]
            result = _joined(result, replacement, output[at:start], trim)
            result = result.rstrip() if placeholder.gap_before else _separated(result, placeholder.span.replacement)
            at, trim, replacement = end, placeholder.gap_after, placeholder.span.replacement
            result += replacement
        return _joined(result, replacement, output[at:], trim)

    def without_placeholders(self, output: str) -> str:
        text = in_ascii_digits(output)
        for placeholder in self.placeholders:
            for start, end in placeholder.spans_in(text):
                text = text[:start] + " " * (end - start) + text[end:]
        return text


def with_placeholders(text: str, spans: Sequence[Span], kind: Placeholders) -> WithPlaceholders | None:
    """The text with placeholders for the spans; None when there are too many of them."""
    plain = in_ascii_digits(blank_out(text, spans)).upper()
    free = [word for word in kind.value.split() if word not in plain]
    if len(spans) > min(_MOST, len(free)):
        return None
    sent = ""
    at = 0
    placeholders: list[_Placeholder] = []
    for index, (span, word) in enumerate(zip(spans, free, strict=False)):
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
