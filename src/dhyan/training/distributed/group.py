"""The process group: which process this is, the collective operations, and what happens when a process is lost."""

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from dhyan.core.device import find_device
from dhyan.core.errors import DhyanError
from dhyan.training.distributed.launcher import LAUNCHER, how_to_resume
from dhyan.training.distributed.liveness import LivenessCheck

Result = TypeVar("Result")

STEP_TIMEOUT = timedelta(minutes=30)  # for a process in the middle of a step: then it counts as lost
WAIT_TIMEOUT = timedelta(days=7)  # while the main process reads the data, validates or saves
BUCKET_SIZE = 2**24  # numbers per message when gradients are summed


class ProcessLost(Exception):
    """A collective operation failed: another process is gone, or the network is."""


class ReportedElsewhere(Exception):
    """Another process reports the error to the user."""

    def __init__(self, exit_code: object) -> None:
        super().__init__()
        self.exit_code = exit_code if isinstance(exit_code, int) else 2


class Group:
    """This process among those of a training. The main process (rank 0) alone talks to the user and writes files."""

    def __init__(self, rank: int = 0, count: int = 1, local_rank: int | None = None) -> None:
        """local_rank: its number on this machine, None for a single process."""
        self.rank, self.count, self.local_rank = rank, count, local_rank
        self.folder: Path | None = None  # of the training, once it is known
        self.liveness: LivenessCheck | None = None
        self.waiting_group: dist.ProcessGroup | None = None  # with the long timeout
        self.gpu_group: dist.ProcessGroup | None = None  # NCCL; None: gloo
        self.launcher = int(os.environ.get(LAUNCHER, "0"))  # the process that started all of us, if it is ours

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def find_device(self, name: str) -> torch.device:
        return find_device(name, self.local_rank)

    def connect(self, device: torch.device, name: str) -> None:
        """Use NCCL where each process has a GPU of its own. name: the device as the user has set it."""
        if self.count > 1 and device.type == "cuda":
            torch.cuda.set_device(device)
            if name in ("auto", "cuda"):
                self.gpu_group = dist.new_group(backend="nccl", timeout=STEP_TIMEOUT)

    # -- collective operations -------------------------------------------------------------------------------

    def all_reduce_sum(self, tensors: list[Tensor]) -> None:
        """Each tensor becomes the sum over all processes; all end with exactly the same numbers."""
        if self.count == 1:
            return
        for bucket in in_buckets(tensors):
            flat = torch.cat([tensor.flatten() for tensor in bucket])
            with collective():
                dist.all_reduce(flat, group=self.gpu_group)
            sums = torch.split(flat, [tensor.numel() for tensor in bucket])
            for tensor, summed in zip(bucket, sums, strict=True):
                tensor.copy_(summed.view_as(tensor))

    def broadcast(self, tensors: list[Tensor]) -> None:
        """All get the main process's numbers."""
        if self.count == 1:
            return
        for tensor in tensors:
            with collective():
                dist.broadcast(tensor, src=0, group=self.gpu_group)

    def all_reduce_max(self, number: int) -> int:
        """The largest of the processes' numbers. It does not wait for a GPU."""
        if self.count == 1:
            return number
        largest = torch.tensor(number)
        with collective():
            dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        return int(largest)

    def stop_signal(self, signal_number: int) -> int:
        """The signal that any process has received. At every step it also shows whether all are still there."""
        # It was killed: nobody is left to signal us. On Windows another process stands between us and it.
        if self.launcher and sys.platform != "win32" and os.getppid() != self.launcher:
            signal_number = signal.SIGTERM
        return self.all_reduce_max(signal_number)

    def on_main(self, work: Callable[[], Result]) -> Result:
        """The main process does it while the others wait; all get the result, or stop when it fails."""
        if self.count == 1:
            return work()
        outcome: list[tuple[bool, Result | int]] = [(False, 0)]
        failure: Exception | None = None
        if self.is_main:
            try:
                outcome = [(True, work())]
            except Exception as error:
                failure = error
                outcome = [(False, exit_code_of(error))]
        with collective():
            dist.broadcast_object_list(outcome, src=0, group=self.waiting_group)
        if failure is not None:
            raise failure
        done, result = outcome[0]
        if not done:
            raise ReportedElsewhere(result)
        return result  # type: ignore[return-value]

    # -- this process's part ---------------------------------------------------------------------------------

    def own_rows(self, tokens: NDArray[Any]) -> slice:
        """Which of a batch's rows are this process's. tokens: (rows,), what each row costs."""
        return split_by_tokens(tokens, self.count)[self.rank]

    def seed(self, seed: int, step: int) -> None:
        """A seed (for dropout) of its own in every process and step, so that none of them need be stored."""
        if self.count > 1:
            drawn = np.random.SeedSequence((seed, step, self.rank)).generate_state(1, np.uint64)
            torch.manual_seed(int(drawn[0]) >> 1)

    # -- when a process is lost ------------------------------------------------------------------------------

    def exit_reason(self, error: BaseException) -> BaseException:
        """What this process ends with: the error if nobody has told the user yet, else only an exit code."""
        if isinstance(error, ReportedElsewhere):
            return SystemExit(error.exit_code)
        code = exit_code_of(error)
        if self.count > 1:
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # torchrun sends one as soon as a process has died
        if self.is_lost(error):
            code = 2
            atexit.register(os._exit, code)  # a GPU that waits for a lost process would keep us from ending
            # The launcher reports it, or the process that had the trouble.
            if self.launcher or self.liveness is None or self.liveness.is_reported():
                return SystemExit(code)
            error = self.name_the_lost(self.liveness.missing())
        return error if self.liveness is None or self.liveness.may_report() else SystemExit(code)

    def is_lost(self, error: BaseException | None) -> bool:
        """Whether an error, or one on the way to it, comes from a process that is gone."""
        while error is not None:
            if isinstance(error, ProcessLost | dist.DistError):
                return True
            # FSDP communicates inside of the backward pass, and Gloo has no error type of its own: ask the others.
            if type(error) is RuntimeError and self.liveness is not None and self.liveness.missing():
                return True
            error = error.__context__
        return False

    def name_the_lost(self, missing: list[int]) -> DhyanError:
        if not missing:
            return DhyanError(
                f"the processes have lost each other (is the network up?). {how_to_resume(self.folder)}"
            )
        named = " and ".join(map(str, missing))
        have = "has" if len(missing) == 1 else "have"
        return DhyanError(
            f"process {named} of {self.count} (counted from 0) {have} died, so the others have stopped."
            f" {how_to_resume(self.folder)}"
        )


