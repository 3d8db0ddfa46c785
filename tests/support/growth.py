"""How the cost of something grows with its input, measured by a ratio of sizes: a slow machine changes nothing."""

from collections.abc import Callable
from math import inf, log
from time import thread_time

MEASURABLE = 0.01  # seconds of this thread
LARGEST = 1 << 19
RATIO = 4
TRIES = 5
LINEAR = 1.1  # a power as small as this needs no further try: it could only become smaller


def growth(work: Callable[[int], object], size: int = 1000) -> float:
    """The power of the size with which the time grows: about 1 where it is linear, 2 where it is quadratic.

    0 where even the largest input takes too little time to be measured.
    """
    while (seconds := _seconds(work, size)) < MEASURABLE:
        if size >= LARGEST:
            return 0.0
        size *= 2
    seconds = min(seconds, *(_seconds(work, size) for _ in range(TRIES - 1)))
    power = inf
    for _ in range(TRIES):
        power = min(power, log(_seconds(work, RATIO * size) / seconds, RATIO))
        if power <= LINEAR:
            break
    return power


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = thread_time()
    work(size)
    return thread_time() - began
