"""Units → their translation, many texts at a time; a text that cannot be translated stays as it was."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

from dhyan.core.cancellation import Cancelled
from dhyan.core.errors import DhyanError
from dhyan.documents.units import Remark, Text, Unit, Unreadable

_MOST_UNITS = 2048  # a batch ends here at the latest, for files that are nearly all numbers or code
_MOST_CHARACTERS = 1 << 18


class TranslatedText(Protocol):
    """What is needed of a `Translation`."""

    @property
    def text(self) -> str: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def confidence(self) -> float: ...


class TextTranslator(Protocol):
    """What is needed of a `Translator`: texts, each with its context, in a style such as "ui"."""

    def translate(
        self, texts: Sequence[str], *, style: str | None, contexts: Sequence[str | None]
    ) -> Sequence[TranslatedText]: ...


TranslateTexts: TypeAlias = TextTranslator | Callable[[Sequence[str]], Sequence[str]]  # a bare function has no notes


class Failed(NamedTuple):
    """A text that stayed untranslated: where it begins, and why."""

    line: int
    message: str


class TranslatedLine(NamedTuple):
    """A text with the line that it begins in, its translation, and what to know about it."""

    line: int
    source: str
    text: str
    notes: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(slots=True)
class TranslatedUnits:
    """What units say in the other language, and what to tell about them."""

    content: str = ""
    units: int = 0
    texts: int = 0
    lines: list[TranslatedLine] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class _Plain(NamedTuple):
    """The answer of a bare function."""

    text: str
    notes: tuple[str, ...] = ()
    confidence: float = 1.0


def in_batches(units: Iterable[Unit], texts: int) -> Iterator[list[Unit]]:
    """Runs of units with at most this many texts among them."""
    batch: list[Unit] = []
    found = characters = 0
    for unit in units:
        batch.append(unit)
        found += isinstance(unit, Text)
        characters += len(unit.raw)
        if found >= texts or len(batch) >= _MOST_UNITS or characters >= _MOST_CHARACTERS:
            yield batch
            batch = []
            found = characters = 0
    if batch:
        yield batch


def translate_units(units: Sequence[Unit], translate: TranslateTexts, style: str | None = None) -> TranslatedUnits:
    """What the units say in the other language, and which of them could not be translated."""
    # Tables say the same thing over and over; once is enough.
    asked = list(dict.fromkeys((unit.text, unit.context) for unit in units if isinstance(unit, Text)))
    answers = dict(zip(asked, _answers(asked, translate, style), strict=True))
    done = TranslatedUnits(units=len(units), texts=sum(isinstance(unit, Text) for unit in units))
    written: list[str] = []
    for unit in units:
        if not isinstance(unit, Text):
            written.append(unit.raw)
            if isinstance(unit, Unreadable):
                done.failed.append(Failed(unit.line, unit.message))
            elif isinstance(unit, Remark):
                done.remarks.append(unit.message)
            continue
        answer = answers[unit.text, unit.context]
        try:
            written.append(_written(unit, answer))
            if not isinstance(answer, Exception):
                notes = tuple(answer.notes)
                done.lines.append(TranslatedLine(unit.line, unit.text, answer.text, notes, answer.confidence))
        except Exception as error:
            written.append(unit.raw)
            done.failed.append(Failed(unit.line, _in_one_line(error)))
    done.content = "".join(written)
    return done


def _answers(
    asked: Sequence[tuple[str, str | None]], translate: TranslateTexts, style: str | None
) -> list[TranslatedText | Exception]:
    """A translation or an error for each text: a batch that fails is halved until the culprits stand alone."""
    if not asked:
        return []
    try:
        found = _translated(asked, translate, style)
        if len(found) != len(asked):
            raise DhyanError(f"The translator gave {len(found)} texts back for {len(asked)}.")
        return list(found)
    except Cancelled:  # nobody waits for the rest
        raise
    except Exception as error:
        if len(asked) == 1:
            return [error]
    middle = len(asked) // 2
    return _answers(asked[:middle], translate, style) + _answers(asked[middle:], translate, style)


def _translated(
    asked: Sequence[tuple[str, str | None]], translate: TranslateTexts, style: str | None
) -> Sequence[TranslatedText]:
    texts = [text for text, _ in asked]
    if hasattr(translate, "translate"):
        return translate.translate(texts, style=style, contexts=[context for _, context in asked])
    return [_Plain(text) for text in translate(texts)]


def _written(unit: Text, answer: TranslatedText | Exception) -> str:
    if isinstance(answer, Exception):
        raise answer
    if not answer.text.strip():
        raise DhyanError("The translation is empty.")
    written = unit.written(answer.text)
    written.encode("utf-8")  # half a character cannot be written
    return written


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
