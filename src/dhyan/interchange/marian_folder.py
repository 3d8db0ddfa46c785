"""Which files of a folder are Marian's model and its vocabularies: as its YAML says, or as the files are called."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, shortened
from dhyan.core.json_object import read_bounded_text
from dhyan.interchange.marian_file import (
    MAX_SETTINGS_BYTES,
    MarianFile,
    begins_as_marian,
    open_marian,
    parse_plain_yaml,
)

SHORTLIST = "lex."  # lex.50.50.enpt.s2t.bin: which words of the target a word of the source suggests


@dataclass(frozen=True)
class MarianFolder:
    """What a model of OPUS-MT, Bergamot or Firefox is on disk."""

    folder: Path
    file: MarianFile
    vocabularies: tuple[Path, Path]  # of source and target, twice the same where they share one
    settings: dict[str, Any]  # how it is to be decoded: beam-size, normalize, …; empty without a YAML file
    left_out: list[str]  # sentences about what Dhyan has no use for


def open_marian_folder(folder: Path) -> MarianFolder:
    if not folder.is_dir():
        raise DhyanError(f"{folder}: there is no such folder; name one that has a model of Marian.")
    settings = _decoding_settings(folder)
    model = _model(folder, settings)
    source, target = _vocabularies(folder, settings)
    shortlists = [path.name for path in _files(folder, ".bin") if path.name.startswith(SHORTLIST)]
    left_out = [f"{name} is left out: it makes Marian faster by considering fewer words." for name in shortlists]
    return MarianFolder(folder, open_marian(model), (source, target), settings, left_out)


def is_marian_folder(folder: Path) -> bool:
    """Whether it has a model of Marian, and none of transformers, which converts them under the same names."""
    return folder.is_dir() and not (folder / "config.json").exists() and bool(_models_by_name(folder))


def _decoding_settings(folder: Path) -> dict[str, Any]:
    """Of decoder.yml or config.….yml: the file that names the model."""
    for path in sorted(_files(folder, ".yml", ".yaml"), key=lambda path: path.name != "decoder.yml"):
        try:
            found = parse_plain_yaml(read_bounded_text(path, MAX_SETTINGS_BYTES))
        except Exception:  # a vocabulary is YAML too, and may be long; whatever is not settings is passed over
            continue
        if isinstance(found.get("models"), list):
            return found
    return {}


def _model(folder: Path, settings: dict[str, Any]) -> Path:
    models = _named(folder, settings, "models") or _models_by_name(folder)
    if len(models) != 1:
        found = ", ".join(shortened(path.name) for path in models[:5]) or "none"
        raise DhyanError(f"{folder} should have one model of Marian, a .npz or .bin file, and has {found}.")
    return models[0]


def _models_by_name(folder: Path) -> list[Path]:
    return [path for path in _files(folder, ".npz", ".bin") if path.suffix == ".npz" or begins_as_marian(path)]


def _vocabularies(folder: Path, settings: dict[str, Any]) -> tuple[Path, Path]:
    found = _named(folder, settings, "vocabs") or _files(folder, ".spm")
    if not found or len(found) > 2:
        raise DhyanError(f"{folder} should have one vocabulary or two, as .spm files, and has {len(found)}.")
    if "vocabs" not in settings:  # there, the source comes first
        found.sort(key=lambda path: path.name.startswith(("trg", "target")))
    return found[0], found[-1]


def _named(folder: Path, settings: dict[str, Any], key: str) -> list[Path]:
    """The files that the YAML names. Only their names count: they lie in this folder, wherever they lay before."""
    names = settings.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DhyanError(f"{folder}: '{key}' in its YAML should be a list of files.")
    paths = [folder / Path(name).name for name in names]
    for path in paths:
        if "\0" in path.name or not path.is_file():
            raise DhyanError(f"{folder} lacks {shortened(path.name)}, which its YAML names under '{key}'.")
    return paths


def _files(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in suffixes and path.is_file())
