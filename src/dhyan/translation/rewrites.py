"""Another wording of a source that came back wrong: what the model does not understand, said so that it does.

Times become "9 in the morning", numbers in words become digits; the rules are those of the language's table.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from dhyan.translation.checks.amounts import NumberWords
from dhyan.translation.checks.spaced import TOKEN, folded

_FULL_STOPS = ".।"


@dataclass(frozen=True)
class Rewrite:
    """A pattern, and what to try in its place, the best first; `kind` is the check that calls for it."""

    kind: str
    pattern: re.Pattern[str]
    replacements: tuple[str, ...]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        return cls(table["kind"], re.compile(table["pattern"], re.IGNORECASE), tuple(table["replacements"]))

    def applied(self, text: str, choice: int) -> str:
        return self.pattern.sub(self.replacements[min(choice, len(self.replacements) - 1)], text)


@dataclass(frozen=True)
class Rewriter:
    rewrites: tuple[Rewrite, ...]
    numbers: NumberWords

    @classmethod
    def of(cls, tables: Sequence[Mapping[str, Any]], numbers: NumberWords) -> Self:
        return cls(tuple(map(Rewrite.of, tables)), numbers)

    def rewritten(self, text: str, kinds: Collection[str]) -> list[str]:
        """Other wordings of a text in which checks of these kinds failed; the best first."""
        called = [one for one in self.rewrites if one.kind in kinds]
        choices = max((len(one.replacements) for one in called), default=1)
        found: dict[str, None] = {}
        for choice in range(choices):
            other = in_digits(text, self.numbers) if "numbers" in kinds else text
            for one in called:
                other = one.applied(other, choice)
            if text[-1:] in _FULL_STOPS and other[-1:] not in _FULL_STOPS:
                other += text[-1]  # it was that of an abbreviation too
            found[other] = None
        return [other for other in found if other != text]


def in_digits(text: str, numbers: NumberWords) -> str:
    """The text with its longer numbers in words as digits: "two hundred and six" as 206, "six" as it is.

    So are ordinals: "twenty-third" as 23rd.
    """
    tokens = list(TOKEN.finditer(text))
    words = [folded(token[0]) for token in tokens]
    pieces: list[str] = []
    at = copied = 0
    while at < len(tokens):
        ordinal = numbers.read_ordinal(words, at)
        digits = numbers.ordinal_in_digits(words[at : ordinal.end], ordinal.value) if ordinal is not None else ""
        if ordinal is not None and digits:
            pieces += [text[copied : tokens[at].start()], digits]
            copied = tokens[ordinal.end - 1].end()
            at = ordinal.end
            continue
        read = numbers.read(words, at)
        if read is None or read.end - at < 2 or not numbers.is_amount(words, at, read.end):
            at += 1 if read is None else read.end - at
            continue
        pieces += [
            text[copied : tokens[at].start()],
            f"{read.value:,.10g}" if read.value % 1 else f"{read.value:,.0f}",
        ]
        copied = tokens[read.end - 1].end()
        at = read.end
    return "".join([*pieces, text[copied:]])
