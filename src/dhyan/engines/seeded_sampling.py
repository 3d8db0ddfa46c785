"""Sampling with CTranslate2 so that a text depends on its seed alone.

A worker thread of CTranslate2 seeds its random numbers once, at its first draw, from the process's seed; nothing can
seed it again. So every sampled text needs a worker that has not drawn yet. The workers of a generator share its
weights: one is started with many workers, and each of them is used for one text. When that has ended, the worker
waits in the callback of its last token until all are used, so that it never takes a second text.
"""

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from dhyan.engines.import_ctranslate2 import ctranslate2

MOST_WORKERS = 16
WAITING_BYTES = 64 << 20  # workers that wait keep the KV caches of their texts
LOOK_EVERY = 1.0  # seconds without a token, before it is checked whether the work has failed

_seeding = threading.Lock()  # held from setting the process's seed to the first draw


class SeededSampler:
    """Samples texts, each on a worker of its own."""

    def __init__(self, start: Callable[[int], Any], bytes_per_text: int) -> None:
        """start: starts a generator with so many workers. bytes_per_text: the KV cache of the longest text."""
        self.start = start
        self.count = max(1, min(MOST_WORKERS, WAITING_BYTES // bytes_per_text))
        self._workers: Workers | None = None  # with some that are not used yet
        self._lock = threading.Lock()

    def sample(self, prompt: Sequence[str], seed: int, **options: Any) -> Iterator[Any]:
        """CTranslate2's steps, one per token. `options` are those of its `generate_batch`."""
        with self._lock:
            workers = self._workers or Workers(self.start(self.count), self.count)
            text = workers.next_text()
            self._workers = workers if workers.left else None
        try:
            yield from text.read(workers.begin(text, prompt, seed, options))
        except Exception:
            with self._lock:
                self._workers = None  # one of them may have drawn, and does not wait
            raise

    def forget(self) -> None:
        """In a forked child, where the parent's workers are not there."""
        self._workers, self._lock = None, threading.Lock()


class Workers:
    """The workers of one generator."""

    def __init__(self, generator: Any, count: int) -> None:
        self.left = self.not_begun = count
        self.all_used = threading.Event()
        self._generator, self._texts = [generator], list[StreamedText]()
        # The process waits for all threads when it ends, and so does the generator: then none may wait any more.
        self._finalizer = weakref.finalize(self, _let_go, self.all_used, self._texts, self._generator)
        _all_workers.add(self)

    def next_text(self) -> "StreamedText":
        self.left -= 1
        self._texts.append(StreamedText(self.all_used))
        return self._texts[-1]

    def begin(self, text: "StreamedText", prompt: Sequence[str], seed: int, options: dict[str, Any]) -> Any:
        """→ the first step."""
        with _seeding:
            ctranslate2.set_random_seed(seed)
            text.begin(self._generator[0], prompt, options)
            first = text.next_step()
            self.not_begun -= 1
        if not self.not_begun:
            self.all_used.set()
        return first

    def forget(self) -> None:
        """In a forked child: the threads are not there, and who waits for them waits for ever."""
        self._finalizer.detach()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._generator[0]))  # its destructor must never run


class StreamedText:
    """One text that a worker writes, to be read token by token."""

    def __init__(self, all_used: threading.Event | None = None) -> None:
        """all_used: what the worker waits for at the end of the text."""
        self.all_used, self.is_stopped = all_used, False
        self.steps: SimpleQueue[Any] = SimpleQueue()
        self.result: Any = None

    def begin(self, generator: Any, prompt: Sequence[str], options: dict[str, Any]) -> None:
        [self.result] = generator.generate_batch(
            [prompt], asynchronous=True, include_prompt_in_result=False, callback=self._written, **options
        )

    def _written(self, step: Any) -> bool:
        """Called by the worker after each token. True: no more."""
        self.steps.put(step)
        if self.all_used is not None and (step.is_last or self.is_stopped):
            self.all_used.wait()
        return self.is_stopped

    def read(self, step: Any) -> Iterator[Any]:
        """The steps from this one on. Who reads no further stops the writing."""
        try:
            yield step
            while not step.is_last:
                step = self.next_step()
                yield step
        finally:
            self.is_stopped = True

    def next_step(self) -> Any:
        while True:
            try:
                return self.steps.get(timeout=LOOK_EVERY)
            except Empty:
                if self.result.done():
                    self.result.result()  # raises what went wrong


def _let_go(all_used: threading.Event, texts: list[StreamedText], generator: list[Any]) -> None:
    for text in texts:
        text.is_stopped = True
    all_used.set()
    generator.clear()  # its destructor waits for the threads


_all_workers: "weakref.WeakSet[Workers]" = weakref.WeakSet()


def _after_fork() -> None:
    global _seeding
    _seeding = threading.Lock()
    for workers in _all_workers:
        workers.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
