"""Batches are made in advance by a second thread, so that the model never waits for its data."""

import queue
import threading
from collections.abc import Callable, Iterator

from dhyan.training.batching import BatchRows, DataPosition, Sampler
from dhyan.training.objectives import Batch

Item = tuple[BatchRows, Batch]


class Prefetcher:
    """Iterates over (rows, batch) in the sampler's order, a few of them ready in advance."""

    def __init__(
        self, sampler: Sampler, make: Callable[[BatchRows], Batch], start: DataPosition, ahead: int = 6
    ) -> None:
        self.ready: queue.Queue[Item | BaseException] = queue.Queue(maxsize=ahead)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._work, args=(sampler, make, start), daemon=True)
        self.thread.start()

    def __iter__(self) -> Iterator[Item]:
        while True:
            item = self.ready.get()
            if isinstance(item, BaseException):
                raise item
            yield item

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join(timeout=5)

    def _work(self, sampler: Sampler, make: Callable[[BatchRows], Batch], start: DataPosition) -> None:
        try:
            for rows in sampler.batches(start):
                self._put((rows, make(rows)))
                if self.stopped.is_set():
                    return
        except BaseException as error:  # handed over, so that it is raised where the batches are used
            self._put(error)

    def _put(self, item: Item | BaseException) -> None:
        while not self.stopped.is_set():
            try:
                self.ready.put(item, timeout=0.1)
                return
            except queue.Full:
                continue
