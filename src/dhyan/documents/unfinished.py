"""A file in the making: it grows beside its place, and a journal lets a later run go on where this one stopped.

After each batch the journal says how far the file goes and what its checksum is. So it does not matter in which
order the disk wrote the two, or whether the last words of either were torn: what the journal vouches for counts.
"""

import contextlib
import json
import os
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import Failed

if sys.platform != "win32":
    import fcntl


class Unfinished:
    """Use as a context; `units`, `texts` and `failed` tell what earlier runs have done under the same `key`."""

    def __init__(self, target: Path, key: str) -> None:
        self.units = 0
        self.texts = 0
        self.failed: list[Failed] = []
        self._target = target
        self._key = key
        self._part_path = target.with_name(f".{target.name}.part")
        self._journal_path = target.with_name(f".{target.name}.journal")
        self._bytes = 0
        self._checksum = 0

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as opened:
            self._journal = opened.enter_context(_opened(self._journal_path))
            self._lock()
            self._part = opened.enter_context(_opened(self._part_path))
            self._recover()
            self._files = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()
        if error and not self.units:  # nothing worth going on with
            self._part_path.unlink(missing_ok=True)
            self._journal_path.unlink(missing_ok=True)

    def add(self, content: str, units: int, texts: int, failed: Iterable[Failed]) -> None:
        """Write a batch down, then vouch for it."""
        data = content.encode("utf-8")
        self._part.write(data)
        self._part.flush()
        self.units += units
        self.texts += texts
        self._bytes += len(data)
        self._checksum = zlib.crc32(data, self._checksum)
        new = list(failed)
        self.failed += new
        entry = {"units": self.units, "texts": self.texts, "bytes": self._bytes, "checksum": self._checksum}
        self._write_journal({**entry, "failed": new} if new else entry)

    def finish(self) -> None:
        """Put the file in its place; nothing is left beside it."""
        os.fsync(self._part.fileno())
        self._part.close()  # an open file cannot be moved everywhere
        self._part_path.replace(self._target)
        self._journal.close()
        self._journal_path.unlink()

    def _recover(self) -> None:
        trusted = 0
        first = self._journal.readline()
        if _entry(first) == {"key": self._key}:
            trusted = len(first)
            while (entry := _entry(line := self._journal.readline())) and self._vouches(entry):
                trusted += len(line)
        for file, size in ((self._journal, trusted), (self._part, self._bytes)):
            file.seek(size)
            file.truncate()
        if not trusted:
            self._write_journal({"key": self._key})

    def _vouches(self, entry: dict[str, Any]) -> bool:
        """Whether the part file goes as far as the entry says; if so, the work done so far reaches to there."""
        data = self._part.read(entry["bytes"] - self._bytes)
        checksum = zlib.crc32(data, self._checksum)
        if self._bytes + len(data) != entry["bytes"] or checksum != entry["checksum"]:
            return False
        self.units, self.texts = entry["units"], entry["texts"]
        self._bytes, self._checksum = entry["bytes"], checksum
        self.failed += [Failed(line, message) for line, message in entry.get("failed", [])]
        return True

    def _write_journal(self, entry: dict[str, Any]) -> None:
        self._journal.write(json.dumps(entry).encode("ascii") + b"\n")
        self._journal.flush()

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DhyanError(f"{self._target} is being written by another run; wait until it is done.") from None


def _opened(path: Path) -> BinaryIO:
    path.touch()
    return path.open("r+b")


def _entry(line: bytes) -> dict[str, Any] | None:
    """An entry of the journal, unless its writer was killed in the middle of it."""
    if not line.endswith(b"\n"):
        return None
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return found
