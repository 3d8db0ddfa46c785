"""`--engine`: what translate, embed, classify and write share when a folder of files is theirs to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.input_texts import check_device, model_for
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.pack.manifest import Task

ENGINES = ("local", "ray")
SOME_FAILED = 1  # exit code when a text has an error in its row
MOST_NAMED = 10

Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="|".join(ENGINES),
        help="a folder of .txt or .parquet files to a folder of Parquet, by processes here or on a Ray cluster",
    ),
]
Column = Annotated[str, typer.Option("--column", help="with --engine: the Parquet column of the texts")]
Workers = Annotated[
    int, typer.Option("--workers", min=0, help="with --engine: so many at a time; 0 for one a core, or one a GPU")
]
ShardSize = Annotated[
    float, typer.Option("--shard-size", min=0.001, max=10_000, help="with --engine: MB of text to a shard")
]
COLUMN, SHARD_SIZE = "text", 4.0


@dataclass(frozen=True, slots=True)
class Sharding:
    """What the shared flags say."""

    engine: str
    output: Path | None
    column: str
    workers: int
    shard_size: float  # MB

    def work(
        self,
        task: Task,
        sources: Sequence[str | Path | None],
        model: str | None,
        device: str,
        threads: int,
        settings: dict[str, Any],
        not_for_it: dict[str, Any],
        glossary: Path | None = None,
    ) -> None:
        """Do it, and tell what came of it. `not_for_it`: flag → what was said; one that was said is refused."""
        source, output = self._checked([source for source in sources if source], not_for_it)
        check_device(device)
        run_shards, job_for = _shards(self.engine)
        said = {name: value for name, value in settings.items() if value is not None}
        job = job_for(task, model_for(task, model), self.column, device, max(1, threads), glossary, said)
        reporter = ConsoleProgress()
        shard_bytes = round(self.shard_size * 1e6)
        report = run_shards(source, output, job, self.engine, self.workers, shard_bytes, reporter)
        for outcome in report.failed[:MOST_NAMED]:
            reporter.say(f"{outcome.name}: {outcome.error}")
        earlier = f" ({report.earlier:,} of them in an earlier run)" if report.earlier else ""
        done = report.shards - len(report.failed)
        reporter.say(f"{output}: {report.rows:,} texts in {done:,} shards{earlier}, {report.seconds:.1f} s.")
        if report.failed:
            raise DhyanError(
                f"{len(report.failed):,} of {report.shards:,} shards failed; put right what the lines above say and"
                " give the command again: only these will be done."
            )
        if report.unanswered:
            reporter.say(f"{report.unanswered:,} texts have no result; the column that ends in _error says why.")
            raise typer.Exit(SOME_FAILED)

    def _checked(self, sources: Sequence[str | Path], not_for_it: dict[str, Any]) -> tuple[Path, Path]:
        if self.engine not in ENGINES:
            near = did_you_mean(self.engine, ENGINES)
            raise DhyanError(f"--engine {self.engine}: it is {' or '.join(ENGINES)}{near}.")
        for flag, said in not_for_it.items():
            if said:
                raise DhyanError(f"{flag} does not go with --engine; leave it out.")
        if len(sources) != 1:
            raise DhyanError("--engine works on files: name one folder of .txt or .parquet files.")
        if self.output is None:
            raise DhyanError("--engine writes a folder of Parquet files: say where, with -o.")
        return Path(sources[0]), self.output


def _shards(engine: str) -> Any:
    """The room's two functions, or one line that says how to install what it needs."""
    try:
        if engine == "ray" and find_spec("ray") is None:  # to import it takes seconds
            raise ModuleNotFoundError(name="ray")
        from dhyan.bulk.job import job_for
        from dhyan.bulk.run_bulk import run_shards
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("pyarrow", "ray"):
            raise
        extra = "ray" if engine == "ray" else "parquet"
        raise DhyanError(
            f'--engine {engine} needs {missing}, which is not installed: pip install "dhyan[{extra}]".'
        ) from None
    return run_shards, job_for
