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
class _WorkerProcess:
    """A process, the pipe to it, and the shard it works on."""

    process: BaseProcess
    pipe: Connection
    shard: Shard


def try_each(
    shards: Sequence[Shard], job: Job, out: str, workers: int, moved: Moved, make: MakeWorker = Worker
) -> Iterator[Outcome]:
    """One try at each shard, `workers` at a time; outcomes in the order in which they arrive."""
    left = list(reversed(shards))
    processes = [_start(number, job, out, make, left.pop()) for number in range(min(workers, len(shards)))]
    try:
        while processes:
            ready = set(wait([worker.pipe for worker in processes]))
            for number, worker in enumerate(list(processes)):
                if worker.pipe not in ready:
                    continue
                outcome = _received(worker, moved)
                if outcome is None:
                    continue
                yield outcome
                if not left:
                    _end(worker)
                    processes.remove(worker)
                elif worker.process.is_alive():
                    worker.shard = left.pop()
                    with suppress(BrokenPipeError):  # it has died since; the next read of its pipe shows that
                        worker.pipe.send(worker.shard)
                else:
                    processes[processes.index(worker)] = _start(number, job, out, make, left.pop())
    finally:
        for worker in processes:
            worker.process.terminate()
            _end(worker)


def _received(worker: _WorkerProcess, moved: Moved) -> Outcome | None:
    """A process's message: its progress or its outcome; or the end of the pipe, when it has died."""
    try:
        message = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        reason = _exit_reason(worker.process.exitcode)
        return Outcome(worker.shard.name, error=f"its process {reason}", try_again=True)
    if isinstance(message, Outcome):
        return message
    moved(worker.shard.name, message)
    return None


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was killed ({signal.Signals(-code).name})"
    return f"ended early (exit code {code})"


def _start(number: int, job: Job, out: str, make: MakeWorker, shard: Shard) -> _WorkerProcess:
    context = mp.get_context("spawn")  # a fork would copy threads' locks in whatever state they are
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, _placed(job, number), out, make), daemon=True)
    process.start()
    theirs.close()  # so that the pipe ends when the process does
    ours.send(shard)
    return _WorkerProcess(process, ours, shard)


def _placed(job: Job, number: int) -> Job:
    """On a machine with several GPUs the workers spread over them."""
    if job.device != "cuda":
        return job
    from dataclasses import replace

    import torch

    return replace(job, device=f"cuda:{number % max(1, torch.cuda.device_count())}")


def _serve(pipe: Connection, job: Job, out: str, make: MakeWorker) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent decides
    worker = make(job, out)
    with suppress(EOFError, BrokenPipeError):  # the parent has ended
        while True:
            shard = pipe.recv()
            pipe.send(worker(shard, pipe.send))


def _end(worker: _WorkerProcess) -> None:
    worker.pipe.close()
    worker.process.join()
