"""Negation: a source that denies has a translation that denies, and the other way round."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

from dhyan.translation.checks.spaced import pattern


@dataclass(frozen=True)
class NegationWords:
    """How a language denies."""

    denies: re.Pattern[str]
    may_deny: re.Pattern[str]  # enough to answer a denial of the other language
    neutral: re.Pattern[str]  # phrases that deny nothing, though a word in them does
    said_not_to: re.Pattern[str]  # "told him not to go"
    not_said: re.Pattern[str]  # "did not tell him to go"

    @classmethod
    def of(cls, table: Mapping[str, Sequence[str]]) -> Self:
        return cls(*(pattern(table.get(one.name, ())) for one in fields(cls)))

    def answers(self, text: str, without_neutral: str) -> bool:
        """Whether a denial of the other side may be in it after all, in other words or in a neutral phrase."""
        return bool(self.may_deny.search(without_neutral) or self.denies.search(text))


class NegationCheck:
    def __init__(self, source: NegationWords, target: NegationWords) -> None:
        self.source, self.target = source, target

    def __call__(self, source: str, target: str) -> list[str]:
        there, here = self.source.neutral.sub("…", source), self.target.neutral.sub("…", target)
        denied, denies = self.source.denies.search(there), self.target.denies.search(here)
        if denied and not denies and not self.target.answers(target, here):
            return [f'the source denies something ("{denied[0]}") that the translation may not']
        if denies and not denied and not self.source.answers(source, there):
            return [f'the translation denies something ("{denies[0]}") that the source may not']
        said_not_to = self.source.said_not_to.search(there) and not self.source.not_said.search(there)
        if said_not_to and self.target.not_said.search(here):
            return ["what is denied may be wrong: that something was said, or what was said"]
        return []
