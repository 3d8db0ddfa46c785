"""One attempt at a sentence: what was sent, what is wrong with the output, and what can be made of it."""

from collections import Counter
from dataclasses import dataclass
from enum import Flag, auto

from dhyan.translation.letter_case import to_case
from dhyan.translation.numbers import numbers_in
from dhyan.translation.placeholders import WithPlaceholders
from dhyan.translation.protected_spans import Kind, Span, blank_out, keeps_literals, symbol_spans
from dhyan.translation.repetition import absurdly_long, loops, without_loops
from dhyan.translation.segments import Sentence
from dhyan.translation.translated import SURE

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
    """A sentence, the spans of it that are hidden this time, and how it is asked for."""

    sentence: Sentence
    hidden: tuple[Span, ...]
    sent: WithPlaceholders
    strict: bool

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
        return faults | self._watched_faults(self.sent.without_placeholders(output))

    def _watched_faults(self, output: str) -> Fault:
        faults = Fault.NONE
        shown = blank_out(self.sentence.ordinary, self.hidden)
        expected = numbers_in(shown)
        found = numbers_in(output)
        if expected and expected != found:
            faults |= Fault.WRONG_NUMBERS
        elif found and not expected:
            faults |= Fault.DIGITS_FOR_WORDS
        watched = set(self.sentence.watched) - set(self.hidden)
        symbols = Counter(span.replacement for span in watched if span.kind is Kind.SYMBOL)
        kept = Counter(span.replacement for span in symbol_spans(output))
        if any(kept[mark] != count for mark, count in symbols.items()) or not keeps_literals(watched, shown, output):
            faults |= Fault.LOST_SYMBOL
        return faults

    def outcome(self, output: str, faults: Fault, target_has_case: bool) -> Outcome | None:
        """What to make of an output: loops are cut, placeholders are replaced; None when that does not save it."""
        if output == self.sent.text:
            return Outcome(self.sentence.untranslated())
        cut = without_loops(output, self.sent.text).strip()
        faults = faults if cut == output else self.faults(cut)
        if faults & _NOT_ACCEPTED:
            return None
        notes = [LOOP_CUT] * (cut != output)
        notes += [VERY_LONG] * (Fault.TOO_LONG in faults) + [MORE_DIGITS] * (Fault.DIGITS_FOR_WORDS in faults)
        text = self.sent.restored(to_case(self.sentence.case, cut) if target_has_case else cut)
        return None if text is None else Outcome(text, tuple(notes))
