"""Amounts: the values of numbers in digits and in words. 150,000 is "one hundred and fifty thousand" is डेढ़ लाख."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from dhyan.translation.checks.spaced import folded

_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)?")
_HUNDRED = 100.0
# Smaller ones come and go with the words of a language: "a couple" is दो, and दो is also "give".
_LEAST_ADDED = 10
_LEAST_ORDINAL = 11  # smaller ones are also other words: "third" of "one third", दूसरा "another"


@dataclass(frozen=True, slots=True)
class Amount:
    value: float
    words: str  # as they stand in the text
    certain: bool  # False: the words may mean something else, as "one" does, or be vague: "several hundred"
    is_ordinal: bool = False  # in words: "twenty-third"


class Read(NamedTuple):
    value: float
    end: int  # the token after it


@dataclass(frozen=True)
class NumberWords:
    """How a language says numbers."""

    words: Mapping[str, float]
    scales: Mapping[str, float]  # multiply what stands before them
    articles: frozenset[str]  # one, before a scale
    joining: frozenset[str]  # between a scale and what is added to it
    added_before: Mapping[str, float]  # साढ़े तीन is three and a half, and so is "half past three", of the clock
    added_after: Mapping[str, float]  # two "and a half"
    ends_no_amount: frozenset[str]  # "thirds" of "two thirds"
    ordinal_endings: tuple[str, ...]  # of 1st, 2nd, 3rd and the others
    uncertain: frozenset[str]
    ordinals: Mapping[str, float]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        maps = [table.get(name, {}) for name in ("words", "scales", "added_before", "added_after")]
        words, scales, before, after = (
            {folded(word): float(value) for value, listed in one.items() for word in listed} for one in maps
        )
        names = ("articles", "joining", "ends_no_amount", "uncertain")
        articles, joining, ends, uncertain = (frozenset(map(folded, table.get(name, ()))) for name in names)
        endings = tuple(map(folded, table.get("ordinal_endings", ())))
        ordinals = {folded(one): float(value) for value, some in table.get("ordinals", {}).items() for one in some}
        for suffix in map(folded, table.get("ordinal_suffixes", ())):
            ordinals |= {word + suffix: value for word, value in words.items()}
        return cls(words, scales, articles, joining, before, after, ends, endings, uncertain, ordinals)

    def amounts(self, text: str) -> list[Amount]:
        """Those of a spaced text and its ordinals, in order; a fraction ("two thirds") is none."""
        tokens = text.split()
        found: list[Amount] = []
        at = 0
        while at < len(tokens):
            ordinal = self.read_ordinal(tokens, at)
            read = ordinal or self.read(tokens, at)
            if ordinal is not None:
                words = tokens[at : ordinal.end]
                certain = ordinal.value >= _LEAST_ORDINAL and words[-1] not in self.uncertain
                found.append(Amount(ordinal.value, " ".join(words), certain, is_ordinal=True))
                if not certain and len(words) > 1:  # "a twenty-second delay"
                    found.append(Amount(self.words[words[0]], words[0], certain, is_ordinal=True))
            elif read is not None:
                words = tokens[at : read.end]
                if self.is_amount(tokens, at, read.end):
                    found.append(Amount(read.value, " ".join(words), self._is_certain(words, tokens[read.end :])))
            elif tokens[at] in self.scales:
                found.append(Amount(self.scales[tokens[at]], tokens[at], certain=False))
            at = read.end if read is not None else at + 1
        return found

    def _is_certain(self, words: list[str], following: list[str]) -> bool:
        if words[0] in self.articles:
            return False  # "a thousand words"
        if len(words) > 1:
            return self._added(words, 0) is None or words[-1] in self.scales  # साढ़े दस is also half past ten
        return words[0] not in self.uncertain and not (following and following[0] in self.ordinal_endings)

    def is_amount(self, tokens: Sequence[str], start: int, end: int) -> bool:
        """Whether the number there is one, and not part of a fraction or an ordinal."""
        after = end + (list(tokens[end : end + 1]) == ["-"])
        return tokens[start][0].isdigit() or after >= len(tokens) or tokens[after] not in self.ends_no_amount

    def read_ordinal(self, tokens: Sequence[str], at: int) -> Read | None:
        """In words: "third", "twenty-third"."""
        if tokens[at] in self.ordinals:
            return Read(self.ordinals[tokens[at]], at + 1)
        tens, after = self.words.get(tokens[at], 0), at + 1 + (list(tokens[at + 1 : at + 2]) == ["-"])
        ones = self.ordinals.get(tokens[after], 0) if after < len(tokens) else 0
        return Read(tens + ones, after + 1) if tens >= 20 and tens % 10 == 0 and 0 < ones < 10 else None

    def ordinal_in_digits(self, words: Sequence[str], value: float) -> str:
        """23rd, for "twenty-third"; nothing for what may mean something else."""
        if value < _LEAST_ORDINAL or words[-1] in self.uncertain or not self.ordinal_endings:
            return ""
        last = int(value) % 10 if value > 20 else 0
        return f"{value:.0f}{self.ordinal_endings[last - 1 if 0 < last <= 3 else -1]}"

    def read(self, tokens: Sequence[str], start: int) -> Read | None:
        """Groups such as "two hundred" "thousand", each smaller than the scale of the one before."""
        total, end, limit = 0.0, start, float("inf")
        while limit > 1:
            begin = end + (end > start and end < len(tokens) and tokens[end] in self.joining)
            read = self._below_thousand(tokens, begin)
            if read is None:
                break
            value, after, scale = read.value, read.end, 1.0
            while after < len(tokens) and self.scales.get(tokens[after], 0) > _HUNDRED:
                scale *= self.scales[tokens[after]]
                after += 1
            if value * scale >= limit:
                break
            total, end, limit = total + value * scale, after, scale
        return Read(total, end) if end > start else None

    def _below_thousand(self, tokens: Sequence[str], start: int) -> Read | None:
        read = self._small(tokens, start)
        if read is None:
            return None
        at = read.end + (list(tokens[read.end : read.end + 1]) == ["-"])  # two-dozen
        scale = self.scales.get(tokens[at], 0) if at < len(tokens) else 0
        if not 0 < scale <= _HUNDRED:
            return read
        value, end = read.value * scale, at + 1
        rest = self._small(tokens, end + (end < len(tokens) and tokens[end] in self.joining))
        if rest is None or rest.value >= scale or tokens[rest.end - 1][0].isdigit():
            return Read(value, end)
        if rest.end < len(tokens) and self.scales.get(tokens[rest.end]) == scale:
            return Read(value, end)  # "between one hundred and two hundred"
        return Read(value + rest.value, rest.end)

    def _small(self, tokens: Sequence[str], at: int) -> Read | None:
        """Digits, or words below a hundred."""
        if at >= len(tokens):
            return None
        word, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        if word[:1].isdigit():  # a joiner alone folds to nothing
            value = digits_value(word)
            return None if value is None else Read(value, at + 1)
        if word in self.articles and following in self.scales:
            return Read(1.0, at + 1)
        if added := self._added(tokens, at):
            return self._with_added(tokens, *added)
        if word not in self.words:
            return None
        value, end = self.words[word], at + 1
        after = end + (following == "-")
        if value >= 20 and value % 10 == 0 and after < len(tokens) and 0 < self.words.get(tokens[after], 0) < 10:
            value, end = value + self.words[tokens[after]], after + 1
        for phrase, more in self.added_after.items():
            if list(tokens[end : end + phrase.count(" ") + 1]) == phrase.split():
                return Read(value + more, end + phrase.count(" ") + 1)
        return Read(value, end)

    def _added(self, tokens: Sequence[str], at: int) -> Read | None:
        """What is added to the number that follows, where there is such a phrase."""
        for phrase, more in self.added_before.items():
            end = at + phrase.count(" ") + 1
            if list(tokens[at:end]) == phrase.split():
                return Read(more, end)
        return None

    def _with_added(self, tokens: Sequence[str], more: float, at: int) -> Read | None:
        following = tokens[at] if at < len(tokens) else ""
        value = digits_value(following) if following[:1].isdigit() else self.words.get(following)
        if value is not None:
            return Read(value + more, at + 1)
        return Read(1 + more, at) if following in self.scales else None


def digits_value(token: str) -> float | None:
    """The value of 1,50,000 or 3.5 or 3,5; None for a time, a date or a version."""
    if _GROUPED.fullmatch(token):
        return float(token.replace(",", ""))
    return float(token.replace(",", ".")) if _PLAIN.fullmatch(token) else None


class AmountCheck:
    """Every amount of one side must be on the other, in whatever words."""

    def __init__(self, source: NumberWords, target: NumberWords) -> None:
        self.source, self.target = source, target

    def __call__(self, source: str, target: str) -> list[str]:
        there, here = self.source.amounts(source), self.target.amounts(target)
        lost, added = _without(there, here), _without(here, there)
        notes = [f'the number "{one.words}" may be wrong' for one in lost if one.certain]
        return notes or [
            f'the number "{one.words}" is not in the source'
            for one in added
            if one.certain and (one.value >= _LEAST_ADDED or one.words[0].isdigit())
        ]

    def same(self, source: str, target: str) -> bool:
        """Whether the amounts are the same to the last, but for ordinals in words, and times and dates as well."""
        there, here = self.source.amounts(source), self.target.amounts(target)
        if not all(one.is_ordinal for one in [*_without(there, here), *_without(here, there)]):
            return False
        return _other_digits(source) == _other_digits(target)


def _without(some: list[Amount], others: list[Amount]) -> list[Amount]:
    """Those of `some` that have no equal among `others`, which the certain ones take first."""
    values = [one.value for one in others]
    left = []
    for one in sorted(some, key=lambda amount: not amount.certain):
        if one.value in values:
            values.remove(one.value)
        else:
            left.append(one)
    return left


def _other_digits(text: str) -> list[str]:
    return sorted(token for token in text.split() if token[0].isdigit() and digits_value(token) is None)
