"""Translations of texts on the screen: with their notes, as JSON, in Latin letters."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.review import Review
from dhyan.text.romanise import Scheme, romanise

if TYPE_CHECKING:
    from dhyan.translation.translated import Translation
    from dhyan.translation.translator import Translator


@dataclass(frozen=True)
class ShownTexts:
    """How the translations of texts are shown."""

    translator: "Translator"
    style: str | None
    alternatives: int
    as_json: bool
    roman: str | None  # a scheme of `romanise`
    review: Review

    def show(self, texts: Sequence[str], first: int = 1) -> None:
        """first: the number of the first text, for the review."""
        for number, found in enumerate(self.translator.translate(texts, self.alternatives, style=self.style), first):
            self.review.add_text(found, number)
            if self.as_json:
                typer.echo(json.dumps(self._row(found), ensure_ascii=False))
                continue
            typer.echo(self._spelt(found.text))
            for other in found.alternatives:
                typer.echo(f"  {other.score:7.3f}  {self._spelt(other.text)}")
            for note in found.notes:
                ConsoleProgress().say(f"Note: {note}.")

    def _row(self, found: "Translation") -> dict[str, Any]:
        row: dict[str, Any] = {"source": found.source, "text": found.text, "notes": found.notes}
        row["confidence"] = round(found.confidence, 3)
        row["sentences"] = [
            {"source": one.source, "text": one.text, "notes": one.notes, "confidence": round(one.confidence, 3)}
            for one in found.sentences
        ]
        if self.roman is not None:
            row["roman"] = self._spelt(found.text)
        if self.alternatives:
            row["alternatives"] = [{"text": one.text, "score": round(one.score, 4)} for one in found.alternatives]
        return row

    def _spelt(self, text: str) -> str:
        return text if self.roman is None else romanise(text, cast("Scheme", self.roman))

    @property
    def romanised(self) -> "Translator | RomanisedTranslator":
        """The translator for a pipe, in the letters that were asked for."""
        return self.translator if self.roman is None else RomanisedTranslator(self.translator, self.roman)


@dataclass(frozen=True)
class RomanisedTranslator:
    """A translator whose translations come in Latin letters."""

    translator: "Translator"
    scheme: str

    def translate(
        self, texts: Sequence[str], *, style: str | None, contexts: Sequence[str | None]
    ) -> "list[Translation]":
        found = self.translator.translate(texts, style=style, contexts=contexts)
        return [replace(one, text=romanise(one.text, cast("Scheme", self.scheme))) for one in found]
