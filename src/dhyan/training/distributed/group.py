"""Several processes as one training: who this one is, what they tell each other, and what if one is lost."""

import atexit
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from dhyan.core.errors import DhyanError
from dhyan.model.device import find_device
from dhyan.training.distributed.launcher import LAUNCHER, go_on
from dhyan.training.distributed.liveness import RollCall

Result = TypeVar("Result")

SILENCE = timedelta(minutes=30)  # of a process in the middle of a step: then it counts as lost
PATIENCE = timedelta(days=7)  # while the first one reads the data, validates or saves
NUMBERS_AT_ONCE = 2**24  # of gradients on their way to the other processes
LOST = ("gloo", "nccl", "connection", "timed out", "socket")  # what errors speak of when a process is gone


class Ranks:
    """This process among those of a training. They are numbered: the first alone speaks and writes."""

    def __init__(self, rank: int = 0, count: int = 1, local_rank: int | None = None) -> None:
        """local_rank: its number on this machine, None for a process that is alone."""
        self.rank, self.count, self.local_rank = rank, count, local_rank
        self.folder: Path | None = None  # of the training, once it is known
        self.roll_call: RollCall | None = None
        self.patient: dist.ProcessGroup | None = None
        self.workers: dist.ProcessGroup | None = None  # None: the processes' usual way
        self.launcher = int(os.environ.get(LAUNCHER, "0"))  # the process that has started us all, if one of ours

    @property
    def first(self) -> bool:
        return self.rank == 0

    def find_device(self, name: str) -> torch.device:
        return find_device(name, self.local_rank)

    def connect(self, name: str) -> torch.device:
        """The device to work on, with the fast way from GPU to GPU where each process has one of its own."""
        device = self.find_device(name)
        if self.count > 1 and device.type == "cuda":
            torch.cuda.set_device(device)
            if name in ("auto", "cuda"):
                self.workers = dist.new_group(backend="nccl", timeout=SILENCE)
        return device

    # -- what they tell each other ---------------------------------------------------------------------------

    def add_up(self, tensors: list[Tensor]) -> None:
        """Each tensor becomes the sum of all processes' own; all end with the very same numbers."""
        if self.count == 1:
            return
        for some in in_bundles(tensors):
            flat = torch.cat([tensor.flatten() for tensor in some])
            dist.all_reduce(flat, group=self.workers)
            sums = torch.split(flat, [tensor.numel() for tensor in some])
            for tensor, summed in zip(some, sums, strict=True):
                tensor.copy_(summed.view_as(tensor))

    def take_over(self, tensors: list[Tensor]) -> None:
        """All get the first one's numbers."""
        if self.count == 1:
            return
        for tensor in tensors:
            dist.broadcast(tensor, src=0, group=self.workers)

    def largest(self, number: int) -> int:
        """The largest of the numbers that the processes hold: how they agree. It does not wait for a GPU."""
        if self.count == 1:
            return number
        told = torch.tensor(number)
        dist.all_reduce(told, op=dist.ReduceOp.MAX)
        return int(told)

    def asked_to_stop(self, signal_number: int) -> int:
        """The signal that any of them was sent. It also shows, at every step, whether all are still there."""
        if self.launcher and os.getppid() != self.launcher:  # killed: nobody is left to speak to us
            signal_number = signal.SIGTERM
        return self.largest(signal_number)

    def first_alone(self, work: Callable[[], Result]) -> Result:
        """The first one does it while the others wait; all get the result, or stop when it fails."""
        if self.count == 1:
            return work()
        told: list[tuple[bool, Result | int]] = [(False, 0)]
        failure: Exception | None = None
        if self.first:
            try:
                told = [(True, work())]
            except Exception as error:
                failure = error
                told = [(False, exit_code_of(error))]
        dist.broadcast_object_list(told, src=0, group=self.patient)
        if failure is not None:
            raise failure
        done, result = told[0]
        if not done:
            raise Unspoken(result)  # the first one says why
        return result  # type: ignore[return-value]

    # -- what is each one's own ------------------------------------------------------------------------------

    def share(self, tokens: np.ndarray) -> slice:
        """Which of a batch's rows are this process's. tokens: (rows,), what each row costs."""
        return cut_in_shares(tokens, self.count)[self.rank]

    def seed(self, seed: int, step: int) -> None:
        """Own chances (dropout) in every process and step, so that none of them need be stored."""
        if self.count > 1:
            drawn = np.random.SeedSequence((seed, step, self.rank)).generate_state(1, np.uint64)
            torch.manual_seed(int(drawn[0]) >> 1)

    # -- when one is lost ------------------------------------------------------------------------------------

    def last_word(self, error: BaseException) -> BaseException:
        """What this process ends with: the error if nobody has told the user yet, else nothing but an exit code."""
        code = exit_code_of(error)
        if isinstance(error, Unspoken):
            return SystemExit(error.code)
        if is_lost(error):
            code = 2
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # torchrun sends one as soon as a process has died
            atexit.register(os._exit, code)  # a GPU that waits for a lost one would keep us from ending
            # The launcher says what has happened, or whoever had the trouble.
            if self.launcher or self.roll_call is None or self.roll_call.told():
                return SystemExit(code)
            error = self.name_the_lost(self.roll_call.missing())
        return error if self.roll_call is None or self.roll_call.may_tell() else SystemExit(code)

    def name_the_lost(self, missing: list[int]) -> DhyanError:
        if not missing:
            return DhyanError(f"the processes have lost each other (is the network up?). {go_on(self.folder)}")
        named = " and ".join(map(str, missing))
        have = "has" if len(missing) == 1 else "have"
        return DhyanError(
            f"process {named} of {self.count} (counted from 0) {have} died, so the others have stopped."
            f" {go_on(self.folder)}"
        )


