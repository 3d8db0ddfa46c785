"""Cleaning of a training corpus: rows that would teach nothing, or wrong things, are dropped, counted by reason."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from pydantic import Field, field_validator

from dhyan.core.errors import did_you_mean
from dhyan.core.settings import Settings
from dhyan.data.corpus import Row
from dhyan.text.scripts import known_scripts, share_in_script

# Only longer texts tell by their length that they do not match: a greeting may be one word here and four there.
_RATIO_FROM_WORDS = 6


class CleaningSettings(Settings):
    """Which rows of a corpus are left out."""

    clean: bool = Field(True, description="drop bad rows by the rules below; false drops only empty rows")
    max_words: int = Field(200, ge=1, description="drop a row with more words than this in a text")
    max_characters: int = Field(2000, ge=1, description="drop a row with more characters than this in a text")
    max_ratio: float = Field(
        4.0, gt=1.0, description="drop a pair whose longer side has more than this many times the characters"
    )
    drop_duplicates: bool = Field(True, description="drop a row that was read before")
    drop_identical: bool = Field(True, description="drop a pair whose two sides are the same")
    source_script: str | None = Field(
        None, description="script of most letters of the source, such as Latin; unset: any"
    )
    target_script: str | None = Field(
        None, description="script of most letters of the target, such as Devanagari; unset: any"
    )

    @field_validator("source_script", "target_script")
    @classmethod
    def _is_a_script(cls, script: str | None) -> str | None:
        if script is None or script.capitalize() in known_scripts():
            return script and script.capitalize()
        hint = did_you_mean(script, known_scripts()) or " such as Latin, Devanagari, Arabic or Han"
        raise ValueError(f"'{script}' is not the name of a script{hint}")


def lengths_differ(texts: Sequence[str], max_ratio: float) -> bool:
    """Has one of them more than `max_ratio` times the characters of another?"""
    lengths = [len(text) for text in texts]
    return max(lengths) > max_ratio * min(lengths)


@dataclass(slots=True)
class Dropped:
    """How many rows were left out for one reason, and where the first of them stands."""

    count: int
    example: str


class Cleaner:
    """Yields the rows that are fit to learn from, their texts in NFC and without blanks around them.

    `pairs` says that the first two texts of a row mean the same and should match in length; `text_columns`
    says which columns are texts when some are not (labels), which may be empty if `others_may_be_empty`.
    """

    def __init__(
        self,
        settings: CleaningSettings,
        pairs: bool,
        text_columns: Sequence[int] | None = None,
        others_may_be_empty: bool = False,
    ) -> None:
        self._settings = settings
        self._pairs = pairs
        self._text_columns = text_columns
        self._others_may_be_empty = others_may_be_empty
        # Eight bytes stand for a row, so that ten million of them fit in memory.
        self._seen: set[int] = set()
        self.kept = 0
        self.dropped: dict[str, Dropped] = {}

    def __call__(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            tidy = replace(row, columns=self._tidied(row.columns))
            reason = self._reason(tidy)
            if reason is None:
                self.kept += 1
                yield tidy
            elif reason in self.dropped:
                self.dropped[reason].count += 1
            else:
                self.dropped[reason] = Dropped(1, f"{row.file}:{row.line}")

    def table(self) -> list[tuple[str, int, str]]:
        """The reason, the count and the first line of what was left out, the most frequent reason first."""
        rows = [(reason, dropped.count, dropped.example) for reason, dropped in self.dropped.items()]
        return sorted(rows, key=lambda row: -row[1])

    def _texts(self, columns: Sequence[str]) -> list[str]:
        if self._text_columns is None:
            return list(columns)
        return [columns[number] for number in self._text_columns]

    def _tidied(self, columns: Sequence[str]) -> tuple[str, ...]:
        # A label is tidied too: a blank after it must not make another class.
        return tuple(unicodedata.normalize("NFC", column).strip() for column in columns)

    def _reason(self, row: Row) -> str | None:
        """Why the row is left out; None when it is kept. The cheap questions come first."""
        settings = self._settings
        if not all(self._texts(row.columns) if self._others_may_be_empty else row.columns):
            return "empty"
        if not settings.clean:
            return None
        texts = self._texts(row.columns)
        words = [len(text.split()) for text in texts]
        characters = [len(text) for text in texts]
        if max(words) > settings.max_words or max(characters) > settings.max_characters:
            return "too long"
        if self._pairs:
            if settings.drop_identical and len(set(texts)) == 1:
                return "identical sides"
            if max(words) >= _RATIO_FROM_WORDS and lengths_differ(texts, settings.max_ratio):
                return "length ratio"
        for text, script in zip(texts, (settings.source_script, settings.target_script), strict=False):
            if script is not None and share_in_script(text, script) < 0.5:
                return "script"
        if settings.drop_duplicates and self._was_seen(row.columns):
            return "duplicate"
        return None

    def _was_seen(self, columns: Sequence[str]) -> bool:
        # The columns' lengths go in too: ("a b", "c") is not ("a", "b c").
        joined = repr([len(column) for column in columns]) + "".join(columns)
        digest = int.from_bytes(blake2b(joined.encode("utf-8"), digest_size=8).digest(), "big")
        if digest in self._seen:
            return True
        self._seen.add(digest)
        return False
