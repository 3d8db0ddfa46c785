"""`dhyan classify`: texts, or pairs of texts, and their labels or numbers."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkOutput, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.flags import named_values, renamed_flags
from dhyan.cli.input_pairs import given_pairs, given_rows, lines_before_model
from dhyan.cli.input_texts import batches, note_blanks, one_line, progress_of
from dhyan.cli.open_model import open_classifier
from dhyan.cli.options import AsJson, Compute, Device, File, ModelOrMethod, Texts, Threads
from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.core.screen import display_width, padded

if TYPE_CHECKING:
    from dhyan.vectors.answers import Labelled
    from dhyan.vectors.classifier import Classifier, LinearProbe

NO_LABEL = "–"  # stands where an empty text has none, and where none of several labels holds
NUMBER_WIDTH = 10


@renamed_flags(RENAMED)
def classify(
    texts: Texts = None,
    file: File = None,
    model: ModelOrMethod = None,
    train: Annotated[
        Path | None,
        typer.Option("--train", help="rows of label and text: learn the labels on the model's vectors first"),
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="NAME=COLUMN,…", help="of --train: label=tag,text=title")
    ] = None,
    second: Annotated[
        str | None,
        typer.Option("--and", metavar="TEXT", help="the second text, for a pack that reads pairs of texts"),
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
        not_for_it = {
            "--train": train,
            "--columns": columns,
            "--and": second,
            "--json": as_json,
            "--compute": compute != "int8",
        }
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("classify", [*(texts or []), file], model, device, threads, {"all": every or None}, not_for_it)
        return
    if output is not None:
        raise DhyanError("-o goes with --executor; without it, labels are printed: send them to a file with >.")
    lines = lines_before_model(texts, second, file)
    if columns and train is None:
        raise DhyanError("--columns says where label and text stand in the rows of --train; name these, too.")
    named = named_values("columns", columns) if columns else {}
    classifier = open_classifier(model, device, threads, train, compute, named)
    kind: LabelKind = getattr(classifier, "label_kind", "one")  # a probe has one
    name = model or "the pack"
    read = given_pairs if getattr(classifier, "reads_pairs", False) else given_rows
    rows = read(texts, second, file, lines, name)
    width = NUMBER_WIDTH if kind == "number" else max(map(display_width, classifier.labels))
    out, done, blank = sys.stdout, 0, 0  # taken now: a progress bar catches what is printed to the stream later
    with progress_of("classifying", printing=True) as progress:
        for batch in batches(rows):
            filled = [row for row in batch if all(text.strip() for text in row)]
            found = iter(_classified(classifier, filled))
            for row in batch:
                answer = next(found) if all(text.strip() for text in row) else None
                line = _as_json(row, answer, kind, every) if as_json else _as_columns(row, answer, kind, every, width)
                typer.echo(line, file=out)
            out.flush()
            done += len(batch)
            blank += len(batch) - len(filled)
            progress(done)
    what = "a number" if kind == "number" else "a label"
    note_blanks(blank, f"kept in place without {what} ({'null' if as_json else NO_LABEL})")


def _classified(classifier: "Classifier | LinearProbe", rows: Sequence[tuple[str, ...]]) -> "list[Labelled]":
    """rows: of one text, or of two."""
    given = [row[0] if len(row) == 1 else row for row in rows]
    return classifier.classify_checked(given)


def _as_json(texts: Sequence[str], found: "Labelled | None", kind: LabelKind, every: bool) -> str:
    answer: dict[str, object] = {"text": texts[0]} if len(texts) == 1 else {"texts": list(texts)}
    probabilities = {label: round(number, 6) for label, number in found.probabilities.items()} if found else None
    if kind == "number":
        answer["value"] = round(found.value, 6) if found and found.value is not None else None
    elif kind == "several":
        answer["labels"] = list(found.labels) if found else None
    else:
        answer["label"] = found.label if found else None
        answer["probability"] = probabilities[found.label] if found and probabilities else None
    if every and kind != "number":
        answer["probabilities"] = probabilities
    return json.dumps(answer, ensure_ascii=False)


def _as_columns(texts: Sequence[str], found: "Labelled | None", kind: LabelKind, every: bool, width: int) -> str:
    shown = " + ".join(one_line(text) or "(empty)" for text in texts)
    if kind == "number":
        return f"{found.said if found else NO_LABEL:>{width}}  {shown}"
    if kind == "several" and not every:
        return f"{padded(found.said if found else NO_LABEL, width)}  {shown}"
    numbers = found.probabilities if found else {}
    rows = [f"{padded(label, width)}  {number:.3f}" for label, number in numbers.items()]
    rows = rows or [f"{padded(NO_LABEL, width)}       "]
    if every:
        return "\n".join([shown, *("  " + row.rstrip() for row in rows)])
    return f"{rows[0]}  {shown}"
