"""One try of a sentence: what was sent, what is wrong with the answer, and what can be made of it."""

from collections import Counter
from dataclasses import dataclass
from enum import Flag, auto

from dhyan.translation.letter_case import as_in
from dhyan.translation.numbers import numbers_in
from dhyan.translation.placeholders import Disguised
from dhyan.translation.protected_spans import Kind, Span, loose_spans, outside
from dhyan.translation.repetition import absurdly_long, loops, without_loops
from dhyan.translation.segments import Sentence

LOOP_CUT = "a repetition was cut out of the translation"
MORE_DIGITS = "the translation has digits that the source has not"
VERY_LONG = "a translation is much longer than its source"


class Fault(Flag):
    NONE = 0
    EMPTY = auto()
    LOOPS = auto()
    TOO_LONG = auto()
    LOST_HIDDEN = auto()
    WRONG_NUMBERS = auto()
    LOST_LOOSE = auto()
    DIGITS_FOR_WORDS = auto()  # "a million" may well become "10 लाख": told, not mended


_NOT_ACCEPTED = Fault.EMPTY | Fault.LOST_HIDDEN | Fault.WRONG_NUMBERS | Fault.LOST_LOOSE


@dataclass(frozen=True, slots=True)
class Outcome:
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Try:
    """A sentence, the spans of it that are hidden this time, and how it is asked for."""

    sentence: Sentence
    hidden: tuple[Span, ...]
    sent: Disguised
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
        if self.sent.revealed(output) is None:
            faults |= Fault.LOST_HIDDEN
        return faults | self._watched_faults(self.sent.without_stand_ins(output))

    def _watched_faults(self, output: str) -> Fault:
        faults = Fault.NONE
        expected = numbers_in(outside(self.sentence.ordinary, self.hidden))
        found = numbers_in(output)
        if expected and expected != found:
            faults |= Fault.WRONG_NUMBERS
        elif found and not expected:
            faults |= Fault.DIGITS_FOR_WORDS
        watched = set(self.sentence.watched) - set(self.hidden)
        loose = Counter(span.put for span in watched if span.kind is Kind.LOOSE)
        kept = Counter(span.put for span in loose_spans(output))
        if any(kept[mark] != count for mark, count in loose.items()):
            faults |= Fault.LOST_LOOSE
        return faults

    def outcome(self, output: str, target_has_case: bool) -> Outcome | None:
        """What to make of an output: loops are cut, spans put back; None when that does not save it."""
        if output == self.sent.text:
            return Outcome(self.sentence.untranslated())
        cut = without_loops(output, self.sent.text).strip()
        faults = self.faults(cut)
        if faults & _NOT_ACCEPTED:
            return None
        notes = [LOOP_CUT] * (cut != output)
        notes += [VERY_LONG] * (Fault.TOO_LONG in faults) + [MORE_DIGITS] * (Fault.DIGITS_FOR_WORDS in faults)
        text = self.sent.revealed(as_in(self.sentence.case, cut) if target_has_case else cut)
        return None if text is None else Outcome(text, tuple(notes))
