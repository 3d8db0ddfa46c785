"""`dhyan write`: continue a text, token by token."""

import json
import sys
from typing import Annotated, Any

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkOutput, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.flags import given_settings, renamed_flags, with_flags
from dhyan.cli.open_model import open_writer
from dhyan.cli.options import Compute, Device, Model, Threads
from dhyan.core.errors import DhyanError
from dhyan.model.generation.settings import GenerationSettings

SAMPLING = ("max_length", "temperature", "top_k", "top_p", "seed")


@renamed_flags(RENAMED)
@with_flags(GenerationSettings, only=SAMPLING)
def write(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="the text to continue")] = "",
    model: Model = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="always take the most probable token")] = False,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: Annotated[bool, typer.Option("--json", help="print prompt and continuation as JSON")] = False,
    output: BulkOutput = None,
    executor: Executor = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
    **sampling: Any,
) -> None:
    settings = given_settings(GenerationSettings, sampling) | ({"sample": False} if greedy else {})
    if executor is not None:
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run(
            "write", [prompt], model, device, threads, settings, {"--json": as_json, "--compute": compute != "int8"}
        )
        return
    if output is not None:
        raise DhyanError("-o goes with --executor; without it, the text is printed: send it to a file with >.")
    writer = open_writer(model, device, threads, compute)
    stream = writer.stream(prompt, **settings)
    if as_json:
        typer.echo(json.dumps({"prompt": prompt, "text": "".join(stream)}, ensure_ascii=False))
        return
    first = next(stream, "")  # whatever is wrong shows before anything is written
    sys.stdout.write(prompt + first)
    for piece in stream:
        sys.stdout.write(piece)
        sys.stdout.flush()
    sys.stdout.write("\n")
