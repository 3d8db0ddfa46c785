"""`dhyan translate`: texts, files, folders or standard input."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.flags import flag_of, given_settings, renamed_flags, with_flags
from dhyan.cli.input_texts import BATCH, STANDARD_INPUT, batches, numbered_texts
from dhyan.cli.open_model import open_translator
from dhyan.cli.options import AsJson, Compute, Device, File, Model, Threads, generation_settings
from dhyan.core.errors import DhyanError
from dhyan.core.screen import is_terminal
from dhyan.documents.options import DocumentOptions
from dhyan.model.generation.settings import GenerationSettings
from dhyan.text.romanise import Scheme, romanise

if TYPE_CHECKING:
    from dhyan.translation.translator import Translator

SEARCH = ["beam"]
STANDARD_OUTPUT = Path("-")
NOTED = 3  # exit code of --strict


@renamed_flags(RENAMED)
@with_flags(GenerationSettings, only=SEARCH)
@with_flags(DocumentOptions, without=["made_by", "kept_elements"])
def translate(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT|FILE|FOLDER...", help="- for standard input; without any: a pipe, or at a terminal a prompt"
        ),
    ] = None,
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="where to write the translated file or folder; - for the screen"),
    ] = None,
    model: Model = None,
    glossary: Annotated[
        Path | None, typer.Option("--glossary", help="TSV: term and translation, or a term alone to keep it")
    ] = None,
    alternatives: Annotated[
        int,
        typer.Option(
            "--alternatives",
            min=0,
            max=32,
            help="other translations to add, the best first, with their log-probability per token",
        ),
    ] = 0,
    formality: Annotated[
        str, typer.Option("--formality", metavar="auto|formal|informal", help="how the reader is addressed: आप, तुम")
    ] = "auto",
    gender: Annotated[
        str | None, typer.Option("--gender", metavar="feminine|masculine", help="of the speaker: मैं आई, मैं आया")
    ] = None,
    roman: Annotated[
        str | None, typer.Option("--roman", metavar="plain|iso", help="in Latin letters: as spoken, or ISO 15919")
    ] = None,
    side_by_side: Annotated[
        Path | None,
        typer.Option("--side-by-side", metavar="FILE", help="for reviewing: .html or .md, the least sure first"),
    ] = None,
    keep_order: Annotated[bool, typer.Option("--keep-order", help="--side-by-side in the order of the text")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit code 3 if a note says that something may be wrong")
    ] = False,
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
        not_for_it |= {"--formality": formality != "auto", "--gender": gender is not None}
        not_for_it |= {"--roman": roman is not None, "--side-by-side": side_by_side is not None}
        not_for_it["--strict"] = strict
        not_for_it["--compute"] = compute != "int8"
        settings = given_settings(GenerationSettings, search)
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("translate", [*(what or []), file], model, device, threads, settings, not_for_it, glossary)
        return
    from dhyan.cli.review import Review
    from dhyan.cli.shown_texts import ShownTexts
    from dhyan.cli.translate_documents import (
        check_piped,
        check_text_options,
        document_options,
        one_path,
        translate_path,
        translate_pipe,
        with_languages,
    )

    options = document_options(flags)
    what, asked_for_input = what or [], what == ["-"] or file == STANDARD_INPUT
    if what and file is not None:
        raise DhyanError("give the texts or --file FILE, not both.")
    if "-" in what and len(what) > 1:
        raise DhyanError("- is standard input: translate it in a command of its own.")
    if what == ["-"]:
        what = []
    path = one_path(what, output)
    by_line = not what and (as_json or alternatives > 0 or file is not None)  # texts, one per line
    if path and (as_json or alternatives):
        raise DhyanError("--json and --alternatives are for texts; leave them out for files.")
    if (what and not path) or by_line:
        check_text_options(options)
        if output not in (None, STANDARD_OUTPUT):
            raise DhyanError("-o takes the result of a file, a folder or a pipe; send texts to a file with >.")
    if roman is not None:
        romanise("", cast("Scheme", roman))  # a wrong name is refused before a model is loaded
        if path:
            raise DhyanError("--roman is for texts and pipes; leave it out for files.")
    review = Review.at(side_by_side, keep_order, overwrite)

    def open_model(name: str | None) -> "Translator":
        translator = open_translator(name, device, threads, compute)
        translator.glossary = glossary
        translator.formality = formality
        translator.gender = gender
        translator.decoding = generation_settings(translator.pack, **search)
        return translator

    if not what and file is None and not asked_for_input:
        with_files = output or review.wanted or strict or as_json or options.model_fields_set
        if not with_files and is_terminal(sys.stdin) and is_terminal(sys.stdout):
            from dhyan.cli.prompt import Prompt

            Prompt(open_model, model, alternatives, roman).run()
            return
        check_piped()
    translator = open_model(model)
    options = with_languages(options, translator.pack.manifest.name)
    shown = ShownTexts(translator, options.style, alternatives, as_json, roman, review)
    with review.written(str(path or file or ("texts" if what else "standard input"))):
        if path and output:
            options = options.model_copy(update={"made_by": _made_by(translator, glossary)})
            translate_path(path, output, translator, options, overwrite, review)
        elif what:
            shown.show(what)
        elif by_line:
            # A pipe may wait for the answer to a line before it sends the next one.
            at_once = 1 if file in (None, STANDARD_INPUT) else BATCH
            for rows in batches(numbered_texts(file), at_once):
                shown.show([text for _, text in rows], rows[0][0])
        else:
            translate_pipe(shown.romanised, options, output, overwrite, review)
    if strict and review.noted:
        raise typer.Exit(NOTED)


def _made_by(translator: "Translator", glossary: Path | None) -> str:
    """What the result depends on besides the document: work begun with something else is not continued."""
    from dhyan.engines.converted_cache import pack_digest

    terms = glossary.read_bytes() if glossary is not None else b""
    engine = f"{translator.engine.compute} {translator.engine.device}"
    register = f"{translator.formality} {translator.gender}"
    return f"{pack_digest(translator.pack)} {engine} {translator.decoding.model_dump_json()} {register} {terms!r}"
