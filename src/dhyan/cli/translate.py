"""`dhyan translate`: texts, files, folders or standard input."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dhyan.cli.bulk import COLUMN, RENAMED, SHARD_SIZE, BulkRun, Column, Executor, ShardSize, Workers
from dhyan.cli.console import ConsoleProgress, resumable
from dhyan.cli.flags import given_settings, renamed_flags, with_flags
from dhyan.cli.input_texts import numbered_texts
from dhyan.cli.open_model import open_translator
from dhyan.cli.options import AsJson, Compute, Device, Model, Threads, generation_settings
from dhyan.core.errors import DhyanError
from dhyan.documents.batches import TranslatedUnits
from dhyan.documents.formats import known_format
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import Report, translate_file
from dhyan.documents.translate_folder import FolderReport, translate_folder
from dhyan.documents.translate_stream import Readable, translate_stream
from dhyan.model.generation.settings import GenerationSettings

if TYPE_CHECKING:
    from dhyan.translation.translator import Translator

MOST_NOTES = 20  # of one file that are printed; its report has all
SOME_FAILED = 1  # exit code when a part could not be translated and was left as it was


@renamed_flags(RENAMED)
@with_flags(GenerationSettings, only=["beam"])
def translate(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT|FILE|FOLDER]...", help="without any: standard input")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="where to write the translated file or folder")
    ] = None,
    model: Model = None,
    glossary: Annotated[
        Path | None, typer.Option("--glossary", help="TSV: term and translation, or a term alone to keep it")
    ] = None,
    alternatives: Annotated[
        int, typer.Option("--alternatives", min=0, max=32, help="alternative translations to add")
    ] = 0,
    format: Annotated[
        str | None, typer.Option("--format", help="the file's format, if its name does not tell")
    ] = None,
    columns: Annotated[str | None, typer.Option("--columns", help="csv, tsv: columns to translate, a,b,…")] = None,
    keys: Annotated[str | None, typer.Option("--keys", help="jsonl: keys to translate, a,b,…")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace an existing output")] = False,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: AsJson = False,
    executor: Executor = None,
    column: Column = COLUMN,
    workers: Workers = 0,
    shard_size: ShardSize = SHARD_SIZE,
    **search: Any,
) -> None:
    if executor is not None:
        not_for_it = {"--json": as_json, "--alternatives": alternatives, "--format": format, "--columns": columns}
        not_for_it |= {"--keys": keys, "--overwrite": overwrite, "--compute": compute != "int8"}
        settings = given_settings(GenerationSettings, search)
        how = BulkRun(executor, output, column, workers, shard_size)
        how.run("translate", what or [], model, device, threads, settings, not_for_it, glossary)
        return
    options = _options(format, columns, keys)
    path = _one_path(what or [], output)
    if path and (as_json or alternatives):
        raise DhyanError("--json and --alternatives are for texts; leave them out for files.")
    if not path and (format or columns or keys):
        raise DhyanError("--format, --columns and --keys are for files; leave them out for texts.")
    translator = open_translator(model, device, threads, compute)
    translator.glossary = glossary
    translator.decoding = generation_settings(translator.pack, **search)
    if path and output:
        options = options.model_copy(update={"made_by": _made_by(translator, glossary)})
        _translate_path(path, output, translator, options, overwrite)
    elif what:
        _translate_texts(what, translator, alternatives, as_json)
    else:
        _translate_pipe(translator, alternatives, as_json)


def _one_path(what: Sequence[str], output: Path | None) -> Path | None:
    """The one file or folder that was named; None where texts were given, or nothing."""
    paths = [path for path in map(_path, what) if path is not None]
    if paths and len(paths) != len(what):
        raise DhyanError("texts and files together: translate the files in a command of their own.")
    if output is not None and len(paths) != 1:
        raise DhyanError("-o takes the result of one file or folder; name just one.")
    if not paths:
        return None
    if output is None:
        kind = "folder" if paths[0].is_dir() else "file"
        raise DhyanError(f"{paths[0]} is a {kind}: say where its translation goes, with -o.")
    return paths[0]


def _made_by(translator: "Translator", glossary: Path | None) -> str:
    """What the result depends on besides the document: work begun with something else is not continued."""
    from dhyan.engines.converted_cache import pack_digest

    terms = glossary.read_bytes() if glossary is not None else b""
    engine = f"{translator.engine.compute} {translator.engine.device}"
    return f"{pack_digest(translator.pack)} {engine} {translator.decoding.model_dump_json()} {terms!r}"


def _path(text: str) -> Path | None:
    """The file or folder that an argument names; None for a text. A name of a file that is not there is refused."""
    if not text.strip() or "\n" in text or "\0" in text:
        return None
    path = Path(text)
    try:
        if path.exists():
            return path
    except OSError:  # longer than any name of a file
        return None
    if " " not in text and known_format(path):
        raise DhyanError(f"{text}: there is no such file; check the path.")
    return None


def _options(format: str | None, columns: str | None, keys: str | None) -> DocumentOptions:
    given: dict[str, Any] = {"format": format}
    for name, listed in (("columns", columns), ("keys", keys)):
        if listed is not None:
            given[name] = tuple(part.strip() for part in listed.split(",") if part.strip())
    return DocumentOptions.checked(given, "command line")


def _translate_texts(texts: Sequence[str], translator: "Translator", alternatives: int, as_json: bool) -> None:
    for found in translator.translate(texts, alternatives):
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


def _translate_pipe(translator: "Translator", alternatives: int, as_json: bool) -> None:
    if sys.stdin is None or sys.stdin.isatty():
        raise DhyanError("there is nothing to translate: name a text or a file, or send text through a pipe.")
    if as_json or alternatives:
        for _, line in numbered_texts(None):
            _translate_texts([line], translator, alternatives, as_json)
        return
    told = translate_stream(cast("Readable", sys.stdin.buffer), sys.stdout, translator)
    _tell("", told, ConsoleProgress())
    if told.failed:
        raise typer.Exit(SOME_FAILED)


def _translate_path(
    path: Path, output: Path, translator: "Translator", options: DocumentOptions, overwrite: bool
) -> None:
    progress = ConsoleProgress()
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    with resumable(), progress.working(str(path), sum(file.stat().st_size for file in files)) as update:

        def show(done: int, rate: float) -> None:
            update(done, rate=f"{rate:,.0f} texts/s")

        work = translate_folder if path.is_dir() else translate_file
        report = work(path, output, translator, options, show, overwrite=overwrite)
    if _report(report, output, progress):
        raise typer.Exit(SOME_FAILED)


def _tell(name: str, told: Report | TranslatedUnits, progress: ConsoleProgress) -> None:
    """What is to be known about a file and its lines, one sentence per line."""
    where = f"{name}, line" if name else "line"
    for remark in told.remarks:
        progress.say(f"{name}: {remark}" if name else f"Note: {remark}")
    for number, message in told.failed:
        progress.say(f"{where} {number} is left as it was: {message}")
    noted = [(line.line, note) for line in told.lines for note in line.notes]
    for number, note in noted[:MOST_NOTES]:
        progress.say(f"Note: {where} {number}: {note}.")
    if len(noted) > MOST_NOTES:
        progress.say(f"Note: and {len(noted) - MOST_NOTES:,} more like these.")


def _report(report: Report | FolderReport, output: Path, progress: ConsoleProgress) -> int:
    """Say what was done; returns how many texts or files could not be translated."""
    files = [report] if isinstance(report, Report) else report.translated
    for file in files:
        _tell(str(file.source), file, progress)
    failed = sum(len(file.failed) for file in files)
    if isinstance(report, Report):
        resumed = f" ({report.resumed:,} of them in an earlier run)" if report.resumed else ""
        progress.say(f"{output}: {report.texts:,} texts{resumed} in {report.seconds:.1f} s.")
        return failed
    for name, message in report.failed:
        progress.say(f"{name}: {message}")
    for name in report.outdated:
        progress.say(f"{name} has changed since it was translated; use --overwrite to translate it again.")
    counts = f"{len(files)} files translated, {len(report.copied)} copied, {len(report.kept)} there already"
    progress.say(f"{output}: {counts}, {len(report.failed)} failed.")
    return failed + len(report.failed)
