"""New packs out of old ones: repacked for others, or interpolated between two; and what goes along with an export."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dhyan._version import __version__
from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.inherited import joined_licence
from dhyan.pack.manifest import Manifest
from dhyan.pack.model_card import NOTES, card
from dhyan.pack.pack import CARD, Pack, write_pack
from dhyan.pack.weights_file import Storage
from dhyan.pack.words_head import NUMBERS, WORDS

EXPORTED = "dhyan.json"  # no pack.json: the folder is not a pack
LEFT_OUT = (  # of an export
    f"The words head is not in the model itself: add its logits ({WORDS}, {NUMBERS}) to the model's, or probabilities"
    " differ from the pack's, and now and then a label"
)
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
    languages: tuple[str | None, str | None] = (None, None),
) -> None:
    """Write `pack` to `out`: smaller, searched with other settings, with its terms, languages, scores and card.

    What is not given stays as it is; new scores stand before the old ones. languages: codes of the source and target.
    """
    old = pack.manifest
    source, target = languages
    manifest = Manifest.checked(
        old.model_dump()
        | {
            "dhyan": __version__,
            "name": out.name,
            "storage": storage or old.storage,
            "decoding": decoding or old.decoding,
            "licence": old.licence if licence is None else licence,
            "style_tags": old.style_tags if style_tags is None else style_tags,
            "source_language": old.source_language if source is None else source,
            "target_language": old.target_language if target is None else target,
            "metrics": {**(scores or {}), **{k: v for k, v in old.metrics.items() if k not in (scores or {})}},
        },
        "the new pack",
        quiet=True,
    )
    extra = _kept(pack, KEPT)
    if notes is not None:
        extra[NOTES] = notes
    write_pack(out, manifest, pack.weights, pack.tokenizers, extra, pack.words_head)


def interpolate(first: Pack, second: Pack, share: float, out: Path) -> None:
    """Checkpoint interpolation: a pack on the straight line from one pack's weights to another's.

    It is first + share · (second − first): 0 gives the first, 1 the second, 1.5 goes on in the same direction.
    All but the weights is the second's, less its scores: they were measured with other weights. Where the licences
    differ, both hold.
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
            "licence": joined_licence(first.manifest, second.manifest),
            "style_tags": first.manifest.style_tags | second.manifest.style_tags,
            "source_language": second.manifest.source_language or first.manifest.source_language,
            "target_language": second.manifest.target_language or first.manifest.target_language,
            "training": second.manifest.training
            | {"interpolated": f"{share:g} of the way from {first.manifest.name} to {second.manifest.name}"},
        }
    )
    extra = _kept(first, [NOTES]) | _kept(second, KEPT)
    heads = [(first.words_head, 1 - share), (second.words_head, share)]
    parts = [head.times(times) for head, times in heads if head is not None]
    words_head = parts[0].plus(parts[1]) if len(parts) == 2 else next(iter(parts), None)
    write_pack(out, manifest, weights, second.tokenizers, extra, words_head)


def describe_export(pack: Pack, folder: Path) -> None:
    """Beside a model in another format: its card, and its licence, decoding settings and training as JSON."""
    size = sum(file.stat().st_size for file in folder.iterdir())
    notes = _kept(pack, [NOTES]).get(NOTES, "")
    described = card(pack.manifest, size, notes=notes)
    if pack.words_head:
        described += f"\n## Its words head\n\n{LEFT_OUT}.\n"
        for name, numbers in pack.words_head.files().items():
            write_atomic(folder / name, numbers)
    write_atomic(folder / CARD, described)
    told = pack.manifest.model_dump(mode="json", exclude={"format", "architecture", "storage"})
    write_atomic(folder / EXPORTED, json.dumps(told, ensure_ascii=False, indent=2) + "\n")


def _kept(pack: Pack, names: Iterable[str]) -> dict[str, str]:
    return {name: (pack.folder / name).read_text("utf-8") for name in names if (pack.folder / name).is_file()}


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
    answers = [(one.labels, one.label_kind, one.reads_pairs) for one in (first.manifest, second.manifest)]
    if sides or answers[0] != answers[1]:
        what = f"{sides[0]} vocabularies" if sides else "labels"
        raise DhyanError(
            f"{first.folder} and {second.folder} have different {what}; interpolate between a pack and one that was"
            " trained from it with --start-from."
        )
