"""Units → their translation, many texts at a time; a text that cannot be translated stays as it was."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dhyan.core.errors import DhyanError
from dhyan.documents.units import Fixed, Text, Unit

TranslateTexts = Callable[[Sequence[str]], list[str]]

_MOST_UNITS = 2048  # a batch ends here at the latest, for files that are nearly all numbers or code
_MOST_CHARACTERS = 1 << 18


class Failed(NamedTuple):
    """A text that stayed untranslated: where it begins, and why."""

    line: int
    message: str


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


def translate_units(units: Sequence[Unit], translate: TranslateTexts) -> tuple[str, list[Failed]]:
    """What the units say in the other language, and which of them could not be translated."""
    # Tables say the same thing over and over; once is enough.
    texts = list(dict.fromkeys(unit.text for unit in units if isinstance(unit, Text)))
    answers = dict(zip(texts, _answers(texts, translate), strict=True))
    written: list[str] = []
    failed: list[Failed] = []
    for unit in units:
        if isinstance(unit, Fixed):
            written.append(unit.raw)
            continue
        try:
            written.append(_written(unit, answers[unit.text]))
        except Exception as error:
            written.append(unit.raw)
            failed.append(Failed(unit.line, _in_one_line(error)))
    return "".join(written), failed


def _answers(texts: Sequence[str], translate: TranslateTexts) -> list[str | Exception]:
    """A translation or an error for each text: a batch that fails is halved until the culprits stand alone."""
    if not texts:
        return []
    try:
        found = translate(texts)
        if len(found) != len(texts):
            raise DhyanError(f"The translator gave {len(found)} texts back for {len(texts)}.")
        return list(found)
    except Exception as error:
        if len(texts) == 1:
            return [error]
    middle = len(texts) // 2
    return _answers(texts[:middle], translate) + _answers(texts[middle:], translate)


def _written(unit: Text, answer: str | Exception) -> str:
    if isinstance(answer, Exception):
        raise answer
    if not answer.strip():
        raise DhyanError("The translation is empty.")
    written = unit.written(answer)
    written.encode("utf-8")  # half a character cannot be written
    return written


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
