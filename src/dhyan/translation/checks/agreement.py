"""All checks together: does a translation say what its source says?

A check is a small function of a source and its translation that returns what does not agree, each as a note. What it
knows of the two languages lies in tables beside this file. A new language is a new table, named by its code; what the
table leaves out is not checked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from dhyan.core.settings import read_toml
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation.checks.amounts import AmountCheck, NumberWords
from dhyan.translation.checks.changes import ChangeCheck, ChangeWords
from dhyan.translation.checks.doubling import DoublingCheck
from dhyan.translation.checks.leftovers import LeftoverCheck
from dhyan.translation.checks.named import NameCheck, Names
from dhyan.translation.checks.negation import NegationCheck, NegationWords
from dhyan.translation.checks.spaced import spaced
from dhyan.translation.checks.times import TimeCheck, TimeWords
from dhyan.translation.end_marks import EndMarks
from dhyan.translation.rewrites import Rewriter
from dhyan.translation.short_forms import ShortForms

FOLDER = Path(__file__).parent

_MOST_OF_THEM = 0.8


class Disagreement(NamedTuple):
    kind: str  # numbers, times, names, units, changes, negation, doubling, leftovers
    note: str


@dataclass(frozen=True)
class LanguageTables:
    """What the checks know of a language. A table that its file does not have is empty, and finds nothing."""

    common_words: tuple[str, ...]
    numbers: NumberWords
    times: TimeWords
    names: Names
    units: Names
    changes: ChangeWords
    negation: NegationWords
    set_phrases: tuple[str, ...]  # in which words come again
    rewriter: Rewriter
    short_forms: ShortForms
    end_marks: EndMarks

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Self:
        numbers = NumberWords.of(raw.get("numbers", {}))
        units, also = raw.get("units", {}), raw.get("also", {})
        after_numbers = [*(name for names in units.values() for name in names), *numbers.scales]
        return cls(
            tuple(raw.get("common_words", ())),
            numbers,
            TimeWords.of(raw.get("times", {}), numbers),
            Names.of(raw.get("names", {}), also, measured=False),
            Names.of(units, also, measured=True),
            ChangeWords.of(raw.get("changes", {}), after_numbers),
            NegationWords.of(raw.get("negation", {})),
            tuple(raw.get("set_phrases", ())),
            Rewriter.of(raw.get("rewrites", ()), numbers),
            ShortForms.of(raw.get("short_forms", {})),
            EndMarks.of(raw.get("end_marks", {})),
        )


@cache
def language_tables(code: str) -> LanguageTables:
    return LanguageTables.of(read_toml(FOLDER / f"{code}.toml"))


def with_table(code: str) -> str | None:
    return code if code in {path.stem for path in FOLDER.glob("*.toml")} else None


def language_of(tokenizer: Tokenizer) -> str | None:
    """The language with a table whose commonest words are single tokens here; None where no table fits."""
    found: dict[str, float] = {}
    for code in sorted(path.stem for path in FOLDER.glob("*.toml")):
        words = language_tables(code).common_words
        found[code] = sum(len(ids) == 1 for ids in tokenizer.encode_batch(list(words))) / max(1, len(words))
    best = max(found, key=lambda code: found[code])
    return best if found[best] >= _MOST_OF_THEM else None


class Agreement:
    """The checks for a pair of languages. source_script: where the two differ in script, the source's."""

    def __init__(self, source: str, target: str, source_script: str | None, source_has_case: bool) -> None:
        self.source, self.target = language_tables(source), language_tables(target)
        here, there = self.source, self.target
        self.amounts = AmountCheck(here.numbers, there.numbers)
        self.checks: dict[str, Callable[[str, str], list[str]]] = {
            "numbers": self.amounts,
            "times": TimeCheck(here.times, there.times),
            "names": NameCheck(here.names, there.names),
            "units": NameCheck(here.units, there.units),
            "changes": ChangeCheck(here.changes, there.changes),
            "negation": NegationCheck(here.negation, there.negation),
            "doubling": DoublingCheck(there.set_phrases),
        }
        self.leftovers = LeftoverCheck(source_script, source_has_case) if source_script else None

    @classmethod
    def between(
        cls,
        source: Tokenizer,
        target: Tokenizer,
        source_script: str | None,
        source_has_case: bool,
        stated: tuple[str, str] | None = None,
    ) -> Self | None:
        """The checks for a model's two languages; None unless both have tables.

        stated: which they are, where a vocabulary does not tell.
        """
        here, there = (language_of(source), language_of(target)) if stated is None else map(with_table, stated)
        if here is None or there is None or here == there:
            return None
        return cls(here, there, source_script, source_has_case)

    def disagreements(self, source: str, target: str) -> list[Disagreement]:
        one, other = spaced(source), spaced(target)
        found = [Disagreement(kind, note) for kind, check in self.checks.items() for note in check(one, other)]
        if self.leftovers is not None:
            found += [Disagreement("leftovers", note) for note in self.leftovers(source, target)]
        return found

    def same_amounts(self, source: str, target: str) -> bool:
        return self.amounts.same(spaced(source), spaced(target))
