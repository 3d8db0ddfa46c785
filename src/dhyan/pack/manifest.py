"""`pack.json`: what a pack says of itself."""

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from dhyan.core.label_kind import LabelKind
from dhyan.core.settings import Settings
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.weights_file import Storage
from dhyan.text.settings import TextSettings

FORMAT = 2  # raised when an older Dhyan could no longer read a new pack
# Settings that came with format 2: a pack that leaves them as they were has format 1.
PACK_SINCE_2 = ("words_head", "label_kind", "number", "label_separator", "reads_pairs")
# The same of the architecture.
SINCE_2 = (
    "rotary_base",
    "norm_kind",
    "norm_epsilon",
    "embedding_norm",
    "embedding_scale",
    "key_value_heads",
    "masked_transform",
    "pooling",
    "classifier_hidden",
    "decoder_self",
    "special",
)
Task = Literal["translate", "classify", "embed", "write"]
MAX_NAME = 250  # what file systems allow
# Such as hi, hin or pt-BR; empty: unknown.
LanguageCode = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3})?$")]


class ConfidenceFit(Settings):
    """The chance that a translation is good: a logistic function, fitted to development data."""

    bias: float = Field(2.266, description="added to the other two")
    log_probability: float = Field(9.212, description="times the log-probability per token")
    log_words: float = Field(0.19, description="times the logarithm of the number of words of the sentence")


class NumberScale(Settings):
    """The numbers that a model was trained on."""

    mean: float = Field(0.0, description="their mean")
    spread: float = Field(1.0, gt=0, description="their standard deviation")


class Manifest(Settings):
    format: int = Field(1, ge=1, description="version of the pack format")
    dhyan: str = Field(description="version of Dhyan that wrote it")
    name: str = Field(description="what to call it")
    task: Task = Field(description="what it was trained for")
    architecture: Architecture
    text: TextSettings
    tokenizers: dict[str, str] = Field(description="side (source, target) → file")
    labels: list[str] = Field(default_factory=list, description="names of the classes, in order")
    words_head: int = Field(
        0, ge=0, le=1_000_000, description="words that the words head beside the classifier knows; 0: there is none"
    )
    label_kind: LabelKind = Field(
        "one",
        description="what a classifier says: one of its labels, several, or number: its one output is the answer",
    )
    number: NumberScale | None = Field(None, description="the training labels, where they were numbers")
    label_separator: str = Field("", description="what stands between several labels in files of labelled texts")
    reads_pairs: bool = Field(False, description="whether a text is two texts, with what ends a text between them")
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

    def document(self) -> dict[str, Any]:
        """As it is written, in the oldest format that can say it."""
        found = self.model_dump(mode="json")
        architecture = found["architecture"]
        for name in SINCE_2:
            if architecture[name] == _plain(Architecture.model_fields[name].get_default(call_default_factory=True)):
                del architecture[name]
        for name in PACK_SINCE_2:
            if found[name] == _plain(type(self).model_fields[name].get_default(call_default_factory=True)):
                del found[name]
        is_new = any(name in architecture for name in SINCE_2) or any(name in found for name in PACK_SINCE_2)
        is_new = is_new or architecture["activation"] in ("swish", "gelu-tanh")
        return found | {"format": FORMAT if is_new else 1}

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


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, Settings) else value
