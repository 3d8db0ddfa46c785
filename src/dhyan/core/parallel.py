"""The same work on many things, by several processes, in order."""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from dhyan.core.errors import DhyanError

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_parallel(work: Callable[[Given], Made], things: Iterable[Given], processes: int) -> Iterator[Made]:
    """`work` goes to each process once, the things one by one. With one process it is done right here."""
    if processes <= 1:
        yield from map(work, things)
        return
    # Not by fork: the thread that shows progress may hold a lock that would stay locked in the copy.
    afresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, afresh, initializer=_begin, initargs=(work,)) as pool:
        try:
            yield from pool.map(_do, things)
        except BrokenProcessPool:
            raise DhyanError(
                "one of the processes was killed, perhaps for lack of memory; try fewer workers."
            ) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who presses Ctrl+C speaks to the first process


def _do(thing: Any) -> Any:
    return _work(thing)
