"""CUDA graphs: a step that is the same work every time is recorded once and replayed in a single call.

To start one kernel after another takes longer than most of them run. A CUDA graph has them all, with the addresses of
the tensors that they work on: whoever moves one of those tensors must say so, and a new graph is recorded.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from weakref import WeakKeyDictionary

import torch
from torch import nn

from dhyan.model.generation.kv_cache import Repeated

STEPS_WORTH_IT = 6  # to record takes as long as two or three steps


class Replayed(Repeated):
    """Run it plainly once, so that all kernels are compiled and warm; record it; then replay it."""

    def __init__(self, step: Callable[[], None], recorder: "Recorder | None") -> None:
        super().__init__(step)
        self.recorder = recorder  # None: always plainly
        self._graph: torch.cuda.CUDAGraph | None = None
        self._ran = False

    def __call__(self, steps_left: int) -> None:
        if self._graph is None and self._ran and steps_left >= STEPS_WORTH_IT and self.recorder is not None:
            self._graph = self.recorder.record(self.step)
            if self._graph is None:  # it cannot be recorded: run it plainly from now on
                self.recorder = None
        if self._graph is not None:
            self._graph.replay()
        else:
            self.step()
            self._ran = True

    def tensors_moved(self) -> None:
        """The graph works on the old addresses: a new one has to be recorded."""
        if self._graph is not None and self.recorder is not None:
            self.recorder.wait()
        self._graph, self._ran = None, False


class Recorder:
    """Records CUDA graphs, one after the other, whose intermediate results all lie in the same memory."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.pool = torch.cuda.graph_pool_handle()
        self.last: torch.cuda.CUDAGraph | None = None  # memory that belongs to no graph would be lost to the next

    def record(self, step: Callable[[], None]) -> torch.cuda.CUDAGraph | None:
        """Nothing is computed. None: it could not be done.

        torch.cuda.graph would also empty the allocator's cache, and to fill it again costs many steps.
        """
        graph = torch.cuda.CUDAGraph()
        try:
            with _one_at_a_time, torch.cuda.stream(_side_stream(self.device)):
                with torch.inference_mode(False):  # what it makes for itself is not for inference alone
                    graph.capture_begin(pool=self.pool, capture_error_mode="thread_local")
                try:
                    step()
                finally:
                    graph.capture_end()
        except RuntimeError:
            return None
        self.last = graph
        return graph

    def wait(self) -> None:
        """Until the last graph has been replayed: it must not be freed before."""
        torch.cuda.current_stream(self.device).synchronize()


_idle: WeakKeyDictionary[nn.Module, list[Recorder]] = WeakKeyDictionary()  # their memory lives as long as the model
_one_at_a_time = threading.Lock()  # recording
_idle_lock = threading.Lock()


@cache
def _side_stream(device: torch.device) -> torch.cuda.Stream:
    """A stream of its own: what goes to the default stream cannot be recorded."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


@contextmanager
def borrowed(model: nn.Module, device: torch.device) -> Iterator[Recorder | None]:
    """A recorder that nobody else uses meanwhile: two searches at once must not share memory. None without CUDA."""
    if device.type != "cuda":
        yield None
        return
    with _idle_lock:
        idle = _idle.setdefault(model, [])
        recorder = idle.pop() if idle else None
    recorder = recorder or Recorder(device)
    is_kept = True
    try:
        yield recorder
    except torch.OutOfMemoryError:
        is_kept = False  # what it holds is needed for the next try
        raise
    finally:
        if is_kept:
            with _idle_lock:
                _idle.setdefault(model, []).append(recorder)
