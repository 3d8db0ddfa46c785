"""A pack written once more for others: smaller, searched with other settings, with its terms, scores and card."""

from pathlib import Path
from typing import Any

from dhyan._version import __version__
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.model_card import NOTES
from dhyan.pack.pack import Pack, write_pack
from dhyan.pack.weights_file import Storage

KEPT = ("recipe.toml", "curve.svg", NOTES)  # what a pack may carry beside its own files


def repack(
    pack: Pack,
    out: Path,
    storage: Storage | None = None,
    decoding: GenerationSettings | None = None,
    licence: str | None = None,
    scores: dict[str, dict[str, Any]] | None = None,
    notes: str | None = None,
) -> None:
    """Write `pack` to `out`. What is not given stays as it is; new scores stand before the old ones."""
    old = pack.manifest
    manifest = old.model_copy(
        update={
            "dhyan": __version__,
            "name": out.name,
            "storage": storage or old.storage,
            "decoding": decoding or old.decoding,
            "licence": old.licence if licence is None else licence,
            "metrics": {**(scores or {}), **{k: v for k, v in old.metrics.items() if k not in (scores or {})}},
        }
    )
    extra = {name: (pack.folder / name).read_text("utf-8") for name in KEPT if (pack.folder / name).is_file()}
    if notes is not None:
        extra[NOTES] = notes
    write_pack(out, manifest, pack.weights, pack.tokenizers, extra)
