"""A training's data once it is prepared: ids on disk, vocabularies, labels, and the model they call for."""

import json
from dataclasses import dataclass
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.id_store import IdStore
from dhyan.model.architecture import Architecture
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.recipe import Recipe

DATA, ABOUT = "data", "prepared.json"


@dataclass(frozen=True)
class Prepared:
    recipe: Recipe
    architecture: Architecture
    tokenizer_files: dict[str, str]  # side → file, the same file twice when the sides share a vocabulary
    tokenizers: dict[str, Tokenizer]  # file → vocabulary
    labels: list[str]
    train: IdStore
    valid: IdStore
    validates_on_train: bool  # there was too little to hold anything out

    @property
    def words(self) -> dict[str, Tokenizer]:
        """Side → vocabulary."""
        return {side: self.tokenizers[file] for side, file in self.tokenizer_files.items()}

    @property
    def source(self) -> Tokenizer:
        return self.tokenizers[self.tokenizer_files["source"]]

    @property
    def target(self) -> Tokenizer:
        return self.tokenizers[self.tokenizer_files["target"]]


def open_prepared(folder: Path, recipe: Recipe) -> Prepared:
    """Read what `prepare` has written; the original files are not needed any more."""
    path = folder / DATA / ABOUT
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise DhyanError(f"{path} cannot be read, so {folder} cannot be resumed; remove it and train anew.") from None
    on_train = bool(about["validates_on_train"])
    train = IdStore(folder / DATA / "train")
    return Prepared(
        recipe=recipe,
        architecture=Architecture.checked(about["architecture"], str(path)),
        tokenizer_files=about["tokenizers"],
        tokenizers={
            file: Tokenizer.load(folder / DATA / file) for file in dict.fromkeys(about["tokenizers"].values())
        },
        labels=about["labels"],
        train=train,
        valid=train if on_train else IdStore(folder / DATA / "valid"),
        validates_on_train=on_train,
    )
