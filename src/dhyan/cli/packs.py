"""`dhyan models`, `dhyan export`, `dhyan doctor`: what there is, in another's format, and whether all is well."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from rich.console import Console
from rich.table import Table

from dhyan.errors import DhyanError, did_you_mean
from dhyan.files import folder_aside
from dhyan.model.architecture import parameter_count
from dhyan.pack.finding import BUILT_IN, find_pack, known_packs, user_packs
from dhyan.pack.pack import open_pack, read_pack

Format = Literal["ctranslate2"]


def models(as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False) -> None:
    found = [_described(name, folder) for name, folder in known_packs().items()]
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found:
        typer.echo(f"No packs yet. Train one with `dhyan train`, and put it into {user_packs()} to call it by name.")
        return
    table = Table("name", "task", "parameters", "size", "metrics", "licence", "where", box=None, pad_edge=False)
    for one in found:
        size, count = f"{one['megabytes']:.1f} MB", f"{one['parameters'] / 1e6:.1f}M"
        table.add_row(one["name"], one["task"], count, size, one["metrics"], one["licence"], one["where"])
    Console(highlight=False).print(table)


def export(
    pack: Annotated[str, typer.Argument(help="a pack's name or folder")],
    out: Annotated[Path, typer.Argument(help="the folder to write")],
    to: Annotated[str, typer.Option("--to", metavar="|".join(get_args(Format)), help="whose format")] = "ctranslate2",
    compute: Annotated[
        str, typer.Option("--compute", metavar="float32|int8", help="numbers of the weights")
    ] = "int8",
) -> None:
    from dhyan.runtime.convert import Compute, write_engine_model

    for found, allowed, flag in ((to, get_args(Format), "--to"), (compute, get_args(Compute), "--compute")):
        if found not in allowed:
            raise DhyanError(f"{flag} {found}: it is one of {', '.join(allowed)}{did_you_mean(found, allowed)}.")
    if out.exists():
        raise DhyanError(f"{out} exists already and is left as it is; choose another folder or move it away.")
    opened = read_pack(find_pack(pack))
    with folder_aside(out) as part:
        write_engine_model(opened, part, compute)  # type: ignore[arg-type]
        for file, tokenizer in opened.tokenizers.items():
            tokenizer.save(part / file)
    typer.echo(f"{out} is written: load it with CTranslate2, and the vocabularies in it with `tokenizers`.", err=True)


def doctor(as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False) -> None:
    from dhyan.runtime.doctor import examine

    answers = examine()
    if as_json:
        typer.echo(json.dumps(answers, ensure_ascii=False, indent=2))
        return
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for question, answer in answers.items():
        table.add_row(question, answer)
    Console(highlight=False).print(table)


def _described(name: str, folder: Path) -> dict[str, Any]:
    where = "built in" if folder.parent == BUILT_IN else str(folder)
    try:
        manifest = open_pack(folder).manifest
    except DhyanError as error:  # the others are well all the same
        empty: dict[str, Any] = {"parameters": 0, "megabytes": 0.0, "metrics": str(error), "licence": ""}
        return {"name": name, "task": "broken", **empty, "where": where}
    numbers: Any = next(iter(manifest.metrics.values()), {})
    shown = numbers.items() if isinstance(numbers, dict) else []
    return {
        "name": name,
        "task": manifest.task,
        "parameters": parameter_count(manifest.architecture),
        "megabytes": sum(file.stat().st_size for file in folder.iterdir()) / 1e6,
        "metrics": ", ".join(f"{key} {value:.4g}" for key, value in shown if isinstance(value, int | float)),
        "licence": manifest.licence or "not stated",
        "where": where,
    }
