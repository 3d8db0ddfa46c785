"""Ctrl-C and SIGTERM as a request: finish the step, save, say how to go on."""

import signal
from types import FrameType
from typing import Any

from dhyan.core.errors import DhyanError


class Interrupted(DhyanError):
    """A person or the system asked the training to stop; it has saved itself."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class PoliteStop:
    """Within the block, the first Ctrl-C or SIGTERM is only noted in `asked`; a second one ends at once."""

    def __init__(self) -> None:
        self.asked = 0  # the signal's number
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "PoliteStop":
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
        if self.asked:
            raise KeyboardInterrupt
        self.asked = number
