"""A pack that was given away, from a folder, an archive or an address, to where it is found by its name."""

import hashlib
import io
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from dhyan.core.atomic import atomic_folder, remove_folder
from dhyan.core.download import download, is_url, without_secrets
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.paths import user_packs
from dhyan.core.progress import Progress
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import MANIFEST, known_packs, open_pack
from dhyan.pack.pack_archive import MOST_BYTES, SUFFIXES, PackArchive, copy_pack, is_plain_name
from dhyan.pack.published_packs import published_packs


@dataclass(frozen=True)
class InstalledPack:
    name: str
    folder: Path
    manifest: Manifest
    sha256: str  # of the archive; empty for a folder


def install_pack(
    source: str,
    name: str | None = None,
    sha256: str | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> InstalledPack:
    """Nothing is there before all of it is checked: the hash before it is unpacked, the pack before it has its name.

    replace: whether a pack that this name calls now may give way.
    """
    wanted = _checked_hash(sha256)
    if not is_url(source) and Path(source).is_dir():
        if wanted:
            raise DhyanError(f"--sha256 is the hash of an archive, and {source} is a folder: leave it out.")
        folder = Path(source)
        target = _target(name or folder.absolute().name, replace)
        with _new_pack(target, source, replace) as part:
            copy_pack(folder, part)
        return InstalledPack(target.name, target, open_pack(target).manifest, "")
    shown = without_secrets(source) if is_url(source) else source
    with _archive(source, wanted is not None, progress or Progress()) as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
        if wanted not in (None, found):
            raise DhyanError(f"{shown} is not what was asked for: its SHA-256 is {found}; nothing was installed.")
        archive = PackArchive(stream, shown)
        target = _target(name or archive.folder or _stem(shown), replace)
        with _new_pack(target, shown, replace) as part:
            archive.unpack(part)
    return InstalledPack(target.name, target, open_pack(target).manifest, found)


def remove_pack(name: str) -> Path:
    """Only of the user's own: what came with Dhyan or in a package goes with these."""
    own = {manifest.parent.name for manifest in user_packs().glob(f"*/{MANIFEST}")}
    if name in own:
        remove_folder(user_packs() / name)
        return user_packs() / name
    package = next((one.package for one in published_packs() if one.name == name), None)
    if name not in known_packs():
        raise DhyanError(f"there is no pack '{name}' in {user_packs()}{did_you_mean(name, own)}.")
    if package is None or package_of(known_packs()[name]) is None:
        raise DhyanError(f"{name} comes with Dhyan and stays; only packs in {user_packs()} can be removed.")
    raise DhyanError(f"{name} belongs to a package: remove it with `pip uninstall {package.split()[0]}`.")


def package_of(folder: Path) -> str | None:
    """The package (name and version) that the pack in this folder came with."""
    return next((one.package for one in published_packs() if one.folder == folder), None)


def _checked_hash(sha256: str | None) -> str | None:
    if sha256 is None:
        return None
    digits = sha256.strip().lower().removeprefix("sha256:")
    if not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise DhyanError("--sha256: it is 64 digits from 0 to f, as `dhyan packs bundle` prints them.")
    return digits


def _target(name: str, replace: bool) -> Path:
    if not is_plain_name(name):
        raise DhyanError(
            f"'{name}' is no name for a pack: choose one of letters, digits, '.', '-' and '_' with --name."
        )
    target = user_packs() / name
    if replace:
        return target
    taken = target if target.exists() or target.is_symlink() else known_packs().get(name)
    if taken is not None:
        raise DhyanError(
            f"there is a pack '{name}' already ({taken}): choose another name with --name, or say --replace."
        )
    return target


@contextmanager
def _new_pack(target: Path, shown: str, replace: bool) -> Iterator[Path]:
    """A folder to fill, which is checked and then gets its name."""
    if target.is_symlink():
        raise DhyanError(f"{target} is a link: remove it with `dhyan packs remove {target.name}` first.")
    try:
        with atomic_folder(target, replace=replace) as part:
            yield part
            try:
                open_pack(part)
            except DhyanError as error:
                raise DhyanError(str(error).replace(str(part), shown)) from None
    except FileExistsError:
        raise DhyanError(f"a pack '{target.name}' was installed meanwhile; it is left as it is.") from None


@contextmanager
def _archive(source: str, has_hash: bool, progress: Progress) -> Iterator[io.BufferedIOBase]:
    """The archive, open for reading. One that is fetched has no name on the disk, so nothing of it is left behind."""
    if not is_url(source):
        try:
            with Path(source).open("rb") as file:
                yield file
        except FileNotFoundError:
            raise DhyanError(f"{source}: there is no such folder or archive; check the path.") from None
        return
    user_packs().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=user_packs()) as kept:
        fetched = cast("io.BufferedIOBase", kept)
        with progress.working("fetching", 0) as update:
            download(source, fetched, MOST_BYTES, has_hash, update)
        fetched.seek(0)
        yield fetched


def _stem(shown: str) -> str:
    """The name of an archive that has no folder in it."""
    name = shown.rstrip("/").replace("\\", "/").rpartition("/")[2]
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)
