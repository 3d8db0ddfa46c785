"""Sentences through the model: a first attempt, a second where checks fail, and in parts where both fail.

Every round is one batch (two, where some second attempts are strict and some are not), however many sentences there
are. What becomes of a sentence depends on that sentence alone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dhyan.translation.checks import Attempt, Fault, Outcome
from dhyan.translation.placeholders import FIRST_CHOICE, SECOND_CHOICE, PlaceholderWords, with_placeholders
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.segments import Sentence
from dhyan.translation.unicode import is_word, with_ellipsis_of

# Translates single sentences in a batch; True asks for decoding that repeats no n-gram.
TranslateSentences = Callable[[Sequence[str], bool], list[str]]

NOTHING_CAME = "the model gave nothing for a sentence, which is left as it was"
IN_PARTS = "a sentence was translated in parts, so that what must not change did not"

_CALLS_FOR_STRICT = Fault.EMPTY | Fault.LOOPS | Fault.TOO_LONG
_FULL_STOPS = ".।。"


def translate_sentences(
    translate: TranslateSentences,
    sentences: Sequence[Sentence],
    target_has_case: bool,
    words: PlaceholderWords = FIRST_CHOICE,
) -> dict[Sentence, Outcome]:
    """An outcome for every sentence; equal sentences are translated once."""
    unique = list(dict.fromkeys(sentences))
    first = _translated(translate, [_first_attempt(sentence, words) for sentence in unique])
    second = _translated(translate, [_second_attempt(one.attempt, one.faults, words) for one in first.values()])
    done: dict[Sentence, Outcome] = {}
    in_parts: dict[Sentence, list[str | Sentence]] = {}
    for sentence in unique:
        answers = [answered[sentence] for answered in (second, first) if sentence in answered]
        outcomes = (one.attempt.outcome(one.output, one.faults, target_has_case) for one in answers)
        outcome = next((outcome for outcome in outcomes if outcome is not None), None)
        if outcome is not None:
            done[sentence] = outcome
        elif sentence.hidden or sentence.watched:
            in_parts[sentence] = sentence.fragments()
        else:
            done[sentence] = Outcome(sentence.untranslated(), (NOTHING_CAME,), confidence=0.0)
    if in_parts:
        # Fragments have nothing left to hide, so this goes one level down and no further.
        fragments = [part for parts in in_parts.values() for part in parts if isinstance(part, Sentence)]
        translated = translate_sentences(translate, fragments, target_has_case, words)
        done |= {sentence: _joined(parts, translated) for sentence, parts in in_parts.items()}
    return done


class _Answer(NamedTuple):
    attempt: Attempt
    output: str
    faults: Fault


def _translated(translate: TranslateSentences, attempts: Sequence[Attempt | None]) -> dict[Sentence, _Answer]:
    answers: dict[Sentence, _Answer] = {}
    for strict in (False, True):
        asked = [attempt for attempt in attempts if attempt is not None and attempt.strict is strict]
        texts = list(dict.fromkeys(attempt.sent.text for attempt in asked))
        if not texts:
            continue
        outputs = dict(zip(texts, translate(texts, strict), strict=True))
        for attempt in asked:
            output = with_ellipsis_of(attempt.sent.text, outputs[attempt.sent.text].strip())
            answers[attempt.sentence] = _Answer(attempt, output, attempt.faults(output))
    return answers


def _first_attempt(sentence: Sentence, words: PlaceholderWords) -> Attempt | None:
    return _attempt(sentence, sentence.hidden, words, strict=False)


def _second_attempt(first: Attempt, faults: Fault, words: PlaceholderWords) -> Attempt | None:
    """Another way to ask for what came back faulty; None when nothing was wrong with it."""
    if not faults & ~Fault.DIGITS_FOR_WORDS:
        return None
    spoilt = {
        Kind.NUMBER: Fault.WRONG_NUMBERS in faults,
        Kind.SYMBOL: Fault.LOST_SYMBOL in faults,
        Kind.LITERAL: bool(faults & (Fault.LOST_SYMBOL | Fault.WRONG_NUMBERS)),
    }
    hidden = first.hidden + tuple(span for span in first.sentence.watched if spoilt[span.kind])
    words = SECOND_CHOICE if Fault.LOST_PLACEHOLDER in faults else words
    return _attempt(first.sentence, hidden, words, strict=bool(faults & _CALLS_FOR_STRICT))


def _attempt(sentence: Sentence, hidden: tuple[Span, ...], words: PlaceholderWords, strict: bool) -> Attempt | None:
    """An attempt, or None when the sentence has more to hide than a model could keep apart."""
    in_order = tuple(sorted(hidden, key=lambda span: span.start))
    sent = with_placeholders(sentence.ordinary, in_order, words)
    return None if sent is None else Attempt(sentence, in_order, sent, strict)


def _joined(parts: list[str | Sentence], translated: Mapping[Sentence, Outcome]) -> Outcome:
    text = ""
    notes = [IN_PARTS]
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        outcome = translated[part]
        # A model that takes a fragment for a whole sentence ends it with a full stop.
        text += outcome.text.rstrip(_FULL_STOPS) if is_word(part.source[-1]) else outcome.text
        notes += outcome.notes
    return Outcome(text, tuple(dict.fromkeys(notes)))
