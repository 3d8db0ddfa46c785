"""Packs in CTranslate2's format: converted once, kept in the user's cache, checked at every start.

A converted model that is damaged, by a flipped bit or a torn write, is converted again.
"""

import atexit
import hashlib
import json
import logging
import re
import shutil
import tempfile
import time
import zlib
from pathlib import Path

from dhyan.core.atomic import PART, atomic_folder, remove_leftovers, write_atomic
from dhyan.core.paths import cache_folder
from dhyan.engines.convert import Compute, convert_pack
from dhyan.engines.import_ctranslate2 import ctranslate2
from dhyan.pack.pack import MANIFEST, WEIGHTS, Pack

LOG = logging.getLogger("dhyan")
CONVERTER = 3  # raised when `convert` writes something else for the same pack
CHECKSUMS = "checksums.json"  # file → CRC-32, written with the conversion
NAME_LENGTH = 60  # characters of the pack's name that its folder's name begins with
SETTLED = 2.0  # seconds: a file that has not changed for so long is taken to be unchanged while its times are
CHUNK = 1 << 18  # bytes


def converted_model(pack: Pack, compute: Compute) -> Path:
    """The folder that CTranslate2 loads for this pack; converted now if there is none, or if it is damaged.

    Its name contains the pack's digest, so a pack that changes is converted again. Several processes may convert the
    same pack at once: the first to finish puts its folder in place, the others use that one.
    """
    folder = _folder_of(pack, compute)
    if is_intact(folder):
        LOG.info(f"converted already: {folder}")
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _remove_leftovers(folder.parent)
        with atomic_folder(folder, replace=False) as part:
            _convert(pack, part, compute)
    except OSError:
        if is_intact(folder):  # another process was faster
            return folder
        folder = Path(tempfile.mkdtemp(prefix="dhyan-"))  # a cache that cannot be written to: for this process alone
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _convert(pack, folder, compute)
    return folder


def forget_conversion(pack: Pack, compute: Compute) -> None:
    """Of a pack that nobody will start again."""
    shutil.rmtree(_folder_of(pack, compute), ignore_errors=True)


def _folder_of(pack: Pack, compute: Compute) -> Path:
    return cache_folder() / f"{_safe_name(pack.manifest.name)}-{pack_digest(pack)}-{compute}"


def is_intact(folder: Path) -> bool:
    """Whether the files of a converted model are those that the conversion wrote."""
    try:
        checksums = json.loads((folder / CHECKSUMS).read_text(encoding="utf-8"))
        return bool(checksums) and all(_checksum(folder / name) == found for name, found in checksums.items())
    except (OSError, ValueError, AttributeError):
        return False


def pack_digest(pack: Pack) -> str:
    """16 hexadecimal digits for the pack's content, the converter and CTranslate2's version.

    To read a large pack at every start would take as long as to load it, so a digest is kept with the sizes and times
    of the files it was computed from, and computed again when one of these is another.
    """
    files = [pack.folder / name for name in (MANIFEST, WEIGHTS, *sorted(set(pack.manifest.tokenizers.values())))]
    name = hashlib.blake2b(str(pack.folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    kept = cache_folder() / "digests" / f"{name}.json"
    version = f"{CONVERTER} {ctranslate2.__version__}"
    state = [version, *([str(file), *_state(file)] for file in files)]
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["state"] == state:
            return str(found["digest"])
    except (OSError, ValueError, TypeError, KeyError):
        pass
    content = hashlib.blake2b(version.encode(), digest_size=8)
    for file in files:
        content.update(file.read_bytes())
    latest = max(time_ns for file in files for time_ns in _state(file)[1:3])
    # A file that was changed a moment ago may change again within the same tick of the clock.
    if time.time_ns() - latest > SETTLED * 1e9:
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(kept, json.dumps({"state": state, "digest": content.hexdigest()}))
        except OSError:
            pass  # a cache that cannot be written to
    return content.hexdigest()


def _state(file: Path) -> list[int]:
    state = file.stat()
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]


def _convert(pack: Pack, folder: Path, compute: Compute) -> None:
    LOG.info(f"converting {pack.folder} for CTranslate2 into {folder}")
    convert_pack(pack, folder, compute)
    checksums = {file.name: _checksum(file) for file in sorted(folder.iterdir())}
    (folder / CHECKSUMS).write_text(json.dumps(checksums), encoding="utf-8")


def _checksum(file: Path) -> int:
    checksum = 0
    chunk = memoryview(bytearray(CHUNK))
    with file.open("rb", buffering=0) as stream:
        while count := stream.readinto(chunk):
            checksum = zlib.crc32(chunk[:count], checksum)
    return checksum


def _safe_name(name: str) -> str:
    """A pack may be called anything: slashes, dots and blanks must not lead out of the cache."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:NAME_LENGTH].lstrip(".") or "_"


def _remove_leftovers(cache: Path) -> None:
    """Remove the temporary folders of conversions that were killed."""
    for part in cache.glob(f".*.????????{PART}"):
        remove_leftovers(part.with_name(part.name[1 : -len(f".12345678{PART}")]))
