"""Dynamic batching: what many threads ask of one engine within a few milliseconds is computed together.

There is no thread here. One of those that wait takes the next batch out of the queue and computes it for all of them;
whoever has its results goes on, and another takes its place. A thread that is alone never waits.
"""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.cancellation import current_cancellation, stop_if_cancelled
from dhyan.engines.base import Engine, Ids
from dhyan.engines.shared_lengths import range_of
from dhyan.model.generation.settings import GenerationSettings, Hypothesis

LOOK_EVERY = 60.0  # seconds: the deadline may be infinite, and Event.wait takes no such time-out
Compute = Callable[[list[Ids]], Sequence[Any]]  # rows → their results


class _Call:
    """What one thread asks for: its rows go into one batch or several, and their results come in any order."""

    def __init__(self, rows: Sequence[Ids]) -> None:
        self.rows = rows
        self.results: list[Any] = [None] * len(rows)
        # The longest last: rows of about one length meet in a batch.
        self.waiting = deque(sorted(range(len(rows)), key=lambda number: len(rows[number])))
        self.left = len(rows)  # rows without a result
        self.error: Exception | None = None
        self.look_up = threading.Event()  # there are results, or there is a batch to compute
        self.is_computing = False  # its thread computes a batch

    @property
    def is_done(self) -> bool:
        return self.left == 0 or self.error is not None

    @property
    def next_range(self) -> int:
        return self.range_of(self.waiting[0])

    def range_of(self, number: int) -> int:
        return range_of(len(self.rows[number]))


@dataclass
class _Queue:
    """Calls that may share a batch, for they ask for the same with the same settings."""

    compute: Compute
    calls: deque[_Call] = field(default_factory=deque)  # with rows that wait


@dataclass(frozen=True)
class _Batch:
    compute: Compute
    rows: list[tuple[_Call, int]]


