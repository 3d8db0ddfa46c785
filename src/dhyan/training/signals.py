"""Graceful stop: on Ctrl-C or SIGTERM the training finishes its step, saves and says how to resume."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from dhyan.core.errors import DISK_FULL, DhyanError


class Interrupted(DhyanError):
    """The training was asked to stop, and has saved a checkpoint."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """Where all that counts is on disk: what stops the training now says how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"stopped. Go on with: dhyan train --resume {folder}", signal.SIGINT) from None
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        raise DhyanError(f"the disk is full: free some space. Go on with: dhyan train --resume {folder}") from None


class GracefulStop:
    """Within the block, the first Ctrl-C or SIGTERM is only noted in `signal_number`; a second one ends at once."""

    def __init__(self) -> None:
        self.signal_number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "GracefulStop":
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        except ValueError:  # not the main thread: whoever started us handles signals
            pass
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal_number:
            raise KeyboardInterrupt
        self.signal_number = number
