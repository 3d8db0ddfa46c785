"""`dhyan doctor`: what is installed, which engine runs, where packs and caches are kept."""

import importlib.metadata
import json
import os
import platform
from importlib.util import find_spec

import typer

from dhyan._version import __version__
from dhyan.cli.options import AsJson
from dhyan.core.extras import install_command
from dhyan.core.paths import cache_folder, user_packs
from dhyan.core.screen import Screen
from dhyan.pack.named_packs import BUILT_IN, known_packs

PACKAGES = ("ctranslate2", "tokenizers", "safetensors", "numpy", "torch", "sacrebleu")


def doctor(as_json: AsJson = False) -> None:
    answers = examine()
    if as_json:
        typer.echo(json.dumps(answers, ensure_ascii=False, indent=2))
        return
    Screen().table(list(answers.items()))


def examine() -> dict[str, str]:
    """Question → answer, in the order in which a person would ask."""
    from dhyan.engines.import_ctranslate2 import ctranslate2  # takes a moment

    answers = {
        "dhyan": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
    }
    answers |= {name: _version(name) for name in PACKAGES}
    kinds = ", ".join(sorted(ctranslate2.get_supported_compute_types("cpu")))
    answers["engine"] = f"CTranslate2 on the CPU ({os.cpu_count()} cores; {kinds})"
    answers["training"] = _training()
    answers["built-in packs"] = f"{BUILT_IN} ({_count(BUILT_IN)})"
    answers["your packs"] = f"{user_packs()} ({_count(user_packs())})"
    answers["cache"] = f"{cache_folder()} ({_cache_size()})"
    return answers


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _training() -> str:
    if find_spec("torch") is None:
        return f"not possible: {install_command('train')}"
    import torch

    return (
        f"PyTorch on {torch.cuda.get_device_name()}"
        if torch.cuda.is_available()
        else "PyTorch on the CPU (no GPU seen)"
    )


def _count(packs: os.PathLike[str]) -> str:
    names = [name for name, folder in known_packs().items() if folder.parent == packs]
    return ", ".join(names) or "none"


def _cache_size() -> str:
    files = [path for path in cache_folder().rglob("*") if path.is_file()] if cache_folder().is_dir() else []
    return f"{sum(path.stat().st_size for path in files) / 1e6:.1f} MB"