class DynamicBatching:
    """An engine for many threads. Every text has the result that it has alone."""

    def __init__(
        self,
        engine: Engine,
        batch_tokens: int = 512,
        wait_ms: float = 5,
        workers: int = 1,
        expected: Callable[[], int] = lambda: 1,
    ) -> None:
        """batch_tokens: a batch has no more, unless a row alone does. wait_ms: longest wait for others to join.

        workers: batches that the engine can compute at the same time.
        expected: how many threads may be about to ask. When all of them wait here already, nobody waits for more.
        """
        self.engine, self.batch_tokens, self.wait, self.expected = engine, batch_tokens, wait_ms / 1000, expected
        self.batches = self.rows = self.tokens = 0  # computed so far
        self.seconds = 0.0  # of computing them
        self._queues: OrderedDict[Hashable, _Queue] = OrderedDict()  # the next one first
        self._callers = 0  # threads that wait here
        self.workers = workers
        self._computing = 0  # batches
        self._lock = threading.Lock()
        self._arrival = threading.Condition(self._lock)

    @property
    def compute(self) -> str:
        return self.engine.compute

    @property
    def device(self) -> object:
        return self.engine.device

    @property
    def threads(self) -> int:
        return self.engine.threads

    def translate(
        self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int = 0
    ) -> list[list[Hypothesis]]:
        key = ("translate", settings.model_dump_json(), no_repeat_ngram)
        return self._ask(key, sources, lambda rows: self.engine.translate(rows, settings, no_repeat_ngram))

    def continuations(self, source: Ids, prefix: Ids, settings: GenerationSettings, count: int) -> list[list[int]]:
        stop_if_cancelled()
        return self.engine.continuations(source, prefix, settings, count)

    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        return self._ask("encode", rows, self.engine.encode)

    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return self.engine.classify(vectors)

    def write(self, prompt: Ids, settings: GenerationSettings) -> Generator[int]:
        with closing(self.engine.write(prompt, settings)) as numbers:
            for number in numbers:
                stop_if_cancelled()
                yield number

    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        return self.engine.log_probabilities(sources, targets, with_end)

    # -- the queue -------------------------------------------------------------------------------------------

    def _ask(self, key: Hashable, rows: Sequence[Ids], compute: Compute) -> list[Any]:
        """The results of the rows, computed by this thread or by another."""
        stop_if_cancelled()
        if not rows:
            return []
        call, cancellation = _Call(rows), current_cancellation()
        with self._lock:
            self._queues.setdefault(key, _Queue(compute)).calls.append(call)
            self._callers += 1
            self._arrival.notify_all()
        try:
            with cancellation.waking(call.look_up.set) if cancellation is not None else nullcontext():
                while not call.is_done:
                    stop_if_cancelled()
                    if not self._compute_next(call):
                        call.look_up.wait(
                            None if cancellation is None else min(max(0, cancellation.seconds_left), LOOK_EVERY)
                        )
                        call.look_up.clear()
        finally:
            with self._lock:
                self._withdraw(key, call)
                self._callers -= 1
                self._call_up()
        if call.error is not None:
            raise call.error
        return call.results

    def _withdraw(self, key: Hashable, call: _Call) -> None:
        """Rows of this call that are in no batch yet are not wanted."""
        call.waiting.clear()
        queue = self._queues.get(key)
        if queue is not None and call in queue.calls:
            queue.calls.remove(call)
            if not queue.calls:
                del self._queues[key]

    def _compute_next(self, call: _Call) -> bool:
        """Compute a batch, of whomever its rows are; False if another thread does so, or there is none."""
        with self._lock:
            if not self._may_begin():
                return False
            self._computing += 1
            call.is_computing = True
        try:
            with self._lock:
                self._wait_for_others()
                batch = self._next_batch()
            if batch is not None:
                self._compute(batch)
        finally:
            with self._lock:
                self._computing -= 1
                call.is_computing = False
                self._call_up()
        return True

    def _may_begin(self) -> bool:
        """Whether there is a batch to compute, and a worker for it."""
        return self._computing < self.workers and self._waiting_tokens() > 0

    def _wait_for_others(self) -> None:
        """Until everybody who may ask is here, the batch is full, or the time is over; the lock is free meanwhile."""
        until = time.monotonic() + self.wait
        while self._callers < self.expected() and self._waiting_tokens() < self.batch_tokens:
            if (seconds := until - time.monotonic()) <= 0:
                return
            self._arrival.wait(seconds)

    def _waiting_tokens(self) -> int:
        """Counted as far as a batch goes."""
        tokens = 0
        for queue in self._queues.values():
            for call in queue.calls:
                for number in call.waiting:
                    tokens += len(call.rows[number]) + 1
                    if tokens >= self.batch_tokens:
                        return tokens
        return tokens

    def _next_batch(self) -> _Batch | None:
        """From one queue, a row of each call in turn: a short text does not wait until a long one is done."""
        while self._queues:
            key, queue = next(iter(self._queues.items()))
            rows = self._take_rows(queue.calls)
            if queue.calls:
                self._queues.move_to_end(key)  # other settings are next
            else:
                del self._queues[key]
            if rows:
                return _Batch(queue.compute, rows)
        return None

    def _take_rows(self, calls: deque[_Call]) -> list[tuple[_Call, int]]:
        """Those that the engine computes with the first. Who is alone has all at once, and the workers share them."""
        if not calls:
            return []
        first = calls[0].next_range
        fitting = deque(
            (call, deque(number for number in call.waiting if self._callers == 1 or call.range_of(number) == first))
            for call in calls
        )
        rows: list[tuple[_Call, int]] = []
        tokens = 0
        while fitting:
            call, numbers = fitting.popleft()
            if numbers:
                tokens += len(call.rows[numbers[0]]) + 1
                if rows and tokens > self.batch_tokens:
                    break
                rows.append((call, numbers.popleft()))
                fitting.append((call, numbers))
        for call, number in rows:
            call.waiting.remove(number)
        calls.rotate(-1)  # whoever came next is the first of the next batch
        for call in [call for call in calls if not call.waiting]:
            calls.remove(call)
        return rows

    def _compute(self, batch: _Batch) -> None:
        """Compute a batch and hand out its results."""
        rows = [call.rows[number] for call, number in batch.rows]
        started = time.perf_counter()
        try:
            found = batch.compute(rows)
        except Exception as error:
            calls = list(dict.fromkeys(call for call, _ in batch.rows))
            if len(calls) > 1:  # nobody pays for what is wrong with the rows of another
                for one in calls:
                    self._compute(_Batch(batch.compute, [row for row in batch.rows if row[0] is one]))
            else:
                calls[0].error = error
                calls[0].look_up.set()
            return
        with self._lock:
            self.batches += 1
            self.rows += len(rows)
            self.tokens += sum(map(len, rows))
            self.seconds += time.perf_counter() - started
            for (call, number), result in zip(batch.rows, found, strict=True):
                call.results[number] = result
                call.left -= 1
                if call.is_done:
                    call.look_up.set()

    def _call_up(self) -> None:
        """Somebody else must compute the next batch, if rows wait."""
        if not self._may_begin():
            return
        for queue in self._queues.values():
            for call in queue.calls:
                if call.waiting and not call.is_computing:
                    call.look_up.set()
                    return
