"""So much per minute: a moving window, counted per second so that it stays small."""

import math
from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic

WINDOW = 60  # seconds


class RateLimit:
    """At most `most` in any minute; 0 is without a limit."""

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self.most, self._clock = most, clock
        self._spent: deque[list[int]] = deque()  # [second, how much], oldest first
        self._total = 0
        self._lock = Lock()

    def spend(self, amount: int = 1) -> int:
        """0 if it was granted; else nothing is spent, and this is in how many seconds it would be granted.

        More than a whole minute allows is never granted: whoever asks for that much should be told so before.
        """
        if not self.most:
            return 0
        now = self._clock()
        with self._lock:
            while self._spent and self._spent[0][0] <= now - WINDOW:
                self._total -= self._spent.popleft()[1]
            if self._total + amount > self.most:
                return self._wait(now, amount)
            second = math.ceil(now)
            if self._spent and self._spent[-1][0] == second:
                self._spent[-1][1] += amount
            else:
                self._spent.append([second, amount])
            self._total += amount
            return 0

    def _wait(self, now: float, amount: int) -> int:
        too_much = self._total + amount - self.most
        for second, spent in self._spent:
            too_much -= spent
            if too_much <= 0:
                return max(1, math.ceil(second + WINDOW - now))
        return WINDOW
