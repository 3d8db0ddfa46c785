"""What a translator gives its model of a text, which is not always the text as it is typed.

It may be cut into sentences, spelt out, put into ordinary case, or hold placeholders. `dhyan explain` opens the model
up on the text as it is typed, and says where that is not what `dhyan translate` would show it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from dhyan.engines.base import Engine, Ids
from dhyan.pack.pack import Pack
from dhyan.translation.translator import Translator


@dataclass(frozen=True)
class FirstReading:
    """The sentences as the model reads them; none where it is not asked, and then the notes say why."""

    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()


class _Asked(Exception):
    def __init__(self, sources: Sequence[Ids]) -> None:
        self.sources = sources


class _OnlyAsked:
    """In the place of an engine: it translates nothing, and hands back what it is asked first."""

    def translate(self, sources: Sequence[Ids], *_: Any) -> NoReturn:
        raise _Asked(sources)


def first_reading(pack: Pack, text: str) -> FirstReading | None:
    """None where the model reads the text as it stands."""
    translator = Translator(pack, cast(Engine, _OnlyAsked()))
    tokenizer = translator.sentence_translator.source
    try:
        found = translator.translate(text)
    except _Asked as asked:
        if [list(ids) for ids in asked.sources] == [tokenizer.encode(text.strip())]:
            return None
        return FirstReading(tuple(tokenizer.decode(ids).strip() for ids in asked.sources))
    return FirstReading((), found.notes)
