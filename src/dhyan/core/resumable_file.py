"""A file that is written over a long time: a run that is killed is continued by the next one with the same inputs.

Until it is complete it lies beside its place as a part file, with a journal. After each batch the journal records how
far the part file goes, its checksum, and what the caller counts. So it does not matter in which order the disk wrote
the two, or whether the end of either is torn: only what the journal confirms counts.
"""

import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError
from dhyan.core.file_lock import file_lock

Assemble = Callable[[BinaryIO, BinaryIO], None]  # assemble(what was added, the file to write)


class ResumableFile:
    """Use as a context. `counts` sums up what has been written so far, also by earlier runs; `notes` collects."""

    def __init__(self, target: Path, fingerprint: Mapping[str, Any], discard_other: bool = True) -> None:
        """fingerprint: everything the content depends on, as plain JSON values.

        discard_other: whether work that was begun with another fingerprint is thrown away; else it is an error.
        """
        self.counts: Counter[str] = Counter()
        self.notes: list[Any] = []
        self._target, self._discard_other = target, discard_other
        self._fingerprint: dict[str, Any] = json.loads(json.dumps(fingerprint))
        self._part_path, self._journal_path, self._lock_path = (
            target.with_name(f".{target.name}.{kind}") for kind in ("part", "journal", "lock")
        )
        self._batches = self._bytes = self._checksum = 0

    def __enter__(self) -> Self:
        busy = f"{self._target} is being written by another run; wait until it is done, or stop it first."
        with ExitStack() as opened:
            opened.enter_context(file_lock(self._lock_path, busy, remove=True))
            if not self._discard_other:
                self._refuse_other_work()
            self._journal = opened.enter_context(_opened(self._journal_path))
            self._part = opened.enter_context(_opened(self._part_path))
            self._recover()
            self._files = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._part.close()
        self._journal.close()
        if error and not self._batches:  # nothing to resume
            self._part_path.unlink(missing_ok=True)
            self._journal_path.unlink(missing_ok=True)
        self._files.close()

    def add(self, data: bytes, notes: Sequence[Any] = (), **counts: int) -> None:
        """Write a batch, then record it in the journal."""
        self._part.write(data)
        self._part.flush()
        self._bytes += len(data)
        self._checksum = zlib.crc32(data, self._checksum)
        self._count(counts, notes)
        end = {"bytes": self._bytes, "checksum": self._checksum, "counts": counts}
        self._write_journal({**end, "notes": notes} if notes else end)

    def finish(self, assemble: Assemble | None = None) -> None:
        """Put the file in its place; nothing is left beside it.

        assemble: makes the file out of what was added, for formats that cannot be written from front to back.
        """
        os.fsync(self._part.fileno())
        self._part.close()  # an open file cannot be renamed everywhere
        if assemble is None:
            self._part_path.replace(self._target)
        else:
            with self._part_path.open("rb") as added, atomic_file(self._target) as target:
                assemble(added, target)
            self._part_path.unlink()
        self._journal.close()
        self._journal_path.unlink()

    def _refuse_other_work(self) -> None:
        if not self._part_path.exists() or not self._part_path.stat().st_size:
            return  # killed before anything was written: nothing can be lost
        lines = self._journal_path.read_bytes().splitlines(keepends=True) if self._journal_path.exists() else []
        begun = _record(lines[0]) if lines else None
        if begun is None or "fingerprint" not in begun:
            raise DhyanError(
                f"{self._part_path} exists, but no journal that says what it is; move it away or remove it."
            )
        before, now = begun["fingerprint"], self._fingerprint
        other = [name for name in now if before.get(name) != now[name]]
        if other and len(lines) > 1:
            raise DhyanError(
                f"{self._part_path} was begun with another {' and another '.join(other)}: run the command as before,"
                " or remove that file to start again."
            )

    def _recover(self) -> None:
        trusted = 0
        first = self._journal.readline()
        if _record(first) == {"fingerprint": self._fingerprint}:
            trusted = len(first)
            while (record := _record(line := self._journal.readline())) and self._is_confirmed(record):
                trusted += len(line)
        for file, size in ((self._journal, trusted), (self._part, self._bytes)):
            file.seek(size)
            file.truncate()
        if not trusted:
            self._write_journal({"fingerprint": self._fingerprint})

    def _is_confirmed(self, record: dict[str, Any]) -> bool:
        """Whether the part file goes as far as the record says; if so, it counts as done."""
        end, checksum = record["bytes"], record["checksum"]
        data = self._part.read(end - self._bytes)
        found = zlib.crc32(data, self._checksum)
        if self._bytes + len(data) != end or found != checksum:
            return False
        self._bytes, self._checksum = end, checksum
        self._count(record["counts"], record.get("notes", []))
        return True

    def _count(self, counts: Mapping[str, int], notes: Sequence[Any]) -> None:
        self._batches += 1
        self.counts.update(counts)
        self.notes += notes

    def _write_journal(self, record: dict[str, Any]) -> None:
        self._journal.write(json.dumps(record).encode("ascii") + b"\n")
        self._journal.flush()


def _opened(path: Path) -> BinaryIO:
    path.touch()
    return path.open("r+b")


def _record(line: bytes) -> dict[str, Any] | None:
    """A line of the journal, unless its writer was killed in the middle of it."""
    if not line.endswith(b"\n"):
        return None
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return found
