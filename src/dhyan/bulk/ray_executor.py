"""The same shards on a Ray cluster, scheduled by Ray Data: a pool of actors, each a worker with the pack loaded.

Ray Data carries the shards' descriptions and outcomes, a few words each, not the texts: a worker reads its part of
the input and writes its own output file, so a finished shard stays finished whatever happens to the run.
"""

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import ray
import ray.data

from dhyan.bulk.job import Job
from dhyan.bulk.process_executor import Moved
from dhyan.bulk.shard import RETRIES, STARTS, Outcome, Shard
from dhyan.bulk.worker import Worker


class RayWorker:
    """A worker as Ray Data uses one: rows in, rows out.

    A shard whose worker died is started again by Ray Data, for ever if need be: a file beside the result counts.
    """

    def __init__(self, job: Job, out: str) -> None:
        self.worker = Worker(job, out)
        self.out = Path(out)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        shard = Shard(**row)
        target = self.out / shard.name
        starts = target.with_name(f".{target.name}{STARTS}")
        starts.parent.mkdir(parents=True, exist_ok=True)
        with starts.open("ab") as file:
            died = file.tell()
            file.write(b"x")
        if died > RETRIES:
            outcome = Outcome(shard.name, error=f"its worker died {died} times", died=died)
        else:
            outcome = replace(self.worker(shard), died=died)
        starts.unlink()
        return asdict(outcome)


def capacity(job: Job) -> int:
    """How many workers the cluster can hold now."""
    there = ray.cluster_resources()
    return max(1, int(there.get("GPU", 0) if job.device != "cpu" else there.get("CPU", 1) // job.threads))


def try_each(shards: Sequence[Shard], job: Job, out: str, workers: int, moved: Moved) -> Iterator[Outcome]:
    """One try at each shard, but a few more where workers die."""
    settings = ray.data.DataContext.get_current()
    settings.enable_progress_bars = False
    settings.max_errored_blocks = -1  # what Ray itself cannot do is missing at the end, and the rest is there
    pool = ray.data.ActorPoolStrategy(
        min_size=min(workers, capacity(job), len(shards)),
        max_size=max(1, min(workers, len(shards))),
        max_tasks_in_flight_per_actor=1,  # a shard waits for the next worker that is free, not at one
    )
    rows = ray.data.from_items([asdict(shard) for shard in shards], override_num_blocks=len(shards))
    outcomes = rows.map(
        RayWorker,
        fn_constructor_args=(job, out),
        compute=pool,
        num_cpus=job.threads,
        num_gpus=0 if job.device == "cpu" else 1,
    )
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setLevel(logging.CRITICAL)  # its log file still has everything
    missing = {shard.name for shard in shards}
    with redirect_stdout(io.StringIO()):  # Ray prints a paragraph for every process that dies
        for row in outcomes.iter_rows():
            outcome = Outcome(**row)
            missing.discard(outcome.name)
            moved(outcome.name, outcome.rows)
            yield outcome
    for name in sorted(missing):
        yield Outcome(name, error="Ray gave it up; its log says why", try_again=True)
