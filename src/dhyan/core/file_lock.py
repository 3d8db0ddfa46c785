"""One process a training: a lock that goes away with its process, however that ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dhyan.core.errors import DhyanError


@contextmanager
def only_process(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; refuse when another process has it."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # not on this system: then a person must take care
            pass
        except OSError:
            raise DhyanError(f"another process is training in {folder}; wait for it, or stop it first.") from None
        yield
    finally:
        os.close(handle)
