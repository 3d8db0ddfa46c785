"""A shard, the part of one input file that becomes one output file; and the outcome that a worker reports for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dhyan.core.errors import DhyanError

RETRIES = 2  # after a failure that may be transient
STARTS = ".starts"  # ends the name of a file that counts how often a shard was begun
Kind = Literal["lines", "compressed lines", "parquet"]


@dataclass(frozen=True, slots=True)
class Shard:
    """Lines that begin in [begin, end) of a text's bytes, or those row groups of a Parquet file."""

    name: str  # of its output, relative to the folder of results
    file: str
    kind: Kind
    begin: int
    end: int
    size: int  # bytes, to weigh its progress
    file_size: int  # with the time: which state of the file it was planned for
    file_time: int

    def refuse_if_changed(self) -> None:
        if state_of(Path(self.file)) != (self.file_size, self.file_time):
            raise DhyanError(f"{self.file} has changed since the work began; put it back, or write to a new folder.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one try at a shard. Without an error, its output file is complete."""

    name: str
    rows: int = 0
    unanswered: int = 0  # texts that have an error in their row instead of a result
    error: str = ""
    try_again: bool = False  # the failure may be transient
    died: int = 0  # how many workers died at it before


def state_of(file: Path) -> tuple[int, int]:
    """Size and time of change: a file that has the same is taken for the same."""
    try:
        state = file.stat()
    except OSError as error:
        raise DhyanError(f"{file} cannot be read ({error.strerror}); check the path and its permissions.") from None
    return state.st_size, state.st_mtime_ns
