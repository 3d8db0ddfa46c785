"""One attempt at a sentence: what was sent, what is wrong with an answer, and what can be made of it."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Flag, auto

from dhyan.translation.checks.agreement import Agreement, Disagreement
from dhyan.translation.letter_case import to_case
from dhyan.translation.numbers import numbers_in
from dhyan.translation.placeholders import WithPlaceholders
from dhyan.translation.protected_spans import Kind, Span, blank_out, keeps_literals, symbol_spans
from dhyan.translation.repetition import absurdly_long, loops, without_loops
from dhyan.translation.segments import Sentence
from dhyan.translation.translated import SURE, Alternative
from dhyan.translation.unicode import with_ellipsis_of, without_blank_after_bracket

LOOP_CUT = "a repetition was cut out of the translation"
MORE_DIGITS = "the translation has digits that the source has not"
VERY_LONG = "a translation is much longer than its source"


class Fault(Flag):
    NONE = 0
    EMPTY = auto()
    LOOPS = auto()
    TOO_LONG = auto()
    LOST_PLACEHOLDER = auto()
    WRONG_NUMBERS = auto()
    LOST_SYMBOL = auto()
    DIGITS_FOR_WORDS = auto()  # "a million" may well become "10 लाख": noted, not repaired


_NOT_ACCEPTED = Fault.EMPTY | Fault.LOST_PLACEHOLDER | Fault.WRONG_NUMBERS | Fault.LOST_SYMBOL


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a sentence; the confidence is between 0 and 1."""

    text: str
    notes: tuple[str, ...] = ()
    confidence: float = SURE


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sentence, what is sent for it this time, and how it is asked for.

    `asked` is the sentence itself or another wording of it; what comes back is always checked against `sentence`.
    """

    sentence: Sentence
    asked: Sentence
    hidden: tuple[Span, ...]  # spans of `asked`
    sent: WithPlaceholders
    strict: bool
    agreement: Agreement | None = None

    def answer(self, candidate: Alternative) -> "Answer":
        output = with_ellipsis_of(self.sent.text, candidate.text.strip())
        output = without_blank_after_bracket(self.sent.text, output)
        return Answer(self, output, candidate.score, self.faults(output), self.disagreements(output))

    def faults(self, output: str) -> Fault:
        if output == self.sent.text:
            return Fault.NONE  # a copy keeps everything
        if not output:
            return Fault.EMPTY
        faults = Fault.NONE
        if loops(output, self.sent.text):
            faults |= Fault.LOOPS
        if absurdly_long(output, self.sent.text):
            faults |= Fault.TOO_LONG
        if self.sent.restored(output) is None:
            faults |= Fault.LOST_PLACEHOLDER
        return faults | self._watched_faults(output)

    def _watched_faults(self, output: str) -> Fault:
        faults = Fault.NONE
        plain = self.sent.without_placeholders(output)
        shown = blank_out(self.asked.ordinary, self.hidden)
        expected = numbers_in(shown)
        found = numbers_in(plain)
        if expected != found and not self._amounts_agree(output):
            if expected:
                faults |= Fault.WRONG_NUMBERS
            elif self.agreement is None:  # which would know better
                faults |= Fault.DIGITS_FOR_WORDS
        watched = set(self.asked.watched) - set(self.hidden)
        symbols = Counter(span.replacement for span in watched if span.kind is Kind.SYMBOL)
        kept = Counter(span.replacement for span in symbol_spans(plain))
        if any(kept[mark] != count for mark, count in symbols.items()) or not keeps_literals(watched, shown, plain):
            faults |= Fault.LOST_SYMBOL
        if self._has_wrong_times(output, [span.replacement for span in watched if span.kind is Kind.LITERAL]):
            faults |= Fault.LOST_SYMBOL | Fault.LOST_PLACEHOLDER  # hidden next time, by the second choice
        if self._has_wrong_times(output, self.sent.no_times):
            faults |= Fault.LOST_PLACEHOLDER
        return faults

    def _has_wrong_times(self, output: str, kept: Iterable[str]) -> bool:
        """Whether something that is no number is said to be a time of the day: "2.5 km/h o'clock"."""
        if self.agreement is None:
            return False
        after = "|".join(map(re.escape, sorted(self.agreement.target.times.clock)))
        return bool(after) and any(re.search(rf"{re.escape(one)} (?:{after})(?!\w)", output) for one in kept)

    def _amounts_agree(self, output: str) -> bool:
        """50 lakh is 5 million."""
        return self.agreement is not None and self.agreement.same_amounts(*self._sides(output))

    def disagreements(self, output: str) -> tuple[Disagreement, ...]:
        if self.agreement is None or not output:
            return ()
        return tuple(self.agreement.disagreements(*self._sides(output)))

    def _sides(self, output: str) -> tuple[str, str]:
        """What is compared: the sentence and its translation, both without what is kept as it is."""
        text = self.sent.restored(output)
        text = self.sent.without_placeholders(output) if text is None else text
        for span in self.sentence.hidden:
            text = text.replace(span.replacement, " ", 1)
        return blank_out(self.sentence.source, self.sentence.hidden), text

    def outcome(self, output: str, faults: Fault, target_has_case: bool) -> Outcome | None:
        """What to make of an output: loops are cut, placeholders are replaced; None when that does not save it."""
        if output == self.sent.text and self.asked is self.sentence:
            return Outcome(self.sentence.untranslated())
        cut = without_loops(output, self.sent.text).strip() if Fault.LOOPS in faults else output
        faults = faults if cut == output else self.faults(cut)
        if faults & _NOT_ACCEPTED:
            return None
        notes = [LOOP_CUT] * (cut != output)
        notes += [VERY_LONG] * (Fault.TOO_LONG in faults) + [MORE_DIGITS] * (Fault.DIGITS_FOR_WORDS in faults)
        text = self.sent.restored(to_case(self.sentence.case, cut) if target_has_case else cut)
        return None if text is None else Outcome(text, tuple(notes))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said, and what is wrong with it."""

    attempt: Attempt
    output: str
    score: float  # log-probability per token
    faults: Fault
    disagreements: tuple[Disagreement, ...]

    @property
    def is_good(self) -> bool:
        return not self.faults & ~Fault.DIGITS_FOR_WORDS and not self.disagreements

    def outcome(self, target_has_case: bool) -> Outcome | None:
        return self.attempt.outcome(self.output, self.faults, target_has_case)
