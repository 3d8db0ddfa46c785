"""Liveness check: when one process of a training is lost, the others find out which, and one of them reports it."""

import os
import threading
import time
from contextlib import suppress

from torch.distributed.distributed_c10d import Store

ANSWER_SECONDS = 3.0  # for every living process to answer
POLL_SECONDS = 0.5
GRACE_SECONDS = 30.0  # for a process to end by itself once the user has been told why

ASKED, REPORTED, ALIVE, LEFT = "asked", "reported", "alive/{}", "left/{}"
StoreError = RuntimeError  # what a store raises when the process that keeps it is gone


class LivenessCheck:
    """Keys in a key-value store that all processes read (kept by torchrun, or by the main process).

    A thread watches it, because the process itself may be waiting, deep inside a GPU's library, for one that is gone.
    """

    def __init__(self, store: Store, rank: int, count: int) -> None:
        self.store, self.rank, self.count = store, rank, count
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def missing(self) -> list[int]:
        """The processes that do not answer."""
        try:
            self.store.set(ASKED, "yes")
            time.sleep(ANSWER_SECONDS)
            return [rank for rank in range(self.count) if not self._has(ALIVE.format(rank)) and rank != self.rank]
        except StoreError:  # the store is gone, and with it the process that kept it
            return [0]

    def is_reported(self) -> bool:
        """Whether the error has been reported. True if the store is gone: its process has ended and reported it."""
        try:
            return self._has(REPORTED)
        except StoreError:
            return self.rank != 0

    def may_report(self) -> bool:
        """True for the first process that asks: one message is enough."""
        try:
            return bool(self.store.add(REPORTED, 1) == 1)
        except StoreError:
            return True

    def leave(self) -> None:
        """Sign off. The main process, which may keep the store, waits until the others have, if they are alive."""
        self.ended.set()
        with suppress(StoreError):
            self.store.set(LEFT.format(self.rank), "yes")
            deadline = time.monotonic() + ANSWER_SECONDS
            waits_for = [LEFT.format(rank) for rank in range(self.count)] if self.rank == 0 else []
            while waits_for and not self.store.check(waits_for) and time.monotonic() < deadline:
                time.sleep(0.02)

    def _has(self, key: str) -> bool:
        return bool(self.store.check([key]))

    def _watch(self) -> None:
        answered = False
        since_report = 0.0
        while not self.ended.wait(POLL_SECONDS):
            try:
                if not answered and self._has(ASKED):
                    self.store.set(ALIVE.format(self.rank), "yes")
                    answered = True
                since_report = since_report + POLL_SECONDS if self._has(REPORTED) else 0.0
            except StoreError:  # the others will notice by themselves
                return
            if since_report > GRACE_SECONDS:
                os._exit(2)
