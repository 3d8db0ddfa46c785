"""`dhyan similar`: the texts of a file that are nearest to a text."""

import heapq
import json
from pathlib import Path
from typing import Annotated

import typer

from dhyan.cli.input_texts import batches, filled, given_texts, numbered_texts, one_line, progress_of
from dhyan.cli.open_model import open_embedder, to_learn_from
from dhyan.cli.options import AsJson, Compute, Device, File, LearnFrom, ModelOrMethod, Texts, Threads

Near = tuple[float, int, str]  # cosine, −line, text: in this order the first of equals is the greater


def similar(
    among: Annotated[Path, typer.Option("--among", help="the texts to search, one per line, in a format of --file")],
    queries: Texts = None,
    file: File = None,
    top: Annotated[int, typer.Option("--top", min=1, help="how many to show")] = 5,
    model: ModelOrMethod = None,
    train: LearnFrom = None,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: AsJson = False,
) -> None:
    asked = [text for _, text in filled(enumerate(given_texts(queries, file)))]
    learnt, candidates = to_learn_from(model, train, numbered_texts(among))
    embed = open_embedder(model, device, threads, learnt, compute)
    from dhyan.vectors.arrays import cosines

    wanted = embed(asked)  # (queries, d_model)
    nearest: list[list[Near]] = [[] for _ in asked]
    done = 0
    with progress_of("searching") as progress:
        for batch in batches(filled(candidates)):
            similarity = cosines(wanted, embed([text for _, text in batch]))  # (queries, batch)
            for number, row in enumerate(similarity.tolist()):
                new = ((cosine, -line, text) for cosine, (line, text) in zip(row, batch, strict=True))
                nearest[number] = heapq.nlargest(top, [*nearest[number], *new])
            done += len(batch)
            progress(done)
    for query, found in zip(asked, nearest, strict=True):
        typer.echo(_as_json(query, found) if as_json else _as_columns(query, found, alone=len(asked) == 1))


def _as_json(query: str, found: list[Near]) -> str:
    rows = [{"text": text, "cosine": round(cosine, 6), "line": -line} for cosine, line, text in found]
    return json.dumps({"query": query, "nearest": rows}, ensure_ascii=False)


def _as_columns(query: str, found: list[Near], alone: bool) -> str:
    rows = [f"{cosine:6.3f}  {one_line(text)}" for cosine, _, text in found]
    return "\n".join(rows if alone else [one_line(query), *("  " + row for row in rows)])
