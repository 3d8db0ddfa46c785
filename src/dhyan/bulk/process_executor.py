"""The shards on processes of this machine. One that dies takes one try of one shard with it, and is replaced."""

import multiprocessing as mp
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from dhyan.bulk.job import Job
from dhyan.bulk.shard import Outcome, Shard
from dhyan.bulk.worker import Worker

Moved = Callable[[str, int], None]  # moved(a shard's name, its rows that are done)
TryEach = Callable[[Sequence[Shard], Job, str, int, Moved], Iterator[Outcome]]
MakeWorker = Callable[[Job, str], Callable[..., Outcome]]


@dataclass(slots=True)
class _Hand:
    """A process, the pipe to it, and what it is at."""

    process: BaseProcess
    pipe: Connection
    shard: Shard


def try_each(
    shards: Sequence[Shard], job: Job, out: str, workers: int, moved: Moved, make: MakeWorker = Worker
) -> Iterator[Outcome]:
    """One try at each shard, with so many at a time; outcomes come as they come."""
    left = list(reversed(shards))
    hands = [_start(number, job, out, make, left.pop()) for number in range(min(workers, len(shards)))]
    try:
        while hands:
            ready = set(wait([hand.pipe for hand in hands]))
            for number, hand in enumerate(list(hands)):
                if hand.pipe not in ready:
                    continue
                outcome = _heard(hand, moved)
                if outcome is None:
                    continue
                yield outcome
                if not left:
                    _end(hand)
                    hands.remove(hand)
                elif hand.process.is_alive():
                    hand.shard = left.pop()
                    with suppress(BrokenPipeError):  # it has died since: the next look at its pipe tells
                        hand.pipe.send(hand.shard)
                else:
                    hands[hands.index(hand)] = _start(number, job, out, make, left.pop())
    finally:
        for hand in hands:
            hand.process.terminate()
            _end(hand)


def _heard(hand: _Hand, moved: Moved) -> Outcome | None:
    """What a process has to tell: how far it is, or what came of its shard; or nothing ever again."""
    try:
        told = hand.pipe.recv()
    except (EOFError, OSError):
        hand.process.join()
        return Outcome(hand.shard.name, error=f"its process {_how(hand.process.exitcode)}", try_again=True)
    if isinstance(told, Outcome):
        return told
    moved(hand.shard.name, told)
    return None


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was killed ({signal.Signals(-code).name})"
    return f"ended early (exit code {code})"


def _start(number: int, job: Job, out: str, make: MakeWorker, shard: Shard) -> _Hand:
    context = mp.get_context("spawn")  # a fork would copy threads' locks in whatever state they are
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, _placed(job, number), out, make), daemon=True)
    process.start()
    theirs.close()  # so that its end is heard
    ours.send(shard)
    return _Hand(process, ours, shard)


def _placed(job: Job, number: int) -> Job:
    """On a machine with several GPUs the workers spread over them."""
    if job.device != "cuda":
        return job
    from dataclasses import replace

    import torch

    return replace(job, device=f"cuda:{number % max(1, torch.cuda.device_count())}")


def _serve(pipe: Connection, job: Job, out: str, make: MakeWorker) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; whoever started us decides
    worker = make(job, out)
    with suppress(EOFError, BrokenPipeError):  # nobody is there any more to work for
        while True:
            shard = pipe.recv()
            pipe.send(worker(shard, pipe.send))


def _end(hand: _Hand) -> None:
    hand.pipe.close()
    hand.process.join()
