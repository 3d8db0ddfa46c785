"""A model that another program trained → a pack."""

from pathlib import Path

from dhyan._version import __version__
from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.checkpoint_file import CONFIG, Checkpoint, open_checkpoint
from dhyan.interchange.families.bert import NAMES, read_bert
from dhyan.interchange.families.gguf import read_gguf
from dhyan.interchange.families.gpt2 import read_gpt2
from dhyan.interchange.families.imported_model import ImportedModel, Languages
from dhyan.interchange.families.llama import FAMILIES as LIKE_LLAMA
from dhyan.interchange.families.llama import read_llama
from dhyan.interchange.families.m2m100 import read_m2m100
from dhyan.interchange.families.marian import read_marian
from dhyan.interchange.families.marian_own import read_marian_folder
from dhyan.interchange.gguf_file import open_gguf
from dhyan.interchange.marian_folder import is_marian_folder, open_marian_folder
from dhyan.interchange.model_facts import ModelFacts, folder_facts
from dhyan.interchange.unknown_models import refuse_model_type, refuse_place
from dhyan.pack.manifest import Manifest
from dhyan.pack.model_card import IMPORTED, NOTES
from dhyan.pack.pack import Pack, open_pack, write_pack
from dhyan.pack.weights_file import Storage
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer

# model_type in config.json → who reads it.
FAMILIES = {
    **dict.fromkeys(NAMES, read_bert),
    "marian": read_marian,
    "m2m_100": read_m2m100,
    "gpt2": read_gpt2,
    **dict.fromkeys(LIKE_LLAMA, read_llama),
}


def import_model(
    path: Path,
    out: Path,
    source_language: str = "",
    target_language: str = "",
    name: str = "",
    storage: Storage = "float32",
) -> Pack:
    """Read a model, whatever it is, and write it as a pack.

    Languages are for translators whose files do not say them, or that have many.
    """
    model, facts = read_model(path, Languages(source_language, target_language))
    return write_imported(model, facts, out, name, storage)


def read_model(path: Path, languages: Languages) -> tuple[ImportedModel, ModelFacts]:
    """The model with its weights by address, and what is known about it."""
    if not path.exists():
        raise DhyanError(f"{path}: there is no such file or folder; name a model that you have downloaded.")
    refuse_place(path)
    if gguf := _gguf_file(path):
        return read_gguf(open_gguf(gguf))
    if is_marian_folder(path):
        return read_marian_folder(open_marian_folder(path), languages)
    return _read_checkpoint(open_checkpoint(path), languages)


def _gguf_file(path: Path) -> Path | None:
    """The file itself, or the only one of a folder that has no model of transformers."""
    if path.is_file():
        return path if path.suffix == ".gguf" else None
    found = sorted(path.glob("*.gguf")) if not (path / CONFIG).is_file() else []
    if len(found) > 1:
        raise DhyanError(f"{path} has several models; name one of {', '.join(file.name for file in found[:5])}.")
    return found[0] if found else None


def _read_checkpoint(checkpoint: Checkpoint, languages: Languages) -> tuple[ImportedModel, ModelFacts]:
    kind = checkpoint.config.get("model_type")
    read = FAMILIES.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise refuse_model_type(checkpoint.folder / CONFIG, kind, FAMILIES)
    return read(checkpoint, languages), folder_facts(checkpoint.folder, checkpoint.config)


def write_imported(model: ImportedModel, facts: ModelFacts, out: Path, name: str, storage: Storage) -> Pack:
    tokenizers: dict[str, Tokenizer] = dict(model.tokenizers)
    files = _files(tokenizers)
    is_unigram = next(iter(model.tokenizers.values())).kind == "Unigram"
    manifest = Manifest.checked(
        {
            "dhyan": __version__,
            "name": name or out.resolve().name,
            "task": model.task,
            "architecture": model.architecture,
            "text": TextSettings(
                pieces="unigram" if is_unigram else "bpe", shared=len(set(files.values())) < len(files)
            ),
            "tokenizers": files,
            "labels": model.labels,
            "label_kind": model.label_kind,
            "storage": storage,
            "decoding": model.decoding,
            "source_language": model.languages.source,
            "target_language": model.languages.target,
            "training": {IMPORTED: f"{facts.name} ({model.family})"},
            "licence": facts.licence,
        },
        "the imported model",
    )
    write_pack(out, manifest, model.weights, tokenizers, {NOTES: card_notes(model, facts)})
    return open_pack(out)


def _files(tokenizers: dict[str, Tokenizer]) -> dict[str, str]:
    """side → file; one file where the sides share a tokenizer."""
    first = next(iter(tokenizers.values()))
    is_one = all(tokenizer is first for tokenizer in tokenizers.values())
    return {side: "tokenizer.json" if is_one else f"{side}.json" for side in tokenizers}


def card_notes(model: ImportedModel, facts: ModelFacts) -> str:
    """The maker's part of the card: where the model comes from, and what was done to it."""
    lines = ["## Origin", "", f"{model.family}, imported from {shortened(facts.name)}. Dhyan did not train it."]
    if not facts.licence:
        lines += ["Its files state no licence: ask its makers before you pass it on."]
    lines += [f"- Folded: {folded}." for folded in model.notes.folded]
    lines += [f"- {sentence}" for sentence in (*model.notes.left_out, *model.notes.chosen)]
    if not all(tokenizer.is_lossless for tokenizer in model.tokenizers.values()):
        lines.append("- Its tokenizer does not keep every text as it is: case, accents or spaces may change.")
    return "\n".join(lines) + "\n"