@contextmanager
def join_group() -> Iterator[Group]:
    """Join the other processes if `torchrun` or `dhyan train --processes` has started several."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1 or "RANK" not in os.environ:
        yield Group()
        return
    group = Group(int(os.environ["RANK"]), count, int(os.environ.get("LOCAL_RANK", "0")))
    store, *_ = next(rendezvous("env://", group.rank, count, timeout=STEP_TIMEOUT))
    dist.init_process_group(
        "gloo", store=PrefixStore("group", store), rank=group.rank, world_size=count, timeout=STEP_TIMEOUT
    )
    group.waiting_group = dist.new_group(backend="gloo", timeout=WAIT_TIMEOUT)
    group.liveness = LivenessCheck(PrefixStore("liveness", store), group.rank, count)
    try:
        yield group
    except BaseException as error:
        reason = group.exit_reason(error)
        group.liveness.leave()
        if reason is error:
            raise
        raise reason from None
    group.liveness.leave()
    dist.destroy_process_group()


@contextmanager
def collective() -> Iterator[None]:
    """Around a collective operation: whatever it raises means that a process is lost."""
    try:
        yield
    except RuntimeError as error:  # Gloo's own, or PyTorch's DistError
        raise ProcessLost(str(error)) from error


def exit_code_of(error: BaseException) -> int:
    return error.exit_code if isinstance(error, DhyanError) else 2


def split_by_tokens(tokens: NDArray[Any], count: int) -> list[slice]:
    """Rows in `count` slices of about equal tokens, none empty while there are rows enough. tokens: (rows,)."""
    rows = len(tokens)
    filled = np.cumsum(tokens)
    wanted = filled[-1] * np.arange(1, count) / count
    ends = np.searchsorted(filled - tokens / 2, wanted)  # a row goes where its middle lies
    number = np.arange(1, count)
    ends = np.maximum.accumulate(np.maximum(ends - number, 0)) + number  # at least one row each, from the left,
    ends = np.minimum(ends, np.maximum(rows - (count - number), np.minimum(number, rows)))  # and from the right
    bounds = [0, *ends.tolist(), rows]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def in_buckets(tensors: list[Tensor]) -> Iterator[list[Tensor]]:
    """A few large messages travel faster than many small ones, and one of everything would double the memory."""
    bucket: list[Tensor] = []
    size = 0
    for tensor in tensors:
        if bucket and size + tensor.numel() > BUCKET_SIZE:
            yield bucket
            bucket, size = [], 0
        bucket.append(tensor)
        size += tensor.numel()
    if bucket:
        yield bucket
