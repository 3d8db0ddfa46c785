"""The parts of a text that are not language: addresses, code, formulas, foreign scripts, prices, tags, emoji.

Each has a kind that says how it is kept.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from dhyan.translation import span_patterns
from dhyan.translation.bare_formulas import OPAQUE, formula_ranges


class Kind(Enum):
    BREAK = "a tab, a wide gap, a block tag: what stands on its two sides is translated apart"
    TAG = "an inline tag or half of a link: keeps its order, and at an edge the model never sees it"
    FIXED = "an address, code, a formula, a word in a foreign script: part of the sentence, but not of the language"
    TERM = "a term of the glossary"
    LITERAL = "a price, a measure, a sign: left to the model, if it keeps it character for character"
    SYMBOL = "an emoji, a star of emphasis, a control character: left to the model, if it keeps it"
    NUMBER = "digits: left to the model, if it keeps them"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a text, which `replacement` replaces in the output."""

    start: int
    end: int
    kind: Kind
    replacement: str

    def shifted(self, by: int) -> "Span":
        return Span(self.start + by, self.end + by, self.kind, self.replacement)


def _pattern(**kinds: Iterable[str]) -> re.Pattern[str]:
    groups = (f"(?P<{name}>{'|'.join(f'(?:{one})' for one in patterns)})" for name, patterns in kinds.items())
    return re.compile("|".join(groups))


# Words and the punctuation of prose, which most text is made of: nothing in it is protected.
_PLAIN = re.compile(
    r"(?:[\"'“‘(]*+(?:[A-Z]?+[a-z]{1,50}+|[A-Z]{1,50}+|[\u0900-\u0963\u0970-\u097f]++)(?:['’-](?!mm-)(?:[a-z]++|[A-Z][a-z]++))*+"
    r"[\"'”’)]*+[.,;:!?।…]*+[\"'”’)]*+(?:[ ]{1,2}|\Z))*+"
)

_ENDS_IN_WORD = re.compile(r"^[0-9A-Za-z]|[0-9A-Za-z]$")

# The order is the priority where two begin at one offset: code hides what it holds.
_HIDDEN = _pattern(FIXED=span_patterns.FIXED, BREAK=span_patterns.BREAKS, TAG=span_patterns.TAGS)
_WATCHED = _pattern(SYMBOL=span_patterns.SYMBOLS, LITERAL=span_patterns.LITERALS)
_SYMBOL = _pattern(SYMBOL=span_patterns.SYMBOLS)


def protected_spans(text: str) -> list[Span]:
    """What must not reach the model: breaks, tags and fixed parts, in order."""
    return [] if _PLAIN.fullmatch(text) else _with_formulas(text, _spans(_HIDDEN, text))


def watched_spans(text: str) -> list[Span]:
    """What the model must keep, or it is hidden from it: symbols, prices, measures, signs."""
    return [] if _PLAIN.fullmatch(text) else _spans(_WATCHED, text)


def symbol_spans(text: str) -> list[Span]:
    return _spans(_SYMBOL, text)


def blank_out(text: str, spans: Iterable[Span], filler: str = " ") -> str:
    """The text with every character of the spans turned into `filler`: offsets stay the same."""
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += [text[at : span.start], filler * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]])


def keeps_literals(spans: Iterable[Span], source: str, output: str) -> bool:
    """Whether each literal is in the output as often as in the source."""
    literals = {span.replacement for span in spans if span.kind is Kind.LITERAL}
    if not literals:
        return True
    before, after = source.replace("\u00a0", " "), output.replace("\u00a0", " ")
    return all(_occurrences(literal, before) == _occurrences(literal, after) for literal in literals)


def _occurrences(literal: str, text: str) -> int:
    if not _ENDS_IN_WORD.search(literal):
        return text.count(literal)
    # €5 is not in €50, nor 5 m² in 15 m².
    return len(re.findall(rf"(?<![0-9A-Za-z]){re.escape(literal)}(?![0-9A-Za-z]|[.,]\d)", text))


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [
        Span(found.start(), found.end(), Kind[found.lastgroup or ""], found[0])
        for found in pattern.finditer(text)
        if found[0]
    ]


def _with_formulas(text: str, spans: list[Span]) -> list[Span]:
    """A formula may hold fixed parts, as `\\alpha + {x} = 1` does, and is then one span in place of them."""
    between = blank_out(text, (span for span in spans if span.kind is Kind.FIXED), OPAQUE)
    between = blank_out(between, (span for span in spans if span.kind is not Kind.FIXED), "\n")
    formulas = formula_ranges(between)
    if not formulas:
        return spans
    inside = blank_out(" " * len(text), (Span(*place, Kind.FIXED, "") for place in formulas), "x")
    apart = [span for span in spans if inside[span.start] == " "]
    return sorted(
        [*apart, *(Span(start, end, Kind.FIXED, text[start:end]) for start, end in formulas)],
        key=lambda span: span.start,
    )
