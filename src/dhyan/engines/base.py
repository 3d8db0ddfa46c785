"""Ids in, ids or numbers out: what an engine does. CTranslate2 on the CPU (or NumPy, for what it cannot run),
PyTorch on a GPU; chosen here."""

import logging
import time
from collections.abc import Generator, Sequence
from importlib.util import find_spec
from typing import Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.engines.convert import Compute, what_it_lacks
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack

LOG = logging.getLogger("dhyan")
Ids = Sequence[int]


class Engine(Protocol):
    """Sequences of ids, without start; `sources` and `rows` without end too: the engine adds what it needs."""

    @property
    def compute(self) -> str:
        """The arithmetic: int8 or float32."""

    @property
    def device(self) -> object:
        """Where it runs: cpu, cuda, cuda:1."""

    @property
    def threads(self) -> int:
        """Batches at the same time, on the CPU; 0: one per core."""

    def translate(
        self, sources: Sequence[Ids], settings: GenerationSettings, no_repeat_ngram: int = 0
    ) -> list[list[Hypothesis]]:
        """For each source its hypotheses, best first. no_repeat_ngram: n-grams of this length occur only once."""

    def continuations(self, source: Ids, prefix: Ids, settings: GenerationSettings, count: int) -> list[list[int]]:
        """Translations that begin with the prefix, each going on with another of the most probable tokens."""

    def encode(self, rows: Sequence[Ids]) -> list[NDArray[np.float32]]:
        """For each row its tokens' vectors in context, the end mark's last: (positions, d_model)."""

    def classify(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """(rows, d_model) sentence vectors → (rows, labels) logits."""

    def write(self, prompt: Ids, settings: GenerationSettings) -> Generator[int]:
        """The ids that continue the prompt, one by one; the end mark last, unless it ends at the length limit.

        Who closes it stops the writing.
        """

    def log_probabilities(
        self, sources: Sequence[Ids] | None, targets: Sequence[Ids], with_end: bool = True
    ) -> list[NDArray[np.float32]]:
        """For each target the log-probability of each of its tokens, and of its end: (positions + 1,) or without."""


def gpu_is_usable() -> bool:
    """Whether there is a GPU, and PyTorch to use it; found out without loading PyTorch."""
    from dhyan.engines.import_ctranslate2 import ctranslate2

    return find_spec("torch") is not None and ctranslate2.get_cuda_device_count() > 0


def start_engine(pack: Pack, device: str = "cpu", compute: Compute = "int8", threads: int = 0) -> Engine:
    """The engine for a device. threads: batches at the same time, on the CPU, a core each; 0 for one per core."""
    if compute not in get_args(Compute):
        raise DhyanError(f"compute = '{compute}': it is {' or '.join(get_args(Compute))}.")
    if not isinstance(threads, int) or threads < 0:
        raise DhyanError(f"threads = {threads}: give 0 for as many as there are cores, or a number of them.")
    if not isinstance(device, str) or device.partition(":")[0] not in ("cpu", "cuda"):
        raise DhyanError(f"device = '{device}': it is cpu or cuda.")
    began = time.monotonic()
    engine = _engine(pack, device, compute, threads)
    took = time.monotonic() - began
    many = f"{engine.threads} threads" if engine.threads else "a thread per core"
    LOG.info(f"{type(engine).__name__}: {engine.compute} on {engine.device}, {many}, ready in {took:.2f} s")
    return engine


def _engine(pack: Pack, device: str, compute: Compute, threads: int) -> Engine:
    if device.startswith("cuda"):
        from dhyan.engines.torch import TorchEngine

        return TorchEngine(pack, device)
    if what_it_lacks(pack.manifest.architecture):
        from dhyan.engines.numpy_engine import NumpyEngine

        return NumpyEngine(pack, threads)
    from dhyan.engines.ctranslate2 import CTranslate2Engine

    return CTranslate2Engine(pack, compute, threads)
