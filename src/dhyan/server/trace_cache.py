"""Traces that were asked for lately, so that the next number of the same trace is there at once."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import RLock

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.explain.explanation import Question
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.server.served_packs import ServedPack

MOST_TRACES = 24
MOST_BYTES = 768 * 2**20
LOOK_EVERY = 0.2  # seconds that another computes the same trace, before it is checked whether anybody waits for it

Key = tuple[int, Question]  # the pack's generation, and what was asked


@dataclass
class _Entry:
    """One trace. Whoever computes holds the lock, so that nothing is computed twice."""

    lock: RLock = field(default_factory=RLock)
    explanation: InteractiveExplanation | None = None
    users: int = 0  # that compute, look at it, or wait for it

    @property
    def bytes(self) -> int:
        return sum(map(_bytes, self.explanation.held())) if self.explanation is not None else 0

    def let_go(self) -> None:
        """It is no longer in the cache: its memory is free as soon as nobody uses it."""
        if self.explanation is not None and not self.users:
            self.explanation.let_go()
            self.explanation = None


def _bytes(explanation: InteractiveExplanation) -> int:
    trace, weights = explanation.trace, explanation.model.changed_weights.values()
    return sum(trace.array(name).nbytes for name in trace.recorded()) + sum(array.nbytes for array in weights)


class TraceCache:
    """A bounded cache: the trace that was longest not asked for goes first."""

    def __init__(self, most_traces: int = MOST_TRACES, most_bytes: int = MOST_BYTES) -> None:
        self.most_traces, self.most_bytes = most_traces, most_bytes
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()
        self._lock = RLock()

    @contextmanager
    def using(self, served: ServedPack, question: Question) -> Iterator[InteractiveExplanation]:
        """The trace of a question, alone with it: a trace computes some of its numbers when they are asked for."""
        key = served.generation, question
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            entry.users += 1
        try:
            while not entry.lock.acquire(timeout=LOOK_EVERY):
                stop_if_cancelled()
            try:
                if entry.explanation is None:
                    entry.explanation = served.explainer.answer(question)
                yield entry.explanation
            finally:
                entry.lock.release()
        finally:
            with self._lock:
                entry.users -= 1
                self._sweep(key)
                if self._entries.get(key) is not entry:
                    entry.let_go()

    @contextmanager
    def using_both(
        self, served: ServedPack, first: Question, second: Question
    ) -> Iterator[tuple[InteractiveExplanation, InteractiveExplanation]]:
        """Two of them at once, always taken in the same order, so that two requests never wait for each other."""
        with ExitStack() as held:
            found = {
                question: held.enter_context(self.using(served, question))
                for question in sorted({first, second}, key=lambda one: one.text)
            }
            yield found[first], found[second]

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in list(self._entries.values()))

    def _sweep(self, newest: Key) -> None:
        for key, entry in list(self._entries.items()):
            if entry.explanation is None and not entry.users and key != newest:  # nobody is computing it: it failed
                del self._entries[key]
        while len(self._entries) > 1 and (len(self._entries) > self.most_traces or self.bytes > self.most_bytes):
            self._entries.popitem(last=False)[1].let_go()
