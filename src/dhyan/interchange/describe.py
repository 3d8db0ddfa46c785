"""What goes along with a model in another format: tokenizers, card, licence, settings, and how to run it."""

import json
from pathlib import Path

from dhyan.core.atomic import write_atomic
from dhyan.pack.pack import CARD, Pack
from dhyan.pack.repack import EXPORTED, describe_export


def save_tokenizers(pack: Pack, folder: Path) -> None:
    for side, tokenizer in pack.tokenizers.items():
        tokenizer.save(folder / pack.manifest.tokenizers[side])


def describe(pack: Pack, folder: Path, how_to_run: str) -> None:
    """The card with a section more, and `dhyan.json` with the architecture, which has the special tokens."""
    describe_export(pack, folder)
    card = (folder / CARD).read_text("utf-8")
    write_atomic(folder / CARD, f"{card}\n{how_to_run}")
    told = json.loads((folder / EXPORTED).read_text("utf-8"))
    told["architecture"] = pack.manifest.architecture.model_dump(mode="json")
    write_atomic(folder / EXPORTED, json.dumps(told, ensure_ascii=False, indent=2) + "\n")
