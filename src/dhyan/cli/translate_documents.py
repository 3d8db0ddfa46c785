"""`dhyan translate` for files, folders and pipes: where the result goes, and what is told about it."""

import codecs
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer

from dhyan.cli.console import ConsoleProgress, resumable
from dhyan.cli.flags import flag_of, given_settings
from dhyan.cli.review import Review
from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError
from dhyan.core.screen import is_terminal
from dhyan.documents.batches import TextTranslator, TranslatedUnits
from dhyan.documents.formats import check_suffix, format_for, known_format, named_format
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import Report, translate_file
from dhyan.documents.translate_folder import FolderReport, translate_folder
from dhyan.documents.translate_stream import translate_stream

if TYPE_CHECKING:
    from dhyan.translation.translator import Translator

STANDARD_OUTPUT = Path("-")
MOST_NOTES = 20  # of one file that are printed; its report has all
SOME_FAILED = 1  # exit code when a part could not be translated and was left as it was


def document_options(flags: dict[str, Any]) -> DocumentOptions:
    options = DocumentOptions(**given_settings(DocumentOptions, flags))
    if options.format is not None:
        named_format(options.format)  # a wrong name is refused before a model is loaded
    if options.style is not None:
        from dhyan.translation.register import one_of
        from dhyan.translation.translator import STYLES

        one_of("style", options.style, STYLES)
    return options


def with_languages(options: DocumentOptions, pack: str) -> DocumentOptions:
    """The languages that files name, where the user did not say: those of a pack that is called like en-hi."""
    found = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", pack)
    if found is None:
        return options
    source, target = options.source_language or found[1], options.target_language or found[2]
    return options.model_copy(update={"source_language": source, "target_language": target})


def one_path(what: Sequence[str], output: Path | None) -> Path | None:
    """The one file or folder that was named; None where texts were given, or nothing."""
    paths = [path for path in map(_path, what) if path is not None]
    if paths and len(paths) != len(what):
        raise DhyanError("texts and files together: translate the files in a command of their own.")
    if output not in (None, STANDARD_OUTPUT) and what and len(paths) != 1:
        raise DhyanError("-o takes the result of one file or folder; name just one.")
    if not paths:
        return None
    path = paths[0]
    if output is None:
        if path.is_dir():
            raise DhyanError(
                f"{path} is a folder: say with -o where its translation goes, such as -o {path.name}-translated."
            )
        format = known_format(path)
        suffix = format.written_as[0] if format and format.written_as else path.suffix
        here = "" if format and format.read is None else ", or -o - to see it here"
        raise DhyanError(
            f"{path} is a file: say with -o where its translation goes, such as "
            f"-o {path.stem}.translated{suffix}{here}."
        )
    if path.is_dir() and output == STANDARD_OUTPUT:
        raise DhyanError(f"{path} is a folder, which standard output cannot hold; name a folder with -o.")
    return path


def check_text_options(options: DocumentOptions) -> None:
    """What is said about a document makes no sense for texts on the command line."""
    given = [flag_of(name) for name in options.model_fields_set - {"style"} if getattr(options, name) is not None]
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise DhyanError(f"{', '.join(sorted(given))} {verb} for files and pipes; leave it out for texts.")


def translate_path(
    path: Path, output: Path, translator: "Translator", options: DocumentOptions, overwrite: bool, review: Review
) -> None:
    if output == STANDARD_OUTPUT:
        options = options.model_copy(update={"format": format_for(path, options).name})
        with path.open("rb") as stream:
            told = translate_stream(stream, sys.stdout, translator, options, str(path), every_line=review.wanted)
        _tell_stream(str(path), told, review)
        return
    progress = ConsoleProgress()
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    with resumable(), progress.working(str(path), sum(file.stat().st_size for file in files)) as update:

        def show(done: int, rate: float) -> None:
            update(done, rate=f"{rate:,.0f} texts/s")

        work = translate_folder if path.is_dir() else translate_file
        report = work(path, output, translator, options, show, overwrite=overwrite, every_line=review.wanted)
    for file in [report] if isinstance(report, Report) else report.translated:
        review.add_lines(file.lines, str(file.source.relative_to(path)) if path.is_dir() else "", file.place)
    if _report(report, output, progress):
        raise typer.Exit(SOME_FAILED)


def check_piped() -> None:
    if not sys.stdin or is_terminal(sys.stdin):
        raise DhyanError("there is nothing to translate: name a text or a file, or send text through a pipe.")


def translate_pipe(
    translator: TextTranslator, options: DocumentOptions, output: Path | None, overwrite: bool, review: Review
) -> None:
    """Standard input to standard output, or to a file that is put in its place when all is done."""
    source = cast("io.BufferedIOBase", sys.stdin.buffer)
    if output is None or output == STANDARD_OUTPUT:
        told = translate_stream(source, sys.stdout, translator, options, every_line=review.wanted)
        _tell_stream("", told, review)
        return
    if output.is_dir():
        raise DhyanError(f"{output} is a folder; name the file to write.")
    check_suffix(STANDARD_OUTPUT, output, named_format(options.format or "txt"))
    if output.exists() and not overwrite:
        raise DhyanError(
            f"{output} is there already; name another file, or allow it to be overwritten (--overwrite)."
        )
    with atomic_file(output) as file:
        target = cast("TextIO", codecs.getwriter("utf-8")(file))
        told = translate_stream(source, target, translator, options, every_line=review.wanted)
    _tell_stream("", told, review)


def _tell_stream(name: str, told: TranslatedUnits, review: Review) -> None:
    review.add_lines(told.lines)
    _tell(name, told, ConsoleProgress())
    if told.failed:
        raise typer.Exit(SOME_FAILED)


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


def _tell(name: str, told: Report | TranslatedUnits, progress: ConsoleProgress) -> None:
    """What is to be known about a file and its lines, one sentence per line."""
    place = told.place if isinstance(told, Report) else "line"
    where = f"{name}, {place}" if name else place
    for remark in told.remarks:
        progress.say(f"{name}: {remark}" if name else f"Note: {remark}")
    for number, message in told.failed:
        progress.complain(f"{where} {number} is left as it was: {message}")
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
        progress.complain(f"{name}: {message}")
    for name in report.outdated:
        progress.complain(f"{name} has changed since it was translated; use --overwrite to translate it again.")
    counts = f"{len(files)} files translated, {len(report.copied)} copied, {len(report.kept)} there already"
    progress.say(f"{output}: {counts}, {len(report.failed)} failed.")
    return failed + len(report.failed)
