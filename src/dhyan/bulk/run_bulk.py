"""Process every shard of an input once: finished shards are skipped, failed ones are retried.

OUT/_dhyan.json                          settings and input files; a second run continues only with the same
OUT/news/a.txt.00003-of-00012.parquet    a finished shard; a shard without a file is still to be done
"""

import glob
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq

from dhyan.bulk import process_executor
from dhyan.bulk.columns import column_names
from dhyan.bulk.job import Job
from dhyan.bulk.plan import input_files, shards_of
from dhyan.bulk.shard import RETRIES, STARTS, Outcome, Shard, state_of
from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.file_lock import file_lock
from dhyan.core.progress import Progress, ProgressUpdate

Executor = Literal["local", "ray"]
BEGUN = "_dhyan.json"  # readers of Parquet folders leave out what begins with _ or .
LOCK = ".lock"


@dataclass(slots=True)
class BulkReport:
    shards: int
    earlier: int  # finished by an earlier run
    rows: int = 0  # of all shards that are finished
    unanswered: int = 0  # of this run: texts that have an error in their row
    failed: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0


def run_bulk(
    source: Path, out: Path, job: Job, executor: Executor, workers: int, shard_bytes: int, progress: Progress
) -> BulkReport:
    """Process the missing shards. `workers`: 0 for as many as the machine or the cluster has room for."""
    began = time.monotonic()
    _refuse_nested(source, out)
    files = input_files(source)
    names = column_names(job.task, job.settings)
    shards = [one for name, file in files.items() for one in shards_of(name, file, job.column, names, shard_bytes)]
    depends = {
        "settings": {**job.depends_on(), "shard_bytes": shard_bytes},
        "input": {name: list(state_of(file)) for name, file in files.items()},
    }
    with _output_folder(out, depends):
        missing = [shard for shard in shards if not (out / shard.name).is_file()]
        report = BulkReport(len(shards), len(shards) - len(missing))
        if missing:
            _do(missing, shards, job, out, executor, workers, report, progress)
        failed = {outcome.name for outcome in report.failed}
        finished = [shard.name for shard in shards if shard.name not in failed]
        report.rows = sum(pq.read_metadata(out / name).num_rows for name in finished)
    report.seconds = time.monotonic() - began
    return report


def _do(
    missing: list[Shard],
    shards: Sequence[Shard],
    job: Job,
    out: Path,
    executor: Executor,
    workers: int,
    report: BulkReport,
    progress: Progress,
) -> None:
    """First every missing shard; then, up to RETRIES times, those whose failure may be transient."""
    total = sum(shard.size for shard in shards)
    finished_bytes = total - sum(shard.size for shard in missing)
    shard_progress = _ShardProgress(finished_bytes, {shard.name: shard.size for shard in missing})
    by_name = {shard.name: shard for shard in missing}
    where = str(out.resolve())
    with ExitStack() as stack:
        try_each: process_executor.TryEach = process_executor.try_each
        if executor == "ray":
            from dhyan.core.ray_cluster import ray_cluster  # first: it sets what Ray reads when it is imported

            stack.enter_context(ray_cluster(workers * job.threads))
            from dhyan.bulk import ray_executor

            try_each = ray_executor.try_each
            workers = workers or ray_executor.capacity(job)
        else:
            workers = workers or _local_capacity(job)
        update = stack.enter_context(progress.working(f"{job.task}, {workers} workers", total))
        for round in range(1 + RETRIES):
            again = []
            for outcome in try_each(missing, job, where, workers, partial(shard_progress.moved, update)):
                if outcome.died and not outcome.error:
                    progress.say(f"{outcome.name}: a worker died at it; it was done again.")
                if not outcome.error:
                    report.unanswered += outcome.unanswered
                    shard_progress.finished(update, outcome)
                elif outcome.try_again and round < RETRIES:
                    again.append(by_name[outcome.name])
                    shard_progress.moved(update, outcome.name, 0)
                    progress.say(f"{outcome.name}: {outcome.error}; it will be tried again.")
                else:
                    report.failed.append(outcome)
            if not again:
                return
            missing = again


class _ShardProgress:
    """What the progress bar shows: bytes of finished shards; texts of these and of the shards in work."""

    def __init__(self, finished_bytes: int, sizes: dict[str, int]) -> None:
        self.bytes = finished_bytes
        self.sizes = sizes
        self.texts = 0
        self.rows: dict[str, int] = {}
        self.began = time.monotonic()

    def moved(self, update: ProgressUpdate, name: str, rows: int) -> None:
        self.texts += rows - self.rows.get(name, 0)
        self.rows[name] = rows
        speed = self.texts / max(time.monotonic() - self.began, 1e-9)
        update(self.bytes, texts=f"{self.texts:,} texts", rate=f"{speed:,.0f} texts/s")

    def finished(self, update: ProgressUpdate, outcome: Outcome) -> None:
        self.bytes += self.sizes[outcome.name]
        self.moved(update, outcome.name, outcome.rows)


def _local_capacity(job: Job) -> int:
    if job.device == "cpu":
        return max(1, (os.cpu_count() or 1) // job.threads)
    import torch

    return max(1, torch.cuda.device_count())


def _refuse_nested(source: Path, out: Path) -> None:
    here, there = source.resolve(), out.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise DhyanError(f"{source} and {out} must not lie inside each other; choose another folder to write to.")


@contextmanager
def _output_folder(out: Path, depends: dict[str, Any]) -> Iterator[None]:
    """Lock the output folder; refuse one that was begun with other settings or input, or that holds other files."""
    if out.exists() and not out.is_dir():
        raise DhyanError(f"{out} is a file; name a folder to write to.")
    mark = out / BEGUN
    if out.is_dir() and not mark.exists() and any(path.name != LOCK for path in out.iterdir()):
        raise DhyanError(f"{out} holds other things already, which are left as they are; name a new folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DhyanError(f"{out} cannot be made ({error.strerror}); choose another folder to write to.") from None
    with ExitStack() as stack:
        stack.enter_context(file_lock(out / LOCK, f"{out} is being written by another run; wait until it is done."))
        if mark.exists():
            _refuse_others(out, json.loads(mark.read_text(encoding="utf-8")), depends)
        write_atomic(mark, json.dumps(depends, indent=1, ensure_ascii=False))
        _sweep(out)
        try:
            yield
        finally:
            _sweep(out)


def _sweep(out: Path) -> None:
    """Remove the temporary files of workers that were killed."""
    for left_over in (*out.rglob(".*.parquet.*.part"), *out.rglob(f".*.parquet{STARTS}")):
        left_over.unlink(missing_ok=True)


def _refuse_others(out: Path, begun: dict[str, Any], now: dict[str, Any]) -> None:
    """An input file may be added, or changed as long as none of its shards is finished."""
    changed = _differing(begun["settings"], now["settings"])
    if changed and any(out.rglob("*-of-*.parquet")):
        raise DhyanError(
            f"{out} was begun with another {' and '.join(changed)}; give the same command to go on, or name a new"
            " folder."
        )
    for name in _differing(begun["input"], now["input"]):
        if any(out.glob(f"{glob.escape(name)}.*-of-*.parquet")):
            raise DhyanError(
                f"{name} has changed since shards of it were finished; put it back to go on, or remove"
                f" {out}/{name}.*, or name a new folder."
            )


def _differing(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
