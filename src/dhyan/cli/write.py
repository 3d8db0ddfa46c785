"""`dhyan write`: a text goes on, token by token."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dhyan.cli.bulk import COLUMN, SHARD_SIZE, Column, Engine, Sharding, ShardSize, Workers
from dhyan.cli.input_texts import Device, Threads, open_model
from dhyan.core.errors import DhyanError

if TYPE_CHECKING:
    from dhyan.engines.writer import Writer


def write(
    prompt: Annotated[str, typer.Argument(help="the text to go on with")] = "",
    model: Annotated[str | None, typer.Option("--model", help="a pack's name or folder")] = None,
    max_length: Annotated[int | None, typer.Option("--max-length", help="most tokens to write")] = None,
    temperature: Annotated[float | None, typer.Option("--temperature", help="below 1 plays safe")] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="draw among the k likeliest; 0 for all")] = None,
    top_p: Annotated[float | None, typer.Option("--top-p", help="draw among those that add up to p")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="the same seed writes the same text")] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="always take the likeliest token")] = False,
    threads: Threads = 0,
    device: Device = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="print prompt and continuation as JSON")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="with --engine: the folder to write")] = None,
    engine: Engine = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
) -> None:
    said = {"max_length": max_length, "temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    said |= {"sample": False if greedy else None}
    if engine is not None:
        how = Sharding(engine, output, column, workers, shard_size)
        how.work("write", [prompt], model, device, threads, said, {"--json": as_json})
        return
    if output is not None:
        raise DhyanError("-o goes with --engine; without it, the text is printed: send it to a file with >.")
    writer = cast("Writer", open_model("write", model, device, threads))
    stream = writer.stream(prompt, **said)
    if as_json:
        typer.echo(json.dumps({"prompt": prompt, "text": "".join(stream)}, ensure_ascii=False))
        return
    first = next(stream, "")  # whatever is wrong shows before anything is written
    sys.stdout.write(prompt + first)
    for piece in stream:
        sys.stdout.write(piece)
        sys.stdout.flush()
    sys.stdout.write("\n")
