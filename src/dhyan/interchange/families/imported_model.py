"""What every family gives: a model as a pack has it, and what there is to say about how it came to be so."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.manifest import Task
from dhyan.pack.weights_file import Weights
from dhyan.text.imported_tokenizer import ImportedTokenizer

Tokenizers = Mapping[str, ImportedTokenizer]  # side (source, target) → tokenizer


@dataclass(frozen=True)
class Languages:
    """Codes of a translator's languages, as the user or the model's files state them; empty: unknown."""

    source: str = ""
    target: str = ""


@dataclass
class Notes:
    """Sentences for the user and the model card."""

    folded: list[str] = field(default_factory=list)  # into weights that Dhyan has
    left_out: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)  # where its files leave it open


@dataclass(frozen=True)
class ImportedModel:
    family: str  # as its makers call it
    task: Task
    architecture: Architecture
    weights: Weights
    tokenizers: Tokenizers
    labels: list[str] = field(default_factory=list)
    label_kind: LabelKind = "one"
    decoding: GenerationSettings = field(default_factory=GenerationSettings)
    languages: Languages = field(default_factory=Languages)
    notes: Notes = field(default_factory=Notes)


def refused(where: object, what: str) -> DhyanError:
    """A part that Dhyan has not: without it, the numbers would be others."""
    return DhyanError(f"{where} cannot be imported: it has {what}, which Dhyan has not.")
