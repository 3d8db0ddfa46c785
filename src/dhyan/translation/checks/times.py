"""Times of the day: 9 in the morning is not 9 at night."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from dhyan.translation.checks.amounts import NumberWords
from dhyan.translation.checks.spaced import folded, pattern

_CLOCK_TIME = re.compile(r"(\d{1,2})(?:[:.](\d\d))?")
_ABBREVIATIONS = ("<am>", "<pm>")
_FIRST_AT_NOON, _LAST_AT_NOON = 10, 4  # hours
_WITHIN = "_"  # instead of a blank, while a phrase is one token
_FARTHEST = 5  # tokens from a number to its mark: 9 o'clock in the morning


@dataclass(frozen=True, slots=True)
class ClockTime:
    minutes: int  # since midnight or noon
    half: str  # of the day: am or pm; of an impossible time, what it is said to be

    def __str__(self) -> str:
        hour, minute = divmod(self.minutes, 60)
        return f"{hour or 12}{f':{minute:02}' if minute else ''} {self.half[0]}.m."


@dataclass(frozen=True)
class TimeWords:
    """How a language says when in the day a time is."""

    marks: Mapping[str, re.Pattern[str]]  # am, pm, morning, noon, evening, night → words
    mark_comes_before: bool  # सुबह 9 बजे, but 9 in the morning
    clock: frozenset[str]  # words that make a number a time
    between: frozenset[str]  # words that may stand between a number and its mark
    day_words: frozenset[str]  # other words for a part of the day
    added_before: Mapping[str, float]  # half past nine, साढ़े नौ: hours
    numbers: NumberWords

    @classmethod
    def of(cls, table: Mapping[str, Any], numbers: NumberWords) -> Self:
        marks = {f"<{name}>": pattern(words) for name, words in table.get("marks", {}).items()}
        names = ("clock", "between", "day_words")
        clock, between, day_words = (frozenset(map(folded, table.get(name, ()))) for name in names)
        added = {
            folded(one): float(hours) for hours, listed in table.get("added_before", {}).items() for one in listed
        }
        return cls(marks, table.get("mark_comes") == "before", clock, between, day_words, added, numbers)

    def names_part_of_day(self, text: str) -> bool:
        return any(mark.search(text) for mark in self.marks.values()) or not self.day_words.isdisjoint(text.split())

    def times(self, text: str) -> list[ClockTime]:
        """The times of a spaced text that have a mark of their own and can be nothing else."""
        tokens = self._tokens(text)
        return [time for at, time in self._marked(tokens).items() if self._is_of_the_clock(tokens, at)]

    def times_with_shared_marks(self, text: str) -> list[ClockTime]:
        """The same, and what a mark of another time may be meant for too: "between 9 and 11 a.m.", सुबह 9 से 11 बजे."""
        tokens = self._tokens(text)
        marked = self._marked(tokens)
        found: list[ClockTime] = []
        half: str | None = None
        order = range(len(tokens)) if self.mark_comes_before else range(len(tokens) - 1, -1, -1)
        for at in order:  # from the side on which marks stand
            if at in marked:
                found.append(marked[at])
                half = marked[at].half
            elif half is not None and (minutes := self._minutes(tokens, at)) is not None:
                found.append(ClockTime(minutes, half))
        return found if self.mark_comes_before else found[::-1]

    def _tokens(self, text: str) -> list[str]:
        for name, mark in self.marks.items():
            text = mark.sub(name, text)
        for phrase in self.added_before:
            if " " in phrase:
                text = text.replace(f" {phrase} ", f" {phrase.replace(' ', _WITHIN)} ")
        return [token.replace(_WITHIN, " ") for token in text.split()]

    def _is_of_the_clock(self, tokens: list[str], at: int) -> bool:
        """9:30, 9 o'clock, 9 a.m., 9 in the morning; not "one night"."""
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        after = self.clock if self.mark_comes_before else self.clock | self.between
        return ":" in tokens[at] or following in after or following in _ABBREVIATIONS

    def _marked(self, tokens: list[str]) -> dict[int, ClockTime]:
        if self.marks.keys().isdisjoint(tokens):
            return {}
        numbers = [at for at in range(len(tokens)) if self._minutes(tokens, at) is not None]
        usual = -1 if self.mark_comes_before else 1
        mark_of = {at: mark for at in numbers if (mark := self._mark_beside(tokens, at, usual)) is not None}
        for at in numbers:
            mark = self._mark_beside(tokens, at, -usual)
            if at not in mark_of and mark is not None and mark not in mark_of.values():
                mark_of[at] = mark
        return {at: _clock_time(self._minutes(tokens, at) or 0, tokens[mark]) for at, mark in mark_of.items()}

    def _mark_beside(self, tokens: list[str], at: int, step: int) -> int | None:
        for _ in range(_FARTHEST):
            at += step
            if not 0 <= at < len(tokens):
                return None
            if tokens[at] in self.marks:
                return at
            if tokens[at] not in self.between and tokens[at] not in self.added_before:
                return None
        return None

    def _minutes(self, tokens: list[str], at: int) -> int | None:
        """Those since midnight or noon, if the token can be a time of the day."""
        if found := _CLOCK_TIME.fullmatch(tokens[at]):
            hour, minute = int(found[1]), int(found[2] or 0)
            return hour % 12 * 60 + minute if hour <= 24 and minute < 60 else None
        hours = self.numbers.words.get(tokens[at])
        if hours is None or not 1 <= hours <= 12:
            return None
        hours += self.added_before.get(tokens[at - 1], 0) if at else 0
        return round(hours % 12 * 60)


def _clock_time(minutes: int, mark: str) -> ClockTime:
    hour = minutes // 60  # twelve is 0
    if mark == "<noon>" and _LAST_AT_NOON < hour < _FIRST_AT_NOON:
        return ClockTime(minutes, "noon")  # 7 at noon is no time, and agrees with none
    before_twelve = {"<night>": hour < 6, "<noon>": hour >= _FIRST_AT_NOON, "<am>": True, "<morning>": True}
    return ClockTime(minutes, "am" if before_twelve.get(mark, False) else "pm")


class TimeCheck:
    """A time keeps its half of the day, and none is added to one that has none."""

    def __init__(self, source: TimeWords, target: TimeWords) -> None:
        self.source, self.target = source, target

    def __call__(self, source: str, target: str) -> list[str]:
        there = self.source.times(source)
        here = self.target.times_with_shared_marks(target) if there else self.target.times(target)
        if not there and here and not self.source.names_part_of_day(source):
            return [f"the time {here[0]} is not in the source"]
        wrong = [time for time in there if time not in here]
        if not wrong:
            # What is from 8 in the morning to 8 at night is not from 8 at night to 8 in the morning.
            order = [here.index(time) for time in there]
            wrong = there if order != sorted(order) else []
        return [f"the time {time} may be wrong" for time in dict.fromkeys(wrong)]
