"""`--executor`: translate, embed, classify or write a folder of files, by processes here or on a Ray cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress, resumable
from dhyan.cli.open_model import model_for
from dhyan.cli.options import check_device
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.extras import needs_extra

if TYPE_CHECKING:
    from dhyan.pack.manifest import Task

EXECUTORS = ("local", "ray")
SOME_FAILED = 1  # exit code when a text has an error in its row
MOST_NAMED = 10

Executor = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="|".join(EXECUTORS),
        help="a folder of .txt or .parquet files to a folder of Parquet, by processes here or on a Ray cluster",
    ),
]
BulkOutput = Annotated[Path | None, typer.Option("-o", "--output", help="with --executor: the folder to write")]
Column = Annotated[str, typer.Option("--column", help="with --executor: the Parquet column of the texts")]
Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="with --executor: processes; 0 for one per core or GPU"),
]
ShardSize = Annotated[
    float, typer.Option("--shard-size", min=0.001, max=10_000, help="with --executor: MB of text per shard")
]
RENAMED = {"--engine": "--executor"}
COLUMN, SHARD_SIZE = "text", 4.0


@dataclass(frozen=True, slots=True)
class BulkRun:
    """A bulk run as the shared options describe it."""

    executor: str
    output: Path | None
    column: str
    workers: int
    shard_size: float  # MB

    def run(
        self,
        task: "Task",
        sources: Sequence[str | Path | None],
        model: str | None,
        device: str,
        threads: int,
        settings: dict[str, Any],
        not_for_it: dict[str, Any],
        glossary: Path | None = None,
    ) -> None:
        """Run it and report. `not_for_it`: flag → its value; one that was given is refused."""
        source, output = self._checked([source for source in sources if source], not_for_it)
        device = check_device(device)
        run_bulk, job_for = _shards(self.executor)
        given = {name: value for name, value in settings.items() if value is not None}
        job = job_for(task, model_for(task, model), self.column, device, max(1, threads), glossary, given)
        progress = ConsoleProgress()
        shard_bytes = round(self.shard_size * 1e6)
        with resumable():
            report = run_bulk(source, output, job, self.executor, self.workers, shard_bytes, progress)
        for outcome in report.failed[:MOST_NAMED]:
            progress.complain(f"{outcome.name}: {outcome.error}")
        earlier = f" ({report.earlier:,} of them in an earlier run)" if report.earlier else ""
        done = report.shards - len(report.failed)
        progress.say(f"{output}: {report.rows:,} texts in {done:,} shards{earlier}, {report.seconds:.1f} s.")
        if report.failed:
            raise DhyanError(
                f"{len(report.failed):,} of {report.shards:,} shards failed; put right what the lines above say and"
                " give the command again: only these will be done."
            )
        if report.unanswered:
            progress.complain(f"{report.unanswered:,} texts have no result; the column that ends in _error says why.")
            raise typer.Exit(SOME_FAILED)

    def _checked(self, sources: Sequence[str | Path], not_for_it: dict[str, Any]) -> tuple[Path, Path]:
        if self.executor not in EXECUTORS:
            near = did_you_mean(self.executor, EXECUTORS)
            raise DhyanError(f"--executor {self.executor}: it is {' or '.join(EXECUTORS)}{near}.")
        for flag, value in not_for_it.items():
            if value:
                raise DhyanError(f"{flag} does not go with --executor; leave it out.")
        if len(sources) != 1:
            raise DhyanError("--executor works on files: name one folder of .txt or .parquet files.")
        if self.output is None:
            raise DhyanError("--executor writes a folder of Parquet files: say where, with -o.")
        return Path(sources[0]), self.output


def _shards(executor: str) -> Any:
    """The two functions of a bulk run, or one sentence that says how to install what they need."""
    with needs_extra("ray" if executor == "ray" else "parquet", f"--executor {executor}"):
        if executor == "ray" and find_spec("ray") is None:  # to import it takes seconds
            raise ModuleNotFoundError(name="ray")
        from dhyan.bulk.job import job_for
        from dhyan.bulk.run_bulk import run_bulk
    return run_bulk, job_for
