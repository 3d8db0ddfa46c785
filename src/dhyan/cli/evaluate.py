"""`dhyan evaluate`: a pack's scores on test data."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from dhyan.cli.console import ConsoleReporter
from dhyan.cli.flags import named_columns
from dhyan.cli.train import needs_training
from dhyan.errors import DhyanError, did_you_mean
from dhyan.files import write_aside
from dhyan.model.decoding import Decoding
from dhyan.pack.finding import find_pack
from dhyan.pack.pack import Pack, read_pack

if TYPE_CHECKING:
    from dhyan.runtime.translator import Translator


def evaluate(
    pack: Annotated[Path, typer.Argument(help="a pack's folder or name")],
    test: Annotated[Path | None, typer.Option("--test", help="test rows (TSV, JSONL) or plain text")] = None,
    source: Annotated[Path | None, typer.Option("--source", help="source side, when the sides are two files")] = None,
    reference: Annotated[Path | None, typer.Option("--reference", help="right translations, line by line")] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="NAME=COLUMN,…", help="e.g. label=2,text=1")
    ] = None,
    beam: Annotated[int | None, typer.Option("--beam", help="hypotheses kept at each step")] = None,
    length_penalty: Annotated[float | None, typer.Option("--length-penalty", help="power of the length")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="compare in lower case")] = False,
    tokenize: Annotated[str, typer.Option("--tokenize", help="sacreBLEU's tokeniser: 13a, intl, none, …")] = "13a",
    output: Annotated[
        Path | None, typer.Option("--output", help="write what the model says here, a line a row")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda")] = "auto",
    runtime: Annotated[
        str | None,
        typer.Option("--runtime", metavar="int8|float32", help="translate with the light engine, as users do"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the scores as JSON")] = False,
) -> None:
    needs_training("evaluating")
    from dhyan.training.devices import find_device
    from dhyan.training.evaluation import Comparison, TestData
    from dhyan.training.evaluation import evaluate as measure

    if (test is None) == (source is None) or (source is None) != (reference is None):
        raise DhyanError("name the test data with --test FILE, or with --source FILE and --reference FILE.")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise DhyanError(f"--output {output}: name a file in a folder that is there.")
    comparison = Comparison(lowercase, tokenize)
    where = find_device(device)
    opened = read_pack(find_pack(pack))
    data = TestData(
        [path for path in (test, source) if path], reference, named_columns("columns", columns) if columns else {}
    )
    decoding = _decoding(opened, beam, length_penalty)
    translator = _light_translator(opened, runtime, decoding) if runtime is not None else None
    scores = measure(opened, data, where, decoding, comparison, ConsoleReporter(), translator)
    outputs = scores.pop("outputs")
    if output is not None:
        write_aside(output, "".join(line.replace("\n", " ") + "\n" for line in outputs))
    scores = {"pack": str(pack), "task": opened.manifest.task, **scores}
    if as_json:
        typer.echo(json.dumps(scores, ensure_ascii=False, indent=2))
    else:
        _show(scores)


def _light_translator(pack: Pack, compute: str, decoding: Decoding) -> "Translator":
    from dhyan.runtime.convert import Compute
    from dhyan.runtime.engine import start_engine
    from dhyan.runtime.load import refuse_other_tasks
    from dhyan.runtime.translator import Translator

    kinds = get_args(Compute)
    if compute not in kinds:
        raise DhyanError(f"--runtime {compute}: it is {' or '.join(kinds)}{did_you_mean(compute, kinds)}.")
    refuse_other_tasks(pack, "translate")
    translator = Translator(pack, start_engine(pack, compute=cast(Compute, compute)))
    translator.decoding = decoding
    return translator


def _decoding(pack: Pack, beam: int | None, length_penalty: float | None) -> Decoding:
    said = {"beam": beam, "length_penalty": length_penalty}
    values = pack.manifest.decoding.model_dump() | {key: value for key, value in said.items() if value is not None}
    return Decoding.checked(values, "command line")


def _show(scores: dict[str, Any]) -> None:
    console = Console(highlight=False)
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")  # a signature that is cut short is none
    for name, value in scores.items():
        if name not in ("labels", "signatures"):
            signature = scores.get("signatures", {}).get(name, "")
            table.add_row(name, _shown(value), signature)
    console.print(table)
    if "labels" in scores:
        by_label = Table("label", "precision", "recall", "F1", "rows", box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for label, one in scores["labels"].items():
            by_label.add_row(label, *(_shown(one[key]) for key in ("precision", "recall", "f1", "rows")))
        console.print(by_label)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    return str(value)
