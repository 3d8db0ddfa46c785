"""Months, days of the week, units, "No. 5": what has a fixed name in each language."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from dhyan.translation.checks.spaced import any_of, pattern

# A unit counts where a number stands before it: "5 feet", not "my feet".
_MEASURED, _ANYWHERE = "(?<=[0-9] )", "(?<= )"


@dataclass(frozen=True)
class Names:
    """Meaning → its names in one language; `stated` finds those that a translation must have too."""

    stated: re.Pattern[str]
    accepted: Mapping[str, re.Pattern[str]]

    @classmethod
    def of(cls, table: Mapping[str, Sequence[str]], also: Mapping[str, Sequence[str]], measured: bool) -> Self:
        """also: what is accepted for a meaning besides its names."""
        groups = "|".join(f"(?P<{meaning}>{any_of(names)})" for meaning, names in table.items())
        stated = re.compile(f"{_MEASURED if measured else _ANYWHERE}(?:{groups or '(?!)'})(?= )")
        accepted = {meaning: pattern([*names, *also.get(meaning, ())]) for meaning, names in table.items()}
        return cls(stated, accepted)


class NameCheck:
    def __init__(self, source: Names, target: Names) -> None:
        self.source, self.target = source, target

    def __call__(self, source: str, target: str) -> list[str]:
        stated = {found.lastgroup or "": found[0] for found in self.source.stated.finditer(source)}
        return [
            f'"{words}" may be wrong or missing'
            for meaning, words in stated.items()
            if not self._is_there(meaning, words, target)
        ]

    def _is_there(self, meaning: str, words: str, target: str) -> bool:
        """By a name of the target language, or as it was: "300 mph" may stay."""
        accepted = self.target.accepted.get(meaning)
        return accepted is None or bool(accepted.search(target)) or f" {words} " in target
