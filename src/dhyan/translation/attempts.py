"""Sentences through the model: a first attempt, further ones where checks fail, and in parts where those fail too.

Every round is one batch (two, where some attempts are strict and some are not), however many sentences there are.
What becomes of a sentence depends on that sentence alone. A sentence whose first answer passes every check is done.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dhyan.translation.attempt import Answer, Attempt, Fault, Outcome
from dhyan.translation.checks.agreement import Agreement
from dhyan.translation.confidence import NOTED, Confidence
from dhyan.translation.placeholders import FIRST_CHOICE, SECOND_CHOICE, PlaceholderWords, with_placeholders
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.rewrites import Rewriter
from dhyan.translation.segments import Sentence
from dhyan.translation.translated import SURE, Alternative
from dhyan.translation.unicode import is_word

# Translates single sentences in a batch; True asks for decoding that repeats no n-gram. For each sentence its
# translations, best first, or the best alone if nothing is known of its probability.
TranslateSentences = Callable[[Sequence[str], bool], Sequence[str | Sequence[Alternative]]]

NOTHING_CAME = "the model gave nothing for a sentence, which is left as it was"
IN_PARTS = "a sentence was translated in parts, so that what must not change did not"

_CALLS_FOR_STRICT = Fault.EMPTY | Fault.LOOPS | Fault.TOO_LONG
_STOPS = ".।。,"
_CLAUSE_END = re.compile(r"[,;:—–](?=\s)")
_SHORTEST_CLAUSE = 3  # words


@dataclass(frozen=True)
class SentenceAttempts:
    """How sentences are translated, checked and tried again."""

    translate: TranslateSentences
    target_has_case: bool = False
    words: PlaceholderWords = FIRST_CHOICE
    agreement: Agreement | None = None  # None: the meaning is not checked
    rewriter: Rewriter | None = None
    same_sentence: Callable[[str, Sentence], Sentence | None] | None = None  # another wording of it, made ready
    confidence: Confidence | None = None

    def outcomes(self, sentences: Iterable[Sentence]) -> dict[Sentence, Outcome]:
        """An outcome for every sentence; equal sentences are translated once."""
        tried: dict[Sentence, list[Answer]] = {sentence: [] for sentence in sentences}
        self._ask([self._attempt(sentence, sentence, sentence.hidden, self.words) for sentence in tried], tried)
        self._ask([again for answers in tried.values() for again in self._further_attempts(answers)], tried)
        self._ask([self._last_attempt(answers) for answers in tried.values()], tried)
        done: dict[Sentence, Outcome] = {}
        in_parts: dict[Sentence, list[str | Sentence]] = {}
        for sentence, answers in tried.items():
            outcome = self._best(answers)
            if outcome is not None:
                done[sentence] = outcome
                if not any(one.is_good for one in answers) and (cuts := _clause_ends(sentence)):
                    in_parts[sentence] = sentence.fragments(cuts)
            elif sentence.hidden or sentence.watched:
                in_parts[sentence] = sentence.fragments()
            else:
                done[sentence] = Outcome(sentence.untranslated(), (NOTHING_CAME,), confidence=0.0)
        return done | self._outcomes_in_parts(in_parts, done)

    def _outcomes_in_parts(
        self, in_parts: Mapping[Sentence, list[str | Sentence]], whole: Mapping[Sentence, Outcome]
    ) -> dict[Sentence, Outcome]:
        """Sentences as their parts; one that came out whole as well, only if every check of its meaning passes."""
        if not in_parts:
            return {}
        # Parts have nothing left to hide, so this goes one level down and no further.
        fragments = [part for parts in in_parts.values() for part in parts if isinstance(part, Sentence)]
        translated = replace(self, agreement=None).outcomes(fragments)
        joined = {sentence: _joined(parts, translated) for sentence, parts in in_parts.items()}
        return {
            sentence: outcome
            for sentence, outcome in joined.items()
            if sentence not in whole
            or (self.agreement and not self.agreement.disagreements(sentence.source, outcome.text))
        }

    def _ask(self, attempts: Sequence[Attempt | None], tried: Mapping[Sentence, list[Answer]]) -> None:
        """Add the answers to what was tried: of each attempt the best ones, up to the first that is good."""
        for strict in (False, True):
            asked = [attempt for attempt in attempts if attempt is not None and attempt.strict is strict]
            texts = list(dict.fromkeys(attempt.sent.text for attempt in asked))
            if not texts:
                continue
            found = dict(zip(texts, map(_candidates, self.translate(texts, strict)), strict=True))
            for attempt in asked:
                for candidate in found[attempt.sent.text]:
                    answer = attempt.answer(candidate)
                    tried[attempt.sentence].append(answer)
                    if answer.is_good:
                        break

    def _further_attempts(self, answers: Sequence[Answer]) -> Iterator[Attempt | None]:
        """Other ways to ask for what came back faulty; none when an answer is good."""
        if not answers or any(answer.is_good for answer in answers):
            return
        first = answers[0]
        sentence = first.attempt.sentence
        if first.faults & ~Fault.DIGITS_FOR_WORDS:
            yield self._repeated(first, SECOND_CHOICE if Fault.LOST_PLACEHOLDER in first.faults else self.words)
        kinds = {one.kind for one in first.disagreements}
        if kinds and self.rewriter is not None and self.same_sentence is not None:
            for wording in self.rewriter.rewritten(sentence.source, kinds):
                other = self.same_sentence(wording, sentence)
                if other is not None:
                    yield self._attempt(sentence, other, other.hidden, self.words)

    def _last_attempt(self, answers: Sequence[Answer]) -> Attempt | None:
        """The second choice of placeholders and all that was spoilt hidden, before a sentence goes in parts."""
        repeated = [one for one in answers if one.attempt.asked is one.attempt.sentence]
        if not repeated or self._best(answers) is not None:
            return None
        again = self._repeated(repeated[-1], SECOND_CHOICE)
        tried = [one.attempt.sent.text for one in repeated]
        return None if again is None or again.sent.text in tried else again

    def _repeated(self, answer: Answer, words: PlaceholderWords) -> Attempt | None:
        """The same once more, with what came out spoilt hidden as well."""
        sentence, faults = answer.attempt.sentence, answer.faults
        spoilt = {
            Kind.NUMBER: Fault.WRONG_NUMBERS in faults,
            Kind.SYMBOL: Fault.LOST_SYMBOL in faults,
            Kind.LITERAL: bool(faults & (Fault.LOST_SYMBOL | Fault.WRONG_NUMBERS)),
        }
        hidden = answer.attempt.hidden
        hidden += tuple(span for span in sentence.watched if spoilt[span.kind] and span not in hidden)
        return self._attempt(sentence, sentence, hidden, words, strict=bool(faults & _CALLS_FOR_STRICT))

    def _attempt(
        self,
        sentence: Sentence,
        asked: Sentence,
        hidden: tuple[Span, ...],
        words: PlaceholderWords,
        strict: bool = False,
    ) -> Attempt | None:
        """An attempt, or None when the sentence has more to hide than a model could keep apart."""
        in_order = tuple(sorted(hidden, key=lambda span: span.start))
        sent = with_placeholders(asked.ordinary, in_order, words)
        return None if sent is None else Attempt(sentence, asked, in_order, sent, strict, self.agreement)

    def _best(self, answers: Sequence[Answer]) -> Outcome | None:
        """The outcome that disagrees least with its source; None when there is none that can be used."""
        first = answers[0].attempt if answers else None

        def order(answer: Answer) -> tuple[int, int]:
            # A repeated attempt has mended what was spoilt; another wording is the last choice.
            is_repeated = answer.attempt is not first and answer.attempt.asked is answer.attempt.sentence
            return len(answer.disagreements), 0 if is_repeated else 1 if answer.attempt is first else 2

        for answer in sorted(answers, key=order):
            outcome = answer.outcome(self.target_has_case)
            if outcome is not None:
                notes = outcome.notes + tuple(one.note for one in answer.disagreements)
                if self.confidence is None:
                    return Outcome(outcome.text, notes)
                asked = answer.attempt.asked.source
                return Outcome(outcome.text, notes, self.confidence(asked, answer.score, bool(notes)))
        return None


def _candidates(found: str | Sequence[Alternative]) -> Sequence[Alternative]:
    if isinstance(found, str):
        return [Alternative(found, 0.0)]
    return found or [Alternative("", 0.0)]


def _clause_ends(sentence: Sentence) -> list[Span]:
    """Where a sentence can be cut into clauses of some length; nowhere if it has anything to hide."""
    if sentence.hidden:
        return []
    ends: list[Span] = []
    start = 0
    for found in _CLAUSE_END.finditer(sentence.source):
        rest = sentence.source[found.end() :]
        if min(len(sentence.source[start : found.start()].split()), len(rest.split())) >= _SHORTEST_CLAUSE:
            ends.append(Span(found.start(), found.end(), Kind.FIXED, found[0]))
            start = found.end()
    return ends


def _joined(parts: list[str | Sentence], translated: Mapping[Sentence, Outcome]) -> Outcome:
    text = ""
    notes = [IN_PARTS]
    least = SURE
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        outcome = translated[part]
        # A model that takes a fragment for a whole sentence ends it with a full stop, or with a comma of its own.
        text += outcome.text.rstrip(_STOPS) if is_word(part.source[-1]) else outcome.text
        notes += outcome.notes
        least = min(least, outcome.confidence)
    return Outcome(text, tuple(dict.fromkeys(notes)), NOTED * least)
