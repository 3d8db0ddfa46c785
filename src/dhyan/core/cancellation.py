"""Work that may be given up: whoever waits for it has gone, or its time is over. It stops between its steps.

What does a long computation calls `stop_if_cancelled` between its steps; outside a `Cancellation` that does nothing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancelled(Exception):
    """Raised inside work that has been given up; nobody waits for its result."""


class Cancellation:
    """Says whether one piece of work is still wanted; read by the thread that works, set by any other."""

    def __init__(self, seconds: float = float("inf")) -> None:
        """seconds: from now, after which nobody waits any more."""
        self.deadline = time.monotonic() + seconds
        self._is_cancelled = False
        self._listeners: list[Callable[[], object]] = []

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled or self.seconds_left <= 0

    def cancel(self) -> None:
        self._is_cancelled = True
        for wake in list(self._listeners):
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """`wake` is called on cancellation, so that a thread which waits for something else can look up."""
        self._listeners.append(wake)
        try:
            yield
        finally:
            self._listeners.remove(wake)

    @contextmanager
    def around(self) -> Iterator[None]:
        """What this thread does in here is the work."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current_cancellation() -> Cancellation | None:
    """That of the work which this thread does, if it can be given up."""
    return _current.get()


def stop_if_cancelled() -> None:
    """Raise `Cancelled` if nobody waits for this work any more."""
    cancellation = _current.get()
    if cancellation is not None and cancellation.is_cancelled:
        raise Cancelled
