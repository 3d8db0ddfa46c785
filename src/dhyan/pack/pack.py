"""Finding, reading and writing packs, and saying all that is wrong with a broken one at once."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dhyan.core.atomic import atomic_folder, write_atomic
from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.json_object import depth_of, read_json_object
from dhyan.pack.manifest import FORMAT, Manifest
from dhyan.pack.model_card import NOTES, card
from dhyan.pack.named_packs import BUILT_IN as BUILT_IN  # here too, where everybody looks for them
from dhyan.pack.named_packs import MANIFEST as MANIFEST
from dhyan.pack.named_packs import find_pack as find_pack
from dhyan.pack.named_packs import known_packs as known_packs
from dhyan.pack.parameter_shapes import matrix_names, parameter_shapes
from dhyan.pack.weights_file import Weights, load_weights, save_weights, stored_shapes
from dhyan.pack.words_head import WordsHead, words_head_problems
from dhyan.text.tokenizer import Tokenizer

LOG = logging.getLogger("dhyan")
WEIGHTS, CARD = "model.safetensors", "README.md"
MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH = 10_000_000, 20  # far above what a description needs
MOST_PROBLEMS = 20  # reported at once; other weights altogether would give thousands


@dataclass(frozen=True)
class Pack:
    """A trained model: its description, its weights (float32, whatever the storage), its tokenizers."""

    folder: Path
    manifest: Manifest
    tokenizers: dict[str, Tokenizer]  # side (source, target) → tokenizer, twice the same where they share one
    is_part: bool = False  # of a larger model: the folder holds weights that this architecture does not have

    @cached_property
    def weights(self) -> Weights:
        """Every weight as float32. Read when first asked for: an engine that has its own copy never asks."""
        weights = load_weights(self.folder / WEIGHTS)
        if not self.is_part:
            return weights
        return {name: weights[name] for name in parameter_shapes(self.manifest.architecture)}

    @cached_property
    def words_head(self) -> WordsHead | None:
        """What is added to a classifier's logits for the words of a text, where the pack has that."""
        return WordsHead.load(self.folder) if self.manifest.words_head else None

    @property
    def source_tokenizer(self) -> Tokenizer | None:
        """Of what the encoder reads."""
        return self.tokenizers.get("source")

    @property
    def target_tokenizer(self) -> Tokenizer | None:
        """Of what the decoder writes."""
        return self.tokenizers.get("target")

    @property
    def tokenizer(self) -> Tokenizer:
        """The only one of an encoder or a decoder alone."""
        tokenizer = self.source_tokenizer or self.target_tokenizer
        if tokenizer is None:  # a manifest without tokenizers is refused on reading
            raise DhyanError(f"{self.folder} has no vocabulary.")
        return tokenizer


def read_pack(folder: Path) -> Pack:
    """Open a pack, check it and read its weights; one DhyanError lists every problem of a broken one."""
    pack = open_pack(folder)
    _ = pack.weights  # kept by the pack
    return pack


def open_pack(folder: Path) -> Pack:
    """The same, but the weights themselves are read when first asked for: their names and shapes are checked now."""
    if not folder.exists():
        nearest = did_you_mean(folder.name, (path.parent.name for path in folder.parent.glob(f"*/{MANIFEST}")))
        raise DhyanError(
            f"{folder}: there is no such pack{nearest}; check the path, or train one with `dhyan train`."
        )
    if not (folder / MANIFEST).is_file():
        raise DhyanError(f"{folder} is not a pack: it has no {MANIFEST}; {_instead_of(folder)}.")
    problems: list[str] = []
    manifest = _read_manifest(folder)
    tokenizers = _read_tokenizers(folder, manifest, problems)
    problems += _vocabulary_problems(manifest, tokenizers)
    problems += _weight_problems(folder / WEIGHTS, manifest)
    if manifest.words_head:
        problems += words_head_problems(folder, manifest.words_head, manifest.architecture.labels)
    _refuse(folder, problems)
    LOG.info(f"pack {manifest.name}, for {manifest.task}: {folder}")
    return Pack(folder, manifest, tokenizers)


def _refuse(folder: Path, problems: list[str]) -> None:
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems):,} problems"
        shown = problems[:MOST_PROBLEMS] + (["…"] if len(problems) > MOST_PROBLEMS else [])
        raise DhyanError(f"{folder} is broken ({count}): " + "; ".join(shown) + ".")


