"""`dhyan embed`: texts, or a word in each of them, and their vectors, as a NumPy array or as JSON lines."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import numpy as np
import typer
from numpy.typing import NDArray

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import renamed_flags
from dhyan.cli.input_texts import batches, check_output, given_texts, note_blanks, progress_of
from dhyan.cli.open_model import open_embedder, open_word_embedder, to_learn_from
from dhyan.cli.options import Device, File, LearnFrom, ModelOrMethod, Texts, Threads, compute_option
from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError

if TYPE_CHECKING:
    from dhyan.vectors.baselines import Baseline
    from dhyan.vectors.embedder import Embedder

Vectors = NDArray[np.float32]  # (texts, d_model)
Embed = Callable[[Sequence[str]], Vectors]
Write = Callable[[Sequence[str], Vectors], object]


@renamed_flags(RENAMED)
def embed(
    texts: Texts = None,
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="write .npy (float32) or .jsonl; else JSON lines are printed"),
    ] = None,
    word: Annotated[
        str | None,
        typer.Option("--word", help="the vector of this word in each text, where it first occurs"),
    ] = None,
    layer: Annotated[
        int | None,
        typer.Option("--layer", min=0, help="with --word: after which layer; 0 before the first, else the last"),
    ] = None,
    model: ModelOrMethod = None,
    train: LearnFrom = None,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Annotated[str | None, compute_option("default int8; with --word float32")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="with -o: say as JSON what was written")] = False,
    executor: Executor = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
) -> None:
    if executor is not None:
        not_for_it = {"--word": word, "--layer": layer is not None, "--train": train, "--json": as_json}
        not_for_it |= {"--compute": compute == "float32"}
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("embed", [*(texts or []), file], model, device, threads, {}, not_for_it)
        return
    if output is not None:
        check_output("-o", output, (".npy", ".jsonl"))
    if layer is not None and word is None:
        raise DhyanError("--layer goes with --word: a text's vector is always of the last layer.")
    learnt, rows = to_learn_from(model, train, enumerate(given_texts(texts, file)))
    given = (text for _, text in rows)
    if word is None:
        embed, d_model = _of_texts(open_embedder(model, device, threads, learnt, compute or "int8"))
    else:
        embed, d_model = _of_a_word(word, model, layer, device, threads, compute or "float32")
    if output is None:
        out = sys.stdout  # taken now: a progress bar catches what is printed to the stream later

        def show(batch: Sequence[str], vectors: Vectors) -> None:
            typer.echo(_json_lines(batch, vectors), file=out, nl=False)

        _run(embed, d_model, given, show, printing=True)
        return
    with atomic_file(output) as part:
        if output.suffix.lower() == ".npy":
            _write_header(part, (0, d_model))
            count = _run(embed, d_model, given, lambda _, vectors: part.write(vectors.tobytes()))
            part.seek(0)
            _write_header(part, (count, d_model))
        else:
            count = _run(
                embed, d_model, given, lambda batch, vectors: part.write(_json_lines(batch, vectors).encode())
            )
    if as_json:
        typer.echo(json.dumps({"file": str(output), "texts": count, "d_model": d_model}, ensure_ascii=False))
    else:
        ConsoleProgress().say(f"{output} holds {count:,} vectors of {d_model} numbers.")


def _of_texts(embedder: "Embedder | Baseline") -> tuple[Embed, int]:
    """What makes the vectors of texts, and how many numbers each has."""
    from dhyan.vectors.embedder import Embedder

    if isinstance(embedder, Embedder):
        return embedder, embedder.pack.manifest.architecture.d_model
    from dhyan.vectors.arrays import dense

    return (lambda texts: dense(embedder(texts))), embedder.width


def _of_a_word(
    word: str, model: str | None, layer: int | None, device: str, threads: int, compute: str
) -> tuple[Embed, int]:
    """The same of a word in each text: where it comes more than once, of its first."""
    from dhyan.text.words import find_word

    embedder = open_word_embedder(model, layer, device, threads, compute)

    def embed(texts: Sequence[str]) -> Vectors:
        seen = [embedder.pack.tokenizer.normalised(text) for text in texts]
        return embedder(seen, [find_word(word, text)[0] for text in seen])

    return embed, embedder.width


def _run(embed: Embed, d_model: int, texts: Iterator[str], write: Write, printing: bool = False) -> int:
    """Embed and write batch by batch; return how many texts there were.

    A blank text gets zeros, a vector that is near nothing: so row n always belongs to text n.
    """
    done = blank = 0
    with progress_of("embedding", printing=printing) as progress:
        for batch in batches(texts):
            filled = [number for number, text in enumerate(batch) if text.strip()]
            vectors = np.zeros((len(batch), d_model), dtype="<f4")
            if filled:
                vectors[filled] = embed([batch[number] for number in filled])
            write(batch, vectors)
            done += len(batch)
            blank += len(batch) - len(filled)
            progress(done)
    note_blanks(blank, "kept in place with a vector of zeros")
    return done


def _json_lines(texts: Sequence[str], vectors: Vectors) -> str:
    """Seven decimal places: the precision of float32 below 1."""
    rows = zip(texts, np.round(vectors.astype(np.float64), 7).tolist(), strict=True)
    return "".join(json.dumps({"text": text, "vector": row}, ensure_ascii=False) + "\n" for text, row in rows)


def _write_header(part: BinaryIO, shape: tuple[int, int]) -> None:
    """The header of a .npy file. NumPy pads it so that the count can grow: it can be written over later."""
    write: Callable[..., None] = np.lib.format.write_array_header_1_0
    write(part, {"descr": "<f4", "fortran_order": False, "shape": shape})
