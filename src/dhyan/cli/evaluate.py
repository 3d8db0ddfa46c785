"""`dhyan evaluate`: a pack's scores on test data."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import named_values, renamed_flags, with_flags
from dhyan.cli.options import (
    BASELINES,
    BEAM_SEARCH,
    Device,
    Threads,
    check_compute,
    check_device,
    complete_pack_or_method,
    compute_option,
    generation_settings,
    limit_threads,
)
from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.screen import Screen
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.named_packs import find_pack

TASKS = {  # what vectors are judged by, and the columns of its rows
    "similarity": "score, first, second (or first, second, score)",
    "labels": "label, text; also of --train",
    "clusters": "label, text",
    "senses": "word, sense, index, sentence; also of --train",
}


@renamed_flags({"--runtime": "--compute"})
@with_flags(GenerationSettings, only=BEAM_SEARCH)
def evaluate(
    pack: Annotated[
        Path,
        typer.Argument(
            metavar="PACK",
            help=f"a pack's folder or name; or {', '.join(BASELINES)}",
            autocompletion=complete_pack_or_method,
        ),
    ],
    test: Annotated[
        Path | None, typer.Option("--test", help="test rows (TSV, CSV, Excel, JSONL) or plain text")
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", help="source side, when the sides are two files")] = None,
    reference: Annotated[Path | None, typer.Option("--reference", help="right translations, line by line")] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="NAME=COLUMN,…", help="by name or number: label=tag,text=2")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="|".join(TASKS), help="judge the vectors by this instead")
    ] = None,
    train: Annotated[
        Path | None, typer.Option("--train", help="rows that labels or senses are learnt from, or text for word2vec")
    ] = None,
    layer: Annotated[
        int | None, typer.Option("--layer", min=0, help="for senses: the encoder's layer; else its last")
    ] = None,
    with_sentence: Annotated[
        bool, typer.Option("--with-sentence", help="for senses: the sentence's vector beside the word's")
    ] = False,
    neighbours: Annotated[
        int,
        typer.Option("--neighbours", min=0, help="for senses: so many nearest rows of --train vote; 0: their means"),
    ] = 0,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="compare in lower case")] = False,
    tokenize: Annotated[str, typer.Option("--tokenize", help="sacreBLEU's tokeniser: 13a, intl, none, …")] = "13a",
    output: Annotated[
        Path | None, typer.Option("--output", help="write what the model says here, one line per row")
    ] = None,
    device: Device = "auto",
    compute: Annotated[
        str | None, compute_option("with it a translator is judged as it is used; else its model alone, in float32")
    ] = None,
    threads: Threads = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print the scores as JSON")] = False,
    **search: Any,
) -> None:
    if (test is None) == (source is None) or (source is None) != (reference is None):
        raise DhyanError("name the test data with --test FILE, or with --source FILE and --reference FILE.")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise DhyanError(f"--output {output}: name a file in a folder that is there.")
    named = named_values("columns", columns) if columns else {}
    kind = check_compute(compute) if compute is not None else None
    # How users run a pack is on the CPU, unless they say otherwise.
    device = "cpu" if kind is not None and device == "auto" else check_device(device)
    if kind == "int8" and device != "cpu":
        raise DhyanError(f"--device {device} computes in float32; leave --compute int8 out, or use --device cpu.")
    limit_threads(threads)
    if str(pack) in BASELINES or task is not None:
        from dhyan.evaluation.vectors import VectorEvaluation, is_vector_task

        if not is_vector_task(task):
            raise DhyanError(f"--task {_unknown_task(task)}.")
        if test is None:
            raise DhyanError(f"--task {task} has one file of rows: name it with --test FILE.")

        judged = VectorEvaluation(
            str(pack), task, test, train, named, layer, kind or "float32", device, with_sentence, neighbours
        )
        _report({"pack": str(pack), "task": task, **judged.scores(ConsoleProgress())}, output, as_json)
        return
    if train is not None or layer is not None or with_sentence or neighbours:
        raise DhyanError(
            f"--train, --layer, --with-sentence and --neighbours go with --task, which is {' or '.join(TASKS)}."
        )
    from dhyan.evaluation.evaluate import TextComparison
    from dhyan.evaluation.evaluate import evaluate as scores_of
    from dhyan.evaluation.test_data import TestData
    from dhyan.pack.pack import read_pack

    comparison = TextComparison(lowercase, tokenize)
    opened = read_pack(find_pack(pack))
    data = TestData([path for path in (test, source) if path], reference, named)
    scores = scores_of(
        opened,
        data,
        device=device,
        compute=kind,
        threads=threads,
        decoding=generation_settings(opened, **search),
        comparison=comparison,
        progress=ConsoleProgress(),
    )
    _report({"pack": str(pack), "task": opened.manifest.task, **scores}, output, as_json)


def _report(scores: dict[str, Any], output: Path | None, as_json: bool) -> None:
    outputs = scores.pop("outputs")
    if output is not None:
        write_atomic(output, "".join(line.replace("\n", " ") + "\n" for line in outputs))
    if as_json:
        typer.echo(json.dumps(scores, ensure_ascii=False, indent=2))
    else:
        _show(scores)


def _unknown_task(task: str | None) -> str:
    nearest = did_you_mean(task, TASKS) if task else ""
    known = "; ".join(f"{name} (columns {columns})" for name, columns in TASKS.items())
    return f"{task or 'is missing'}: name what to judge by{nearest}: {known}"


def _show(scores: dict[str, Any]) -> None:
    from dhyan.core.metrics import NO_FOUR_WORDS

    screen, signatures = Screen(), scores.get("signatures", {})
    shown = [name for name in scores if name not in ("labels", "signatures", "note")]
    without = ["bleu"] if scores.get("note") == NO_FOUR_WORDS else []  # its 0 says nothing
    rows = [(name, "–" if name in without else _shown(scores[name]), signatures.get(name, "")) for name in shown]
    screen.table(rows)
    if "labels" in scores:
        keys = ("precision", "recall", "f1", "rows")
        by_label = [(label, *(_shown(one[key]) for key in keys)) for label, one in scores["labels"].items()]
        screen.table(by_label, ("label", "precision", "recall", "F1", "rows"))
    if "note" in scores:
        typer.echo(f"Note: {scores['note']}.")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    return str(value)
