"""`pack.json`: what a pack says of itself."""

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from dhyan.core.settings import Settings
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.weights_file import Storage
from dhyan.text.settings import TextSettings

FORMAT = 1  # raised when an older Dhyan could no longer read a new pack
Task = Literal["translate", "classify", "embed", "write"]
MAX_NAME = 250  # what file systems allow
# Such as hi, hin or pt-BR; empty: unknown.
LanguageCode = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3})?$")]


class ConfidenceFit(Settings):
    """The chance that a translation is good: a logistic function, fitted to development data."""

    bias: float = Field(2.266, description="added to the other two")
    log_probability: float = Field(9.212, description="times the log-probability per token")
    log_words: float = Field(0.19, description="times the logarithm of the number of words of the sentence")


class Manifest(Settings):
    format: int = Field(FORMAT, ge=1, description="version of the pack format")
    dhyan: str = Field(description="version of Dhyan that wrote it")
    name: str = Field(description="what to call it")
    task: Task = Field(description="what it was trained for")
    architecture: Architecture
    text: TextSettings
    tokenizers: dict[str, str] = Field(description="side (source, target) → file")
    labels: list[str] = Field(default_factory=list, description="names of the classes, in order")
    storage: Storage = Field("float32", description="how the weights are stored")
    decoding: GenerationSettings = Field(
        default_factory=GenerationSettings, description="default generation settings"
    )
    placeholders: tuple[str, ...] = Field(
        (), description="characters that it was trained to copy, sent in place of what must not change; none: numbers"
    )
    style_tags: dict[str, str] = Field(
        default_factory=dict, description="style (ui, formal, informal, feminine, masculine) → tag that requests it"
    )
    source_language: LanguageCode = Field("", description="code of the language that it reads, such as en")
    target_language: LanguageCode = Field("", description="code of the language that it writes, such as hi")
    confidence: ConfidenceFit = Field(
        default_factory=ConfidenceFit,
        description="how sure translations are; the default suits en-hi",
    )
    metrics: dict[str, Any] = Field(default_factory=dict, description="scores, each with how it was measured")
    training: dict[str, Any] = Field(default_factory=dict, description="how it was trained: data, steps, time")
    licence: str = Field("", description="terms of the weights; empty if unknown")

    @field_validator("name", "tokenizers")
    @classmethod
    def _names_can_be_shown(cls, names: Any) -> Any:
        listed = [names] if isinstance(names, str) else names.values()
        if any(len(name) > MAX_NAME or any(unicodedata.category(c) == "Cc" for c in name) for name in listed):
            raise ValueError(f"a name has at most {MAX_NAME} characters, and no control characters")
        return names

    @field_validator("placeholders")
    @classmethod
    def _placeholders_can_be_told_apart(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(words)) != len(words) or any(len(word) != 1 or word.isascii() or word.isspace() for word in words):
            raise ValueError("a placeholder is one character beyond ASCII, and each is another one")
        return words
