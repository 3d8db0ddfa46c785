"""Who is still there? When one process of a training is lost, the others find out which, and one of them says so."""

import os
import threading
import time
from contextlib import suppress

from torch.distributed.distributed_c10d import Store

ANSWER_SECONDS = 3.0  # for every process that lives to answer
LOOK_EVERY_SECONDS = 0.5
GRACE_SECONDS = 30.0  # for a process to end by itself once the user has been told why

CALLED, TOLD, HERE, LEFT = "called", "told", "here/{}", "left/{}"


class RollCall:
    """Notes on a board that all processes read (torchrun keeps it, or the first process).

    A thread looks at it, for the process itself may wait, deep inside a GPU's library, for one that is gone.
    """

    def __init__(self, board: Store, rank: int, count: int) -> None:
        self.board, self.rank, self.count = board, rank, count
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def missing(self) -> list[int]:
        """The processes that do not answer."""
        try:
            self.board.set(CALLED, "yes")
            time.sleep(ANSWER_SECONDS)
            return [rank for rank in range(self.count) if not self._noted(HERE.format(rank)) and rank != self.rank]
        except Exception:  # the board itself is gone, and with it who kept it
            return [0]

    def told(self) -> bool:
        """Whether the user knows already. True when nobody can say: then the board's keeper has ended, and spoken."""
        try:
            return self._noted(TOLD)
        except Exception:
            return self.rank != 0

    def may_tell(self) -> bool:
        """True for the first who asks: one message is enough."""
        try:
            return bool(self.board.add(TOLD, 1) == 1)
        except Exception:
            return True

    def leave(self) -> None:
        """Sign off. The first, who may be the board's keeper, stays until the others have, if they still live."""
        self.ended.set()
        with suppress(Exception):
            self.board.set(LEFT.format(self.rank), "yes")
            deadline = time.monotonic() + ANSWER_SECONDS
            waits_for = [LEFT.format(rank) for rank in range(self.count)] if self.rank == 0 else []
            while waits_for and not self.board.check(waits_for) and time.monotonic() < deadline:
                time.sleep(0.02)

    def _noted(self, what: str) -> bool:
        return bool(self.board.check([what]))

    def _look(self) -> None:
        answered = False
        since_told = 0.0
        while not self.ended.wait(LOOK_EVERY_SECONDS):
            try:
                if not answered and self._noted(CALLED):
                    self.board.set(HERE.format(self.rank), "yes")
                    answered = True
                since_told = since_told + LOOK_EVERY_SECONDS if self._noted(TOLD) else 0.0
            except Exception:  # the board is gone: the others will notice by themselves
                return
            if since_told > GRACE_SECONDS:
                os._exit(2)
