"""`dhyan embed`: texts and their vectors, as a NumPy array or as JSON lines."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import numpy as np
import typer
from numpy.typing import NDArray

from dhyan.cli.texts import (
    Device,
    File,
    Model,
    Texts,
    Threads,
    batches,
    check_output,
    given_texts,
    note_blanks,
    open_embedder,
    progress_of,
)
from dhyan.files import file_aside

if TYPE_CHECKING:
    from dhyan.runtime.encoder import Embedder

Vectors = NDArray[np.float32]  # (texts, d_model)
Write = Callable[[Sequence[str], Vectors], object]


def embed(
    texts: Texts = None,
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="write .npy (float32) or .jsonl; else JSON lines are printed"),
    ] = None,
    model: Model = None,
    threads: Threads = 0,
    device: Device = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="with -o: say as JSON what was written")] = False,
) -> None:
    if output is not None:
        check_output("-o", output, (".npy", ".jsonl"))
    given = given_texts(texts, file)
    embedder = open_embedder(model, device, threads)
    if output is None:
        out = sys.stdout  # taken now: a progress bar catches what is printed to the stream later
        _run(
            embedder, given, lambda batch, vectors: typer.echo(_json_lines(batch, vectors), file=out, nl=False), True
        )
        return
    d_model = embedder.pack.manifest.architecture.d_model
    with file_aside(output) as part:
        if output.suffix.lower() == ".npy":
            _write_header(part, (0, d_model))
            count = _run(embedder, given, lambda _, vectors: part.write(vectors.tobytes()))
            part.seek(0)
            _write_header(part, (count, d_model))
        else:
            count = _run(embedder, given, lambda batch, vectors: part.write(_json_lines(batch, vectors).encode()))
    if as_json:
        typer.echo(json.dumps({"file": str(output), "texts": count, "d_model": d_model}, ensure_ascii=False))
    else:
        typer.echo(f"{output} holds {count:,} vectors of {d_model} numbers.", err=True)


def _run(embedder: "Embedder", texts: Iterator[str], write: Write, printing: bool = False) -> int:
    """Embed and write batch by batch; return how many texts there were.

    A blank text gets zeros, a vector that is near nothing: so row n always belongs to text n.
    """
    done = blank = 0
    with progress_of("embedding", printing=printing) as progress:
        for batch in batches(texts):
            filled = [number for number, text in enumerate(batch) if text.strip()]
            vectors = np.zeros((len(batch), embedder.pack.manifest.architecture.d_model), dtype="<f4")
            if filled:
                vectors[filled] = embedder([batch[number] for number in filled])
            write(batch, vectors)
            done += len(batch)
            blank += len(batch) - len(filled)
            progress(done)
    note_blanks(blank, "kept in place with a vector of zeros")
    return done


def _json_lines(texts: Sequence[str], vectors: Vectors) -> str:
    """Seven places are what float32 knows of a number below 1."""
    rows = zip(texts, np.round(vectors.astype(np.float64), 7).tolist(), strict=True)
    return "".join(json.dumps({"text": text, "vector": row}, ensure_ascii=False) + "\n" for text, row in rows)


def _write_header(part: BinaryIO, shape: tuple[int, int]) -> None:
    """The head of a .npy file. NumPy leaves room in it for the count to grow, so it can be written over later."""
    np.lib.format.write_array_header_1_0(part, {"descr": "<f4", "fortran_order": False, "shape": shape})
