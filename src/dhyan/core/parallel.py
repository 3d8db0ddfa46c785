"""Map a function over many items with several processes; the results come in order."""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from dhyan.core.errors import DhyanError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(work: Callable[[Item], Result], items: Iterable[Item], processes: int) -> Iterator[Result]:
    """`work` is sent to each process once, the items one by one. With one process all is done in this one."""
    if processes <= 1:
        yield from map(work, items)
        return
    # Not by fork: the thread that shows progress may hold a lock that would stay locked in the copy.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawn, initializer=_begin, initargs=(work,)) as pool:
        try:
            yield from pool.map(_do, items)
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is handled by the first process


def _do(item: Any) -> Any:
    return _work(item)
