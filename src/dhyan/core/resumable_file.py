"""A long table written chunk by chunk beside its place: a run that is cut short is gone on with by the next."""

import gzip
import json
import lzma
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import zstandard

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError

# Compressed chunks stand one behind the other: each of these formats allows it, so that nothing is packed twice.
PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    ".tsv": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(level=9).compress,
}


@dataclass
class Tally:
    """What has been done so far, in this run and before."""

    rows: int = 0  # read
    written: int = 0
    left_out: int = 0
    size: int = 0  # bytes of whole chunks
    resumed: int = 0  # rows that earlier runs had read


class UnfinishedTable:
    """Rows of text on their way to `out`. Until all are there they lie in `out.part`, with a note beside it."""

    def __init__(self, out: Path, made_of: Mapping[str, Any]) -> None:
        self.out, self.made_of = out, dict(made_of)
        self.part = out.with_name(f"{out.name}.part")
        self.note = out.with_name(f"{out.name}.part.json")
        self.tally = Tally()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.part.exists():
            self._take_up()
        else:
            self._write_note()
        self._file = self.part.open("ab")
        try:
            _lock(self._file, self.part)
            self._file.truncate(self.tally.size)  # what a cut-short run had begun to add
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, lines: Sequence[str], rows: int, left_out: int) -> None:
        """Write the lines that came of so many rows; they are safe when this returns."""
        assert self._file is not None
        pack = PACKED[self.out.suffix.lower()]
        if lines:
            self._file.write(pack("".join(f"{line}\n" for line in lines).encode("utf-8")))
            self._file.flush()
            os.fsync(self._file.fileno())
        tally = self.tally
        tally.rows += rows
        tally.written += len(lines)
        tally.left_out += left_out
        tally.size = self.part.stat().st_size
        self._write_note()

    def finish(self) -> Tally:
        if self.out.exists():
            raise DhyanError(f"{self.out} has come into being meanwhile; move it away and run the command again.")
        if self._file is not None:
            self._file.close()
        self.part.replace(self.out)
        self.note.unlink()
        return self.tally

    def _take_up(self) -> None:
        try:
            told = json.loads(self.note.read_text(encoding="utf-8"))
            begun_with, self.tally = told["made_of"], Tally(**told["tally"])
        except (OSError, ValueError, KeyError, TypeError):
            raise DhyanError(f"{self.part} is there, but no note of what it is; move it away or remove it.") from None
        other = [name for name in self.made_of if begun_with.get(name) != self.made_of[name]]
        if other and self.tally.rows:
            raise DhyanError(
                f"{self.part} was begun with another {' and another '.join(other)}: run the command as it was then,"
                " or remove that file to begin anew."
            )
        self.tally.resumed = self.tally.rows
        self._write_note()

    def _write_note(self) -> None:
        write_atomic(self.note, json.dumps({"made_of": self.made_of, "tally": asdict(self.tally)}, indent=2) + "\n")


def _lock(file: BinaryIO, path: Path) -> None:
    """For as long as the file is open; it goes away with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # not on this system: then a person must take care
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise DhyanError(f"another process is writing {path}; wait for it, or stop it first.") from None
