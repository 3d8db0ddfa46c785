"""A lock that only one process can hold; it goes away with its process, however that ends."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dhyan.core.errors import DhyanError


@contextmanager
def file_lock(path: Path, busy: str, remove: bool = False) -> Iterator[None]:
    """Hold the lock file `path`; where another process holds it, raise a DhyanError that says `busy`.

    remove: whether the lock file is deleted in the end, while it is still held.
    """
    from filelock import FileLock, Timeout  # slow to import: only where something is written

    lock = FileLock(path, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise DhyanError(busy) from None
    try:
        yield
    finally:
        if remove:
            with suppress(OSError):  # Windows deletes it on release
                path.unlink()
        lock.release()


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock file. Leaves no file behind that was not there."""
    try:
        with file_lock(path, busy="", remove=True):
            return False
    except DhyanError:
        return True
