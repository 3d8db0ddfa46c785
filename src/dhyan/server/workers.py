"""A few threads for work that takes long: so many at a time, so many that may wait, and each of it can be given up.

The threads are daemons: a process that is told to end does not wait for work that nobody wants any more.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from starlette.requests import Request

from dhyan.core.cancellation import Cancellation, Cancelled
from dhyan.server.http_errors import HttpError, busy

T = TypeVar("T")

FULL = "too many requests wait already; try again in a moment."
NOT_BEGUN = "the server had no time for this request within {seconds:g} seconds; try again in a moment."
NOT_DONE = "this takes longer than the {seconds:g} seconds that a request has; ask for less at once."
RETRY = 5  # seconds
LOOK_EVERY = 0.05  # seconds
NICE = 10  # of threads whose work may wait for that of others


class ClientGone(Exception):
    """Nobody is there to be answered."""


@dataclass(eq=False)
class _Job(Generic[T]):
    function: Callable[[], T]
    cancellation: Cancellation
    future: Future[T] = field(default_factory=Future)
    has_begun: bool = False

    def run(self) -> None:
        if self.cancellation.is_cancelled or not self.future.set_running_or_notify_cancel():
            self.future.cancel()
            return
        self.has_begun = True
        try:
            with self.cancellation.around():
                result = self.function()
        except BaseException as error:  # also what is no Exception: whoever waits is told
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class Workers:
    """Runs functions in threads of its own."""

    def __init__(self, name: str, count: int, waiting: int | None = None, background: bool = False) -> None:
        """waiting: how many may wait beside those that run; None: any number. background: others go first."""
        self.name, self.count, self.waiting, self.background = name, count, waiting, background
        self._queue: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._jobs: set[_Job[Any]] = set()  # that run or wait
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    @property
    def in_flight(self) -> int:
        """How many run or wait."""
        return len(self._jobs)

    @property
    def running(self) -> int:
        return min(self.count, len(self._jobs))

    async def run(
        self,
        request: Request,
        function: Callable[[], T],
        seconds: float,
        ended: Callable[[], object] = lambda: None,
    ) -> T:
        """The function's result. It is given up when the client goes away, or after so many seconds.

        ended: called when the work has ended, which may be after it was given up.
        """
        job = _Job(function, Cancellation(seconds))
        try:
            self._submit(job)
        except HttpError:
            ended()
            raise

        def forget(future: Future[T]) -> None:
            self._jobs.discard(job)
            ended()

        job.future.add_done_callback(forget)
        result = asyncio.wrap_future(job.future)
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            either: set[asyncio.Future[Any]] = {result, gone}
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done() and not result.cancelled():
                return result.result()
            if gone.done():
                raise ClientGone
            raise Cancelled
        except Cancelled:
            if job.has_begun:
                raise HttpError(504, NOT_DONE.format(seconds=seconds)) from None
            raise busy(NOT_BEGUN.format(seconds=seconds), RETRY) from None
        finally:
            gone.cancel()
            job.cancellation.cancel()
            result.cancel()  # dropped, if it has not begun

    def close(self, seconds: float = 5) -> None:
        """Give up everything, and wait that long for the threads to notice."""
        for job in list(self._jobs):
            job.cancellation.cancel()
            job.future.cancel()
        for _ in self._threads:
            self._queue.put(None)
        patience = Cancellation(seconds)
        for thread in self._threads:
            thread.join(max(0, patience.seconds_left))

    def _submit(self, job: _Job[Any]) -> None:
        with self._lock:
            if self.waiting is not None and len(self._jobs) >= self.count + self.waiting:
                raise busy(FULL, RETRY)
            self._jobs.add(job)
            if len(self._threads) < min(self.count, len(self._jobs)):
                thread = threading.Thread(target=self._work, name=f"{self.name}-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._queue.put(job)

    def _work(self) -> None:
        if self.background and sys.platform == "linux":
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)  # of this thread alone
        while (job := self._queue.get()) is not None:
            job.run()
            del job  # nothing of a request is kept until the next one comes


async def _disconnected(request: Request) -> None:
    """Returns when the client has gone. By now the body has been read, so nothing else is to come."""
    while (await request.receive())["type"] != "http.disconnect":
        await asyncio.sleep(LOOK_EVERY)  # a server may say again and again that the body has ended
