"""A folder → its mirror: known documents are translated, everything else is copied."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import TranslateTexts
from dhyan.documents.formats import known_format
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import BATCH_TEXTS, Progress, Report, translate_file


@dataclass(slots=True)
class FolderReport:
    """What became of each file; the paths are relative to the folder."""

    translated: list[Report] = field(default_factory=list)
    copied: list[Path] = field(default_factory=list)  # not a format that is known
    kept: list[Path] = field(default_factory=list)  # was there already, from an earlier run perhaps
    outdated: list[Path] = field(default_factory=list)  # kept too, but the source has changed since
    skipped: list[Path] = field(default_factory=list)  # hidden folders, links to folders, sockets and the like
    failed: list[tuple[Path, str]] = field(default_factory=list)


def translate_folder(
    source: Path,
    target: Path,
    translate: TranslateTexts,
    options: DocumentOptions | None = None,
    progress: Progress | None = None,
    *,
    overwrite: bool = False,
    batch: int = BATCH_TEXTS,
    every_line: bool = False,
) -> FolderReport:
    """Translate all the documents in a folder. A file that cannot be read is reported, and the others go on.

    Called again after an interruption, it leaves the finished files as they are and goes on with the one it
    was at. `progress` counts the bytes of all the files.
    """
    options = options or DocumentOptions()
    _check(source, target, options)
    report = FolderReport()
    done = 0
    for file, size in list(_files(source, report)):
        relative = file.relative_to(source)
        format = known_format(file)
        output = target / relative
        if format and format.written_as:  # in another format: beside what may have its name
            output = output.with_name(output.name + format.written_as[0])
        try:
            _make_folder(output.parent)
            if output.exists() and not overwrite:
                older = output.stat().st_mtime_ns < file.stat().st_mtime_ns
                (report.outdated if older else report.kept).append(relative)
            elif format:
                how: dict[str, Any] = {"overwrite": overwrite, "batch": batch, "every_line": every_line}
                one = translate_file(file, output, translate, options, _shifted(progress, done), **how)
                report.translated.append(one)
            else:
                _copy(file, output)
                report.copied.append(relative)
        except DhyanError as error:
            report.failed.append((relative, str(error)))
        except OSError as error:
            report.failed.append((relative, f"{file} cannot be copied ({error.strerror}); check its permissions."))
        done += size
    return report


def _check(source: Path, target: Path, options: DocumentOptions) -> None:
    if not source.is_dir():
        raise DhyanError(f"{source} is not a folder; name a folder, or translate it as a file.")
    if target.exists() and not target.is_dir():
        raise DhyanError(f"{target} is a file; name a folder to write to.")
    here, there = source.resolve(), target.resolve()
    if here.is_relative_to(there) or there.is_relative_to(here):
        raise DhyanError(f"{source} and {target} must not lie inside each other; choose another folder to write to.")
    if options.format:
        raise DhyanError("--format is for a single file; in a folder the suffix of each file says its format.")


def _files(source: Path, report: FolderReport) -> Iterator[tuple[Path, int]]:
    """Every file to look at, in a steady order, and its size."""
    for name, folders, files in os.walk(source):
        here = Path(name)
        left_out = [folder for folder in folders if folder.startswith(".") or (here / folder).is_symlink()]
        report.skipped += [(here / folder).relative_to(source) for folder in sorted(left_out)]
        folders[:] = sorted(set(folders) - set(left_out))  # os.walk goes on with these
        for file in sorted(files):
            path = here / file
            if path.is_file():
                yield path, path.stat().st_size
            else:
                report.skipped.append(path.relative_to(source))


def _shifted(progress: Progress | None, before: int) -> Progress | None:
    return progress and (lambda done, speed: progress(before + done, speed))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DhyanError(f"{folder} cannot be made ({error.strerror}); choose another folder to write to.") from None


def _copy(file: Path, output: Path) -> None:
    part = output.with_name(f".{output.name}.part")
    shutil.copyfile(file, part)
    part.replace(output)
