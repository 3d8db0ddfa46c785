"""Traces that were asked for lately, so that the next number of the same trace is there at once."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from dhyan.explain.explainer import Question
from dhyan.explain.explanation import Explanation
from dhyan.server.served_packs import Served

MOST_TRACES = 24
MOST_BYTES = 768 * 2**20

Key = tuple[str, Question]  # the model's name and what was asked


@dataclass
class _Place:
    """Where a trace is kept. Whoever computes holds the lock, so that nothing is computed twice."""

    lock: RLock = field(default_factory=RLock)
    trace: Explanation | None = None

    @property
    def bytes(self) -> int:
        if self.trace is None:
            return 0
        return sum(self.trace.whole(name).nbytes for name in self.trace.recorded())


class Traces:
    """A bounded cache: the trace that was longest not asked for goes first."""

    def __init__(self, most_traces: int = MOST_TRACES, most_bytes: int = MOST_BYTES) -> None:
        self.most_traces, self.most_bytes = most_traces, most_bytes
        self._places: OrderedDict[Key, _Place] = OrderedDict()
        self._lock = RLock()

    @contextmanager
    def using(self, served: Served, question: Question) -> Iterator[Explanation]:
        """The trace of a question, alone with it: a trace computes some of its numbers when they are asked for."""
        key = served.name, question
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
        try:
            with place.lock:
                if place.trace is None:
                    place.trace = served.explainer.answer(question)
                yield place.trace
        finally:
            with self._lock:
                self._sweep(key)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def bytes(self) -> int:
        return sum(place.bytes for place in list(self._places.values()))

    def _sweep(self, newest: Key) -> None:
        for key in [key for key, place in self._places.items() if place.trace is None and key != newest]:
            if self._places[key].lock.acquire(blocking=False):  # nobody is computing it: it failed
                self._places.pop(key).lock.release()
        while len(self._places) > 1 and (len(self._places) > self.most_traces or self.bytes > self.most_bytes):
            self._places.popitem(last=False)
