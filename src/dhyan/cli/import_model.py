"""`dhyan import`: a model that another program trained becomes a pack."""

from pathlib import Path
from typing import Annotated, get_args

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.pack.weights_file import Storage


def import_(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="a folder of Hugging Face or Marian, or a .gguf file of llama.cpp"),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="PACK", help="the pack's folder, which must not exist yet")],
    storage: Annotated[
        str,
        typer.Option(
            "--storage",
            metavar="|".join(get_args(Storage)),
            help="number format of the weights: float32 keeps every number, int8 is a quarter of its size",
        ),
    ] = "float32",
    source_language: Annotated[
        str, typer.Option("--source-language", help="code of the language that a translator reads, such as en")
    ] = "",
    target_language: Annotated[
        str, typer.Option("--target-language", help="code of the language that a translator writes, such as hi")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="what to call it; else as its folder")] = "",
) -> None:
    from dhyan.interchange.families.imported_model import Languages
    from dhyan.interchange.import_model import read_model, write_imported
    from dhyan.pack.parameter_shapes import parameter_count

    stored: Storage | None = next((one for one in get_args(Storage) if one == storage), None)
    if stored is None:
        known = get_args(Storage)
        raise DhyanError(f"--storage {storage}: it is one of {', '.join(known)}{did_you_mean(storage, known)}.")
    if out.exists():
        raise DhyanError(f"{out} exists already and is left as it is; choose another folder or move it away.")
    progress = ConsoleProgress()
    progress.say(f"Reading {path} …")
    model, facts = read_model(path, Languages(source_language, target_language))
    a = model.architecture
    progress.say(f"{model.family}, {parameter_count(a) / 1e6:.1f}M parameters: a pack for `dhyan {model.task}`.")
    for folded in model.notes.folded:
        progress.say(f"- Folded: {folded}.")
    for sentence in (*model.notes.left_out, *model.notes.chosen):
        progress.say(f"- {sentence}")
    write_imported(model, facts, out, name, stored)
    size = sum(file.stat().st_size for file in out.iterdir())
    terms = f"Its licence is {facts.licence}." if facts.licence else "Its files state no licence: ask its makers."
    progress.say(f"{out} is written ({size / 1e6:.1f} MB as {stored}). {terms}")
