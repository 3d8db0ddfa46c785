"""One file → its translation, written aside and swapped in; an interrupted run is taken up by the next."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.core.resumable_file import ResumableFile
from dhyan.documents.batches import (
    Failed,
    TranslatedLine,
    TranslatedUnits,
    TranslateTexts,
    in_batches,
    translate_units,
)
from dhyan.documents.formats import Format, check_suffix, format_for, open_document
from dhyan.documents.options import DocumentOptions

Progress = Callable[[int, float], None]  # progress(bytes of the source that are done, texts per second)

BATCH_TEXTS = 512  # the more, the more sentences of one length go through the model together


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a file. `texts` counts all its texts, `resumed` those that an earlier run had done.

    `lines` are the texts whose translation has notes; or all of them, if `every_line` was asked for.
    """

    source: Path
    target: Path
    format: str
    texts: int
    resumed: int
    failed: list[Failed]
    seconds: float
    lines: list[TranslatedLine] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # about the file as a whole
    place: str = "line"  # what `line` counts: lines, or paragraphs


def translate_file(
    source: Path,
    target: Path,
    translate: TranslateTexts,
    options: DocumentOptions | None = None,
    progress: Progress | None = None,
    *,
    overwrite: bool = False,
    batch: int = BATCH_TEXTS,
    every_line: bool = False,
) -> Report:
    """Translate a file; whatever in it is not prose comes out as it was.

    A text that cannot be translated stays as it is and is listed in the report. If the work is cut short, the
    same call goes on where it stopped, as long as the source and the options are the same.
    """
    options = _with_languages(options or DocumentOptions(), translate)
    format = format_for(source, options)
    began = time.monotonic()
    with _readable(source), source.open("rb") as stream, _writable(target):
        _check_target(source, target, overwrite)
        check_suffix(source, target, format)
        before = os.fstat(stream.fileno())
        with ResumableFile(target, _fingerprint(source, before, format, options, every_line)) as work:
            resumed = work.counts["texts"]
            document = open_document(source, stream, format, options)
            units = document.units()
            # What an earlier run has done is read again, which is quick, but not translated again.
            skipped = sum(1 for _ in islice(units, work.counts["units"]))
            if skipped < work.counts["units"]:
                raise DhyanError(f"{source} changed while it was being translated; run the command again.")
            work_on = partial(translate_units, translate=translate, style=options.style or format.style)
            # map, unlike a loop over batches, holds no batch while the next one is read.
            for done in map(work_on, in_batches(units, batch)):
                counts = {"units": done.units, "texts": done.texts}
                work.add(done.content.encode("utf-8"), _notes(done, every_line), **counts)
                if progress:
                    speed = (work.counts["texts"] - resumed) / max(time.monotonic() - began, 1e-9)
                    progress(document.bytes_read, speed)
            if _identity(source.stat()) != _identity(before):
                raise DhyanError(f"{source} changed while it was being translated; run the command again.")
            if target.exists() and not overwrite:
                raise _exists(target)
            work.finish(document.assemble)
    return _report(source, target, format, work, resumed, time.monotonic() - began)


def _with_languages(options: DocumentOptions, translate: TranslateTexts) -> DocumentOptions:
    """For the marks of the language in a document: a translator knows its own."""
    languages = getattr(translate, "languages", None)
    if languages is None or options.target_language is not None:
        return options
    return options.model_copy(update={"source_language": languages[0], "target_language": languages[1]})


def _notes(done: TranslatedUnits, every_line: bool) -> list[tuple[str, Any]]:
    """What the journal keeps of a batch, so that a run which is taken up again can tell it."""
    lines = [line for line in done.lines if line.notes or every_line]
    return [
        *(("remark", remark) for remark in done.remarks),
        *(("failed", failed) for failed in done.failed),
        *(("line", line) for line in lines),
    ]


def _report(source: Path, target: Path, format: Format, work: ResumableFile, resumed: int, seconds: float) -> Report:
    def kept(kind: str) -> list[Any]:
        return [note for told, note in work.notes if told == kind]

    lines = [TranslatedLine(line, text, said, tuple(notes), sure) for line, text, said, notes, sure in kept("line")]
    failed = [Failed(*one) for one in kept("failed")]
    texts = work.counts["texts"]
    return Report(source, target, format.name, texts, resumed, failed, seconds, lines, kept("remark"), format.place)


def _fingerprint(
    source: Path, state: os.stat_result, format: Format, options: DocumentOptions, every_line: bool
) -> dict[str, Any]:
    """Everything the output depends on; when any of it has changed, earlier work is discarded."""
    return {
        "source": str(source.resolve()),
        "state": _identity(state),
        "format": format.name,
        "every line": every_line,
        "options": options.model_dump(),
        "dhyan": __version__,
    }


def _identity(state: os.stat_result) -> list[int]:
    return [state.st_size, state.st_mtime_ns]


@contextmanager
def _readable(source: Path) -> Iterator[None]:
    if source.is_dir():
        raise DhyanError(f"{source} is a folder; name a file in it.")
    try:
        yield
    except FileNotFoundError:
        raise DhyanError(f"{source}: there is no such file; check the spelling of the path.") from None
    except OSError as error:
        raise DhyanError(f"{source} cannot be read ({error.strerror}); check the file and its permissions.") from None


@contextmanager
def _writable(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DhyanError(
            f"{target} cannot be written ({error.strerror}); free some space or choose another folder, then run the "
            "command again."
        ) from None


def _check_target(source: Path, target: Path, overwrite: bool) -> None:
    if target.is_dir():
        raise DhyanError(f"{target} is a folder; name the file to write.")
    if target.resolve() == source.resolve() or (target.exists() and target.samefile(source)):
        raise DhyanError(f"{target} is the source itself; name another file to write.")
    if target.exists() and not target.is_file():
        raise DhyanError(f"{target} is not an ordinary file; name another one to write.")
    if target.exists() and not overwrite:
        raise _exists(target)
    if not target.parent.is_dir():
        raise DhyanError(f"{target} cannot be written: there is no folder {target.parent}; make it first.")


def _exists(target: Path) -> DhyanError:
    return DhyanError(f"{target} is there already; name another file, or allow it to be overwritten (--overwrite).")
