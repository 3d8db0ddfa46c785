"""What a pack hands down to packs that are made from it: licence, card, decoding settings, and what it was taught."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from dhyan.core.atomic import write_atomic
from dhyan.core.json_object import read_json_object
from dhyan.core.settings import Settings
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.manifest import LanguageCode, Manifest, Task
from dhyan.pack.model_card import NOTES
from dhyan.pack.pack import Pack

ORIGIN = ".origin.json"  # stands behind the name of a data file that a pack has written: which pack
_MOST_BYTES = 1_000_000


class Inherited(Settings):
    """What a fine-tuned pack gets from the one that it started from, unless its maker says otherwise."""

    name: str
    task: Task
    licence: str = ""
    card: str = Field("", description="the maker's part of the model card")
    decoding: GenerationSettings = Field(default_factory=GenerationSettings)
    placeholders: tuple[str, ...] = ()
    style_tags: dict[str, str] = Field(default_factory=dict)
    source_language: LanguageCode = ""
    target_language: LanguageCode = ""

    @classmethod
    def of(cls, pack: Pack) -> "Inherited":
        manifest = pack.manifest
        file = pack.folder / NOTES
        return cls(
            name=manifest.name,
            task=manifest.task,
            licence=manifest.licence,
            card=file.read_text("utf-8") if file.is_file() else "",
            decoding=manifest.decoding,
            placeholders=manifest.placeholders,
            style_tags=manifest.style_tags,
            source_language=manifest.source_language,
            target_language=manifest.target_language,
        )

    @property
    def named(self) -> str:
        return named_with_licence(self.name, self.licence)

    def card_of_its_child(self) -> str:
        """The card goes on: what it says of data and terms holds for what was made from it."""
        said = f" Of that pack its card says:\n\n{self.card.strip()}" if self.card.strip() else ""
        return f"Fine-tuned from {self.named}.{said}\n"


def named_with_licence(name: str, licence: str) -> str:
    return f"{name} ({licence or 'licence not stated'})"


def joined_licence(first: Manifest, second: Manifest) -> str:
    """Of a pack that is made of two: where they differ, both hold."""
    return " and ".join(dict.fromkeys(one for one in (second.licence, first.licence) if one))


def write_origin(data: Path, packs: Sequence[str]) -> None:
    """Beside a data file: the packs whose work is in it."""
    if packs:
        document = json.dumps({"written by": list(packs)}, ensure_ascii=False)
        write_atomic(data.with_name(data.name + ORIGIN), document + "\n")


def origins_of(files: Iterable[Path]) -> list[str]:
    """The packs whose work is in data files, as far as it is written beside them."""
    found: dict[str, None] = {}
    for file in files:
        beside = file.with_name(file.name + ORIGIN)
        try:
            content: dict[str, Any] = read_json_object(beside, _MOST_BYTES) if beside.is_file() else {}
        except (OSError, ValueError):
            content = {}
        listed = content.get("written by", [])
        found |= dict.fromkeys(str(name) for name in listed) if isinstance(listed, list) else {}
    return list(found)
