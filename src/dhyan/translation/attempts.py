"""Sentences through the model: a first try, a second where the first breaks a promise, and parts where both do.

Every round is one batch (two, where some second tries are strict and some are not), however many sentences there
are. What becomes of a sentence depends on that sentence alone.
"""

from collections.abc import Callable, Mapping, Sequence

from dhyan.translation.checks import Fault, Outcome, Try
from dhyan.translation.placeholders import StandIns, disguised
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.segments import Sentence
from dhyan.translation.unicode import is_word

# Translates single sentences in a batch; True asks for decoding that repeats no n-gram.
RawTranslate = Callable[[Sequence[str], bool], list[str]]

NOTHING_CAME = "the model gave nothing for a sentence, which is left as it was"
IN_PARTS = "a sentence was translated in parts, so that what must not change did not"

_CALLS_FOR_STRICT = Fault.EMPTY | Fault.LOOPS | Fault.TOO_LONG
_FULL_STOPS = ".।。"


def translate_sentences(
    raw: RawTranslate, sentences: Sequence[Sentence], target_has_case: bool
) -> dict[Sentence, Outcome]:
    """An outcome for every sentence; equal sentences are asked for once."""
    wanted = list(dict.fromkeys(sentences))
    first = _ask(raw, [_first_try(sentence) for sentence in wanted])
    second = _ask(raw, [_second_try(tried, tried.faults(output)) for tried, output in first.values()])
    done: dict[Sentence, Outcome] = {}
    left: dict[Sentence, list[str | Sentence]] = {}
    for sentence in wanted:
        tries = [answers[sentence] for answers in (second, first) if sentence in answers]
        outcomes = (tried.outcome(output, target_has_case) for tried, output in tries)
        outcome = next((outcome for outcome in outcomes if outcome is not None), None)
        if outcome is not None:
            done[sentence] = outcome
        elif sentence.hidden or sentence.watched:
            left[sentence] = sentence.stretches()
        else:
            done[sentence] = Outcome(sentence.untranslated(), (NOTHING_CAME,))
    if left:
        # Stretches have nothing more to hide, so this goes one level down and no further.
        stretches = [part for parts in left.values() for part in parts if isinstance(part, Sentence)]
        translated = translate_sentences(raw, stretches, target_has_case)
        done |= {sentence: _joined(parts, translated) for sentence, parts in left.items()}
    return done


def _ask(raw: RawTranslate, tries: Sequence[Try | None]) -> Mapping[Sentence, tuple[Try, str]]:
    answers: dict[Sentence, tuple[Try, str]] = {}
    for strict in (False, True):
        asked = [tried for tried in tries if tried is not None and tried.strict is strict]
        texts = list(dict.fromkeys(tried.sent.text for tried in asked))
        if texts:
            outputs = dict(zip(texts, raw(texts, strict), strict=True))
            answers |= {tried.sentence: (tried, outputs[tried.sent.text].strip()) for tried in asked}
    return answers


def _first_try(sentence: Sentence) -> Try | None:
    return _try(sentence, sentence.hidden, StandIns.NUMBERS, strict=False)


def _second_try(first: Try, faults: Fault) -> Try | None:
    """Another way to ask for what came back faulty; None when nothing was wrong with it."""
    if not faults & ~Fault.DIGITS_FOR_WORDS:
        return None
    spoilt = {Kind.NUMBER: Fault.WRONG_NUMBERS in faults, Kind.LOOSE: Fault.LOST_LOOSE in faults}
    hidden = first.hidden + tuple(span for span in first.sentence.watched if spoilt[span.kind])
    kind = StandIns.LETTERS if Fault.LOST_HIDDEN in faults else StandIns.NUMBERS
    return _try(first.sentence, hidden, kind, strict=bool(faults & _CALLS_FOR_STRICT))


def _try(sentence: Sentence, hidden: tuple[Span, ...], kind: StandIns, strict: bool) -> Try | None:
    """A try, or None when the sentence has more to hide than a model could keep apart."""
    in_order = tuple(sorted(hidden, key=lambda span: span.start))
    sent = disguised(sentence.ordinary, in_order, kind)
    return None if sent is None else Try(sentence, in_order, sent, strict)


def _joined(parts: list[str | Sentence], translated: Mapping[Sentence, Outcome]) -> Outcome:
    text = ""
    notes = [IN_PARTS]
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        outcome = translated[part]
        # A model that takes a stretch for a whole sentence ends it with a full stop.
        text += outcome.text.rstrip(_FULL_STOPS) if is_word(part.source[-1]) else outcome.text
        notes += outcome.notes
    return Outcome(text, tuple(dict.fromkeys(notes)))
