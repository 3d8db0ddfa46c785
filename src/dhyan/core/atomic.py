"""Atomic writes: files and folders are written under a temporary name and then renamed into place.

A crash, a full disk or a kill leaves either the old content or the new, never a mixture. What a killed process leaves
behind is removed by the next one that writes to the same place.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dhyan.core.file_lock import file_lock, is_locked

PART, LOCK = ".part", ".lock"  # of a folder that is being written, and of the process that writes it


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write `content` to `path`; a reader sees all of it, or the file that was there before."""
    with atomic_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to; when the block ends without an error it replaces `path`."""
    part = _temporary(path)
    # Created by the system with the user's own permissions: to read the umask, a process would have to change it.
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: Path, replace: bool = True) -> Iterator[Path]:
    """A new folder to fill; when the block ends without an error it replaces `path` and all that was in it.

    With `replace=False` a folder that exists by then stays, and FileExistsError is raised.

    The swap takes two renames, so for an instant there is no `path`; `recover_folder` undoes a swap that was killed
    between the two.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    part = _temporary(path)
    with file_lock(part.with_suffix(LOCK), busy=f"{part} is being written by another process.", remove=True):
        try:
            part.mkdir()
            yield part
            for file in part.rglob("*"):
                if file.is_file():
                    with file.open("r+b") as handle:  # Windows syncs no file that is open for reading alone
                        os.fsync(handle.fileno())
            old = _old(path)
            if path.exists() and not replace:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            if path.exists():
                shutil.rmtree(old, ignore_errors=True)
                path.rename(old)
            part.rename(path)
            _sync_folder(path.parent)
            shutil.rmtree(old, ignore_errors=True)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            recover_folder(path)
            raise


def remove_folder(path: Path) -> None:
    """Remove a folder so that nobody ever sees half of it; a link to one is removed alone."""
    if path.is_symlink():
        path.unlink()
        return
    part = _temporary(path)
    path.rename(part)
    shutil.rmtree(part, ignore_errors=True)  # what is left of it is swept by whoever writes to this place next


def recover_folder(path: Path) -> None:
    """Undo a swap that was killed between its two renames, and remove what killed processes have left."""
    old = _old(path)
    if old.exists() and not path.exists():
        old.rename(path)
    remove_leftovers(path)


def remove_leftovers(path: Path) -> None:
    """Remove the temporary folders of killed processes that were writing `path`; those of living ones stay."""
    for suffix in (PART, LOCK):
        for found in path.parent.glob(f".{path.name}.????????{suffix}"):
            part = found.with_suffix(PART)
            if "." in part.name.removeprefix(f".{path.name}.").removesuffix(PART):  # of another folder
                continue
            with suppress(OSError):  # not ours to remove
                if not part.is_file() and not is_locked(part.with_suffix(LOCK)):  # which removes a lock left behind
                    shutil.rmtree(part, ignore_errors=True)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")


def _old(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _sync_folder(folder: Path) -> None:
    """Write the folder's entries to disk, so that a rename survives a power failure."""
    with suppress(OSError):  # not every system can open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
