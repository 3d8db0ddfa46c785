"""Files that are never half-written: everything is written beside its place, then swapped in.

A crash, a full disk or a kill leaves either the old file or the new one, never a torn one.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` so that a reader sees the whole of it or the file that was there before."""
    with atomic_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to fill bit by bit; when the block ends well it takes the place of `path`."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: Path, replace: bool = True) -> Iterator[Path]:
    """Give a fresh folder to fill; when the block ends well it takes the place of `path`, old content and all.

    With `replace=False` a folder that is there by then stays, and FileExistsError is raised.

    Two renames make the swap, so for an instant neither is there under its name; `recover_folder` puts back
    what a kill in that instant leaves behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    try:
        yield part
        for file in part.rglob("*"):
            if file.is_file():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
        part.chmod(0o777 & ~_umask())
        old = _old(path)
        if path.exists() and not replace:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
            path.rename(old)
        part.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        recover_folder(path)
        raise


def recover_folder(path: Path) -> None:
    """Undo a swap that was cut short between its two renames, and sweep up parts that were never swapped in."""
    old = _old(path)
    if old.exists() and not path.exists():
        old.rename(path)
    for part in path.parent.glob(f".{path.name}.????????.part"):
        if "." not in part.name.removeprefix(f".{path.name}.").removesuffix(".part"):  # else another folder's
            shutil.rmtree(part, ignore_errors=True)


def _old(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
