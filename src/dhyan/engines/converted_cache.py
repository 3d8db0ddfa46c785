"""Packs in the engine's own format, made once and kept in the user's cache."""

import hashlib
import shutil
import tempfile
from pathlib import Path

from dhyan.core.paths import cache_folder
from dhyan.engines.convert import Compute, write_engine_model
from dhyan.engines.import_ctranslate2 import ctranslate2
from dhyan.pack.pack import MANIFEST, WEIGHTS, Pack

CONVERTER = 2  # raised when `convert` writes something else for the same pack


def engine_model(pack: Pack, compute: Compute) -> Path:
    """The folder that CTranslate2 loads for this pack; converted now if it never was.

    Its name is the pack's content, so a pack that changes is converted again. Two processes may convert at once:
    each works aside, the first to finish gives its folder the name, the other throws its own away.
    """
    name = f"{pack.manifest.name}-{digest(pack)}-{compute}"
    place = cache_folder() / name
    if (place / "model.bin").is_file():
        return place
    shutil.rmtree(place, ignore_errors=True)  # what a tidy-up has left of it
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=place.parent))
    except OSError:  # a home that cannot be written to: a folder of this process alone will do
        private = Path(tempfile.mkdtemp(prefix="dhyan-"))
        _forget_at_exit(private)
        write_engine_model(pack, private, compute)
        return private
    try:
        write_engine_model(pack, part, compute)
        part.rename(place)
    except OSError:
        if not (place / "model.bin").is_file():
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return place


def digest(pack: Pack) -> str:
    """What the pack holds, in 16 letters."""
    content = hashlib.blake2b(f"{CONVERTER} {ctranslate2.__version__}".encode(), digest_size=8)
    for file in (MANIFEST, WEIGHTS, *sorted(set(pack.manifest.tokenizers.values()))):
        content.update((pack.folder / file).read_bytes())
    return content.hexdigest()


def _forget_at_exit(folder: Path) -> None:
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
