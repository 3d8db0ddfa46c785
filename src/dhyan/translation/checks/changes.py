"""Rising and falling: "by 20% to 5 million" is not from 20% to 5 million."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from dhyan.translation.checks.spaced import pattern

_NUMBER = r"(?:[$€£₹¥] )?(?P<number>\d[\d.,]*)"
# What a number is in the translation when it must not be: its role in the source → roles that say something else.
_CONTRARY = {"by": ("from", "to"), "to": ("from",), "from": ("to",)}


@dataclass(frozen=True)
class ChangeWords:
    verbs: re.Pattern[str]
    roles: Mapping[str, tuple[re.Pattern[str], ...]]  # from, to, by → patterns with a group `number`

    @classmethod
    def of(cls, table: Mapping[str, Any], units: Iterable[str]) -> Self:
        """units: patterns of what may follow a number and belong to it."""
        number = f"{_NUMBER}(?: (?:{'|'.join(units)}))*"
        verbs = table.get("verbs", ())
        verb = f"(?:{'|'.join(verbs)})"

        def filled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
            return tuple(pattern([one.replace("{n}", number).replace("{verb}", verb)]) for one in patterns)

        return cls(pattern(verbs), {role: filled(table.get(role, ())) for role in _CONTRARY})

    def roles_of_numbers(self, text: str) -> dict[str, set[str]]:
        """Role → the numbers of a spaced text that have it."""
        return {
            role: {found["number"] for one in patterns for found in one.finditer(text)}
            for role, patterns in self.roles.items()
        }


class ChangeCheck:
    """Where something rises or falls, each number keeps its role."""

    def __init__(self, source: ChangeWords, target: ChangeWords) -> None:
        self.source, self.target = source, target

    def __call__(self, source: str, target: str) -> list[str]:
        if not self.source.verbs.search(source):
            return []
        there = self.source.roles_of_numbers(source)
        # A single number cannot be mistaken for another: 20% से बढ़ना is to rise by 20%.
        if sum(map(bool, there.values())) < 2:
            return []
        here = self.target.roles_of_numbers(target)
        wrong = {
            number: None
            for role, numbers in there.items()
            for other in _CONTRARY[role]
            if (role, other) != ("by", "to") or there["to"]  # by 10 to 20 percent
            for number in sorted(numbers & here[other] - there[other])
        }
        return [f'what changes by, from or to "{number}" may be wrong' for number in wrong]
