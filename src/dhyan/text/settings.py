"""What can be set about tokenization."""

from typing import Literal

from pydantic import Field

from dhyan.core.settings import Settings

Pieces = Literal["bpe", "unigram", "characters"]


class TextSettings(Settings):
    """How text is cut into tokens."""

    pieces: Pieces = Field("bpe", description="tokens: byte-pair encoding, unigram model, or single characters")
    vocabulary: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="entries per side, special tokens included; unset: from the data",
    )
    shared: bool = Field(False, description="one vocabulary for both sides")
    lowercase: bool = Field(False, description="turn all text to lower case")
    character_coverage: float = Field(
        1.0, gt=0.9, le=1.0, description="share of characters that get a token; the rest are written in bytes"
    )
