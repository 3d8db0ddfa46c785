"""`dhyan classify`: texts and their labels."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkOutput, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.flags import renamed_flags
from dhyan.cli.input_texts import batches, given_texts, note_blanks, one_line, progress_of
from dhyan.cli.open_model import open_classifier
from dhyan.cli.options import AsJson, Compute, Device, File, ModelOrMethod, Texts, Threads
from dhyan.core.errors import DhyanError
from dhyan.core.screen import display_width, padded

if TYPE_CHECKING:
    from dhyan.vectors.classifier import Labelled

NO_LABEL = "–"  # stands where an empty text has none


@renamed_flags(RENAMED)
def classify(
    texts: Texts = None,
    file: File = None,
    model: ModelOrMethod = None,
    train: Annotated[
        Path | None,
        typer.Option("--train", help="rows of label and text: learn the labels on the model's vectors first"),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="all labels, the most probable first")] = False,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: AsJson = False,
    output: BulkOutput = None,
    executor: Executor = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
) -> None:
    if executor is not None:
        not_for_it = {"--train": train, "--json": as_json, "--compute": compute != "int8"}
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("classify", [*(texts or []), file], model, device, threads, {"all": every or None}, not_for_it)
        return
    if output is not None:
        raise DhyanError("-o goes with --executor; without it, labels are printed: send them to a file with >.")
    given = given_texts(texts, file)
    classifier = open_classifier(model, device, threads, train, compute)
    width = max(map(display_width, classifier.labels))
    out, done, blank = sys.stdout, 0, 0  # taken now: a progress bar catches what is printed to the stream later
    with progress_of("classifying", printing=True) as progress:
        for batch in batches(given):
            filled = [text for text in batch if text.strip()]
            found = iter(classifier.classify(filled))
            for text in batch:
                labelled = next(found) if text.strip() else None
                line = _as_json(text, labelled, every) if as_json else _as_columns(text, labelled, every, width)
                typer.echo(line, file=out)
            out.flush()
            done += len(batch)
            blank += len(batch) - len(filled)
            progress(done)
    note_blanks(blank, f"kept in place without a label ({'null' if as_json else NO_LABEL})")


def _as_json(text: str, labelled: "Labelled | None", every: bool) -> str:
    answer: dict[str, object] = {"text": text, "label": None, "probability": None}
    if every:
        answer["probabilities"] = None
    if labelled is not None:
        numbers = {label: round(number, 6) for label, number in labelled.probabilities.items()}
        answer |= {"label": labelled.label, "probability": numbers[labelled.label]}
        if every:
            answer["probabilities"] = numbers
    return json.dumps(answer, ensure_ascii=False)


def _as_columns(text: str, labelled: "Labelled | None", every: bool, width: int) -> str:
    numbers = labelled.probabilities if labelled else {}
    rows = [f"{padded(label, width)}  {number:.3f}" for label, number in numbers.items()]
    rows = rows or [f"{padded(NO_LABEL, width)}       "]
    shown = one_line(text) or "(empty)"
    if every:
        return "\n".join([shown, *("  " + row.rstrip() for row in rows)])
    return f"{rows[0]}  {shown}"