class Unspoken(Exception):
    """Another process tells the user what went wrong."""

    def __init__(self, code: object) -> None:
        super().__init__()
        self.code = code if isinstance(code, int) else 2


@contextmanager
def joined() -> Iterator[Ranks]:
    """Join the other processes if `torchrun` or `dhyan train --processes` has started several."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1 or "RANK" not in os.environ:
        yield Ranks()
        return
    ranks = Ranks(int(os.environ["RANK"]), count, int(os.environ.get("LOCAL_RANK", "0")))
    board, *_ = next(rendezvous("env://", ranks.rank, count, timeout=SILENCE))
    dist.init_process_group(
        "gloo", store=PrefixStore("ways", board), rank=ranks.rank, world_size=count, timeout=SILENCE
    )
    ranks.patient = dist.new_group(backend="gloo", timeout=PATIENCE)
    ranks.roll_call = RollCall(PrefixStore("roll call", board), ranks.rank, count)
    try:
        yield ranks
    except BaseException as error:
        last = ranks.last_word(error)
        ranks.roll_call.leave()
        if last is error:
            raise
        raise last from None
    ranks.roll_call.leave()
    dist.destroy_process_group()


def is_lost(error: BaseException | None) -> bool:
    """Whether it is what a process gets when another one is gone, or came up on the way out from that."""
    if error is None:
        return False
    text = str(error).lower()
    speaks_of_it = type(error) is RuntimeError and any(word in text for word in LOST)
    return isinstance(error, dist.DistError) or speaks_of_it or is_lost(error.__context__)


def exit_code_of(error: BaseException) -> int:
    return error.exit_code if isinstance(error, DhyanError) else 2


def cut_in_shares(tokens: np.ndarray, count: int) -> list[slice]:
    """Rows in `count` stretches of about equal tokens, none empty while there are rows enough. tokens: (rows,)."""
    rows = len(tokens)
    filled = np.cumsum(tokens)
    wanted = filled[-1] * np.arange(1, count) / count
    ends = np.searchsorted(filled - tokens / 2, wanted)  # a row goes where its middle lies
    number = np.arange(1, count)
    ends = np.maximum.accumulate(np.maximum(ends - number, 0)) + number  # at least one row each, from the left,
    ends = np.minimum(ends, np.maximum(rows - (count - number), np.minimum(number, rows)))  # and from the right
    bounds = [0, *ends.tolist(), rows]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def in_bundles(tensors: list[Tensor]) -> Iterator[list[Tensor]]:
    """A few large messages travel faster than many small ones, and one of everything would double the memory."""
    bundle: list[Tensor] = []
    size = 0
    for tensor in tensors:
        if bundle and size + tensor.numel() > NUMBERS_AT_ONCE:
            yield bundle
            bundle, size = [], 0
        bundle.append(tensor)
        size += tensor.numel()
    if bundle:
        yield bundle
