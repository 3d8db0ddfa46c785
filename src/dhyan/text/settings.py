"""What can be set about pieces and about cleaning."""

from typing import Literal

from pydantic import Field, field_validator

from dhyan.core.errors import did_you_mean
from dhyan.core.settings import Settings
from dhyan.text.scripts import known_scripts

Pieces = Literal["bpe", "unigram", "characters"]


class TextSettings(Settings):
    """How text is cut into pieces."""

    pieces: Pieces = Field("bpe", description="how text is cut into pieces")
    vocabulary: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="entries per side, special tokens included; unset: from the data",
    )
    shared: bool = Field(False, description="one vocabulary for both sides")
    lowercase: bool = Field(False, description="turn all text to lower case")
    character_coverage: float = Field(
        1.0, gt=0.9, le=1.0, description="share of characters that get a piece; the rest are spelt in bytes"
    )


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
