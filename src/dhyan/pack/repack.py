"""New packs out of old ones: repacked for others, or interpolated between two."""

from pathlib import Path
from typing import Any

import numpy as np

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
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
    style_tags: dict[str, str] | None = None,
) -> None:
    """Write `pack` to `out`: smaller, searched with other settings, with its terms, scores and card.

    What is not given stays as it is; new scores stand before the old ones.
    """
    old = pack.manifest
    manifest = old.model_copy(
        update={
            "dhyan": __version__,
            "name": out.name,
            "storage": storage or old.storage,
            "decoding": decoding or old.decoding,
            "licence": old.licence if licence is None else licence,
            "style_tags": old.style_tags if style_tags is None else style_tags,
            "metrics": {**(scores or {}), **{k: v for k, v in old.metrics.items() if k not in (scores or {})}},
        }
    )
    extra = {name: (pack.folder / name).read_text("utf-8") for name in KEPT if (pack.folder / name).is_file()}
    if notes is not None:
        extra[NOTES] = notes
    write_pack(out, manifest, pack.weights, pack.tokenizers, extra)


def interpolate(first: Pack, second: Pack, share: float, out: Path) -> None:
    """Checkpoint interpolation: a pack on the straight line from one pack's weights to another's.

    It is first + share · (second − first): 0 gives the first, 1 the second, 1.5 goes on in the same direction.
    All but the weights is the second's, less its scores: they were measured with other weights.
    """
    _refuse_different(first, second)
    change = np.float32(share)
    weights = {
        name: before + change * (second.weights[name] - before) for name, before in first.weights.items()
    }  # float32, whatever the packs store
    manifest = second.manifest.model_copy(
        update={
            "name": out.name,
            "metrics": {},
            "training": second.manifest.training
            | {"interpolated": f"{share:g} of the way from {first.manifest.name} to {second.manifest.name}"},
        }
    )
    extra = {name: (second.folder / name).read_text("utf-8") for name in KEPT if (second.folder / name).is_file()}
    write_pack(out, manifest, weights, second.tokenizers, extra)


def _refuse_different(first: Pack, second: Pack) -> None:
    a, b = first.manifest.architecture, second.manifest.architecture
    different = [name for name in type(a).model_fields if getattr(a, name) != getattr(b, name)]
    if different:
        pairs = ", ".join(f"{name} {getattr(a, name)} and {getattr(b, name)}" for name in different)
        raise DhyanError(
            f"{first.folder} and {second.folder} have different architectures ({pairs}); interpolate between a pack"
            " and one that was trained from it with --start-from."
        )
    sides = [
        side for side in first.tokenizers if first.tokenizers[side].to_json() != second.tokenizers[side].to_json()
    ]
    if sides or first.manifest.labels != second.manifest.labels:
        what = f"{sides[0]} vocabularies" if sides else "labels"
        raise DhyanError(
            f"{first.folder} and {second.folder} have different {what}; interpolate between a pack and one that was"
            " trained from it with --start-from."
        )
