"""How the cost of something grows with its input, measured by a ratio of sizes: a slow machine changes nothing."""

from collections.abc import Callable
from math import log
from time import thread_time

MEASURABLE = 0.01  # seconds of this thread
LARGEST = 1 << 19
RATIO = 4


def growth(work: Callable[[int], object], size: int = 1000) -> float:
    """The power of the size with which the time grows: about 1 where it is linear, 2 where it is quadratic.

    0 where even the largest input takes too little time to be measured.
    """
    while (seconds := _best(work, size)) < MEASURABLE:
        if size >= LARGEST:
            return 0.0
        size *= 2
    return log(_best(work, RATIO * size) / seconds, RATIO)


def _best(work: Callable[[int], object], size: int) -> float:
    times = []
    for _ in range(5):
        began = thread_time()
        work(size)
        times.append(thread_time() - began)
    return min(times)