def write_pack(
    folder: Path,
    manifest: Manifest,
    weights: Mapping[str, NDArray[np.float32]],
    tokenizers: Mapping[str, Tokenizer],
    extra_files: Mapping[str, str | bytes] | None = None,
    words_head: WordsHead | None = None,
) -> None:
    """Write a whole pack beside its place and swap it in. tokenizers: side → tokenizer, as in Pack."""
    manifest = manifest.model_copy(update={"words_head": len(words_head.column) if words_head else 0})
    with atomic_folder(folder) as part:
        save_weights(part / WEIGHTS, weights, manifest.storage, matrix_names(manifest.architecture))
        for file, tokenizer in _by_file(manifest, tokenizers).items():
            tokenizer.save(part / file)
        for file, numbers in (words_head.files() if words_head else {}).items():
            write_atomic(part / file, numbers)
        size = sum(file.stat().st_size for file in part.iterdir())
        extra = extra_files or {}
        pictures = [file for file in extra if file.endswith(".svg")]
        write_atomic(part / CARD, card(manifest, size, pictures, str(extra.get(NOTES, ""))))
        for file, content in extra.items():
            write_atomic(part / file, content)
        document = json.dumps(manifest.document(), ensure_ascii=False, indent=2)
        write_atomic(part / MANIFEST, document + "\n")


def _by_file(manifest: Manifest, tokenizers: Mapping[str, Tokenizer]) -> dict[str, Tokenizer]:
    return {manifest.tokenizers[side]: tokenizer for side, tokenizer in tokenizers.items()}


def _instead_of(folder: Path) -> str:
    """What to do about a folder that is no pack: the folder of a training is easily taken for one."""
    if not (folder / "recipe.toml").exists():
        return "name the folder that `dhyan train` wrote"
    pack = folder.with_name(folder.name.removesuffix(".training"))
    if (pack / MANIFEST).is_file():
        return f"it is the folder of a training, whose pack is {pack}"
    return f"it is an unfinished training: go on with `dhyan train --resume {folder}`"


def _read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        content = read_json_object(path, MAX_MANIFEST_BYTES)
    except (OSError, ValueError):
        content = {}
    version = content.get("format")
    if not isinstance(version, int) or depth_of(content) > MAX_MANIFEST_DEPTH:
        raise DhyanError(f"{path} is not a pack's description; copy the pack again.")
    if version > FORMAT:
        newer = shortened(str(content.get("dhyan", "unknown")), 20)
        raise DhyanError(
            f"{folder} was written by a newer Dhyan ({newer}, pack format {version};"
            f" this one reads up to {FORMAT}): update with `pip install --upgrade dhyan`."
        )
    return Manifest.checked(content, str(path), quiet=True)


def _read_tokenizers(folder: Path, manifest: Manifest, problems: list[str]) -> dict[str, Tokenizer]:
    found: dict[str, Tokenizer] = {}
    for file in dict.fromkeys(manifest.tokenizers.values()):
        if Path(file).name != file:
            problems.append(f"the tokenizer {shortened(file)} lies outside of the pack")
        elif not (folder / file).is_file():
            problems.append(f"{file} is missing")
        else:
            try:
                found[file] = Tokenizer.load(folder / file)
            except DhyanError as error:
                problems.append(str(error).rstrip("."))
    return {side: found[file] for side, file in manifest.tokenizers.items() if file in found}


def _weight_problems(path: Path, manifest: Manifest) -> list[str]:
    """Names and shapes against the architecture, before anything of that size is allocated."""
    if not path.is_file():
        return [f"{WEIGHTS} is missing"]
    try:
        found = stored_shapes(path)
    except DhyanError as error:
        return [str(error).rstrip(".")]
    expected = parameter_shapes(manifest.architecture)
    problems = []
    for name, shape in expected.items():
        if name not in found:
            problems.append(f"{WEIGHTS} lacks {name}")
        elif found[name] != shape:
            has, wanted = (" × ".join(map(str, sizes)) for sizes in (found[name], shape))
            problems.append(f"{name} is {has} where the architecture says {wanted}")
    unknown = (name for name in found if name not in expected)
    return problems + [f"{WEIGHTS} has {shortened(name)}, which the architecture does not" for name in unknown]


def _vocabulary_problems(manifest: Manifest, tokenizers: Mapping[str, Tokenizer]) -> list[str]:
    """A vocabulary that is not the model's own gives nonsense, so it is said in words rather than in sizes."""
    problems = []
    a = manifest.architecture
    for side, needed, size in (
        ("source", a.has_encoder, a.source_vocabulary),
        ("target", a.has_decoder, a.target_vocabulary),
    ):
        if needed and side not in manifest.tokenizers:
            problems.append(f"{MANIFEST} names no {side} tokenizer")
        tokenizer = tokenizers.get(side)
        if tokenizer is not None and tokenizer.size != size:
            problems.append(
                f"{manifest.tokenizers[side]} has {tokenizer.size} entries, but the model was trained with {size}:"
                " it is another model's vocabulary"
            )
    if a.labels != len(manifest.labels):
        problems.append(f"{MANIFEST} names {len(manifest.labels)} labels for a classifier of {a.labels}")
    if manifest.label_kind == "number" and a.labels != 1:
        problems.append(f"{MANIFEST} says that its one output is a number, and there are {a.labels}")
    return problems
