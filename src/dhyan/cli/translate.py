"""`dhyan translate`: texts, files, folders or standard input."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import flag_of, given_settings, renamed_flags, with_flags
from dhyan.cli.input_texts import numbered_texts
from dhyan.cli.open_model import open_translator
from dhyan.cli.options import AsJson, Compute, Device, Model, Threads, generation_settings
from dhyan.cli.translate_documents import (
    check_piped,
    check_text_options,
    document_options,
    one_path,
    translate_path,
    translate_pipe,
)
from dhyan.core.errors import DhyanError
from dhyan.documents.options import DocumentOptions
from dhyan.model.generation.settings import GenerationSettings

if TYPE_CHECKING:
    from dhyan.translation.translator import Translator

SEARCH = ["beam"]


@renamed_flags(RENAMED)
@with_flags(GenerationSettings, only=SEARCH)
@with_flags(DocumentOptions, without=["made_by"])
def translate(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT|FILE|FOLDER]...", help="without any: standard input")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="where to write the translated file or folder; - for the screen"),
    ] = None,
    model: Model = None,
    glossary: Annotated[
        Path | None, typer.Option("--glossary", help="TSV: term and translation, or a term alone to keep it")
    ] = None,
    alternatives: Annotated[
        int, typer.Option("--alternatives", min=0, max=32, help="alternative translations to add")
    ] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace an existing output")] = False,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: AsJson = False,
    executor: Executor = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
    **flags: Any,
) -> None:
    search = {name: flags.pop(name) for name in SEARCH}
    if executor is not None:
        not_for_it = {"--json": as_json, "--alternatives": alternatives, "--overwrite": overwrite}
        not_for_it |= {flag_of(name): value is not None for name, value in flags.items()}
        not_for_it["--compute"] = compute != "int8"
        settings = given_settings(GenerationSettings, search)
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("translate", what or [], model, device, threads, settings, not_for_it, glossary)
        return
    options = document_options(flags)
    path = one_path(what or [], output)
    by_line = not what and (as_json or alternatives > 0)  # a pipe of texts, one per line
    if path and (as_json or alternatives):
        raise DhyanError("--json and --alternatives are for texts; leave them out for files.")
    if (what and not path) or by_line:
        check_text_options(options)
    if not what:
        check_piped()
    translator = open_translator(model, device, threads, compute)
    translator.glossary = glossary
    translator.decoding = generation_settings(translator.pack, **search)
    if path and output:
        options = options.model_copy(update={"made_by": _made_by(translator, glossary)})
        translate_path(path, output, translator, options, overwrite)
    elif what:
        _translate_texts(what, translator, options.style, alternatives, as_json)
    elif by_line:
        for _, line in numbered_texts(None):
            _translate_texts([line], translator, options.style, alternatives, as_json)
    else:
        translate_pipe(translator, options, output, overwrite)


def _made_by(translator: "Translator", glossary: Path | None) -> str:
    """What the result depends on besides the document: work begun with something else is not continued."""
    from dhyan.engines.converted_cache import pack_digest

    terms = glossary.read_bytes() if glossary is not None else b""
    engine = f"{translator.engine.compute} {translator.engine.device}"
    return f"{pack_digest(translator.pack)} {engine} {translator.decoding.model_dump_json()} {terms!r}"


def _translate_texts(
    texts: Sequence[str], translator: "Translator", style: str | None, alternatives: int, as_json: bool
) -> None:
    for found in translator.translate(texts, alternatives, style=style):
        others = [{"text": one.text, "score": round(one.score, 4)} for one in found.alternatives]
        if as_json:
            row: dict[str, Any] = {"source": found.source, "text": found.text, "notes": found.notes}
            typer.echo(json.dumps(row | ({"alternatives": others} if alternatives else {}), ensure_ascii=False))
            continue
        typer.echo(found.text)
        for other in others:
            typer.echo(f"  {other['score']:7.3f}  {other['text']}")
        for note in found.notes:
            ConsoleProgress().say(f"Note: {note}.")
