"""The texts that a command is given: on the command line, in a file, or through a pipe.

An empty or blank text has no meaning to compute. Where results stand line by line (`classify`, `embed`) it keeps its
line and gets none; where texts are compared (`similar`, `cluster`) it is left out. Either way a note says so. A blank
line of a table or a `.jsonl` file is not a row.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from dhyan.cli.console import ConsoleProgress
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.data.corpus import read_lines

STANDARD_INPUT = Path("-")
BATCH = 512  # texts read, run and written at a time: enough to sort by length, little to hold

Item = TypeVar("Item")


def given_texts(texts: Sequence[str] | None, file: Path | None) -> Iterator[str]:
    """The texts of the command line, of a file or of standard input, blank ones too; at least one is not."""
    if texts and file is not None:
        raise DhyanError("give the texts or --file FILE, not both.")
    rows = _not_all_blank(enumerate(texts, start=1), "the command line") if texts else numbered_texts(file)
    return (text for _, text in rows)


def numbered_texts(file: Path | None) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of standard input where no file is named (or `-` is), with their numbers."""
    if file is None or file == STANDARD_INPUT:
        return _not_all_blank(_standard_input(asked_for=file is not None), "standard input")
    return _not_all_blank(((row.line, row.columns[0]) for row in read_lines([file])), str(file))


def filled(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The rows that are not blank; a note at the end counts those that are."""
    blank = 0
    for line, text in rows:
        if text.strip():
            yield line, text
        else:
            blank += 1
    note_blanks(blank, "left out")


def note_blanks(count: int, what_became: str) -> None:
    if count:
        ConsoleProgress().say(f"Note: {count:,} empty {'text' if count == 1 else 'texts'}, {what_became}.")


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[list[Item]]:
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def progress_of(what: str, total: int = 0, printing: bool = False) -> AbstractContextManager[ProgressUpdate]:
    """ProgressUpdate on the error stream; none where results are being printed on the same screen."""
    progress = Progress() if printing and sys.stdout.isatty() else ConsoleProgress()
    return progress.working(what, total)


def check_output(flag: str, path: Path, suffixes: Sequence[str]) -> None:
    """Refuse at once what could not be written after long work."""
    if path.suffix.lower() not in suffixes:
        hint = did_you_mean(path.suffix, suffixes) if path.suffix else ""
        raise DhyanError(f"{flag} {path}: the name must end in {' or '.join(suffixes)}{hint}.")
    if path.is_dir() or not path.parent.is_dir():
        raise DhyanError(f"{flag} {path}: name a file in a folder that is there.")
    if path.exists():
        raise DhyanError(f"{flag} {path}: the file is there already and is left as it is; choose another name.")
    if not os.access(path.parent, os.W_OK):
        raise DhyanError(f"{flag} {path}: {path.parent} may not be written to; choose another folder.")


def one_line(text: str) -> str:
    return " ".join(text.split())


def _standard_input(asked_for: bool) -> Iterator[tuple[int, str]]:
    if sys.stdin is None or (sys.stdin.isatty() and not asked_for):
        raise DhyanError("there are no texts: name them, or a file of them, or send them through a pipe; see --help.")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise DhyanError(f"standard input, line {number} is not UTF-8 text; convert it with iconv.") from None
        yield number, text.removesuffix("\n").removesuffix("\r")


def _not_all_blank(rows: Iterator[tuple[int, str]], where: str) -> Iterator[tuple[int, str]]:
    """The same rows, once one of them is found to hold text: an error comes before any result."""
    blank: list[tuple[int, str]] = []
    for row in rows:
        if row[1].strip():
            return chain(blank, [row], rows)
        blank.append(row)
    raise DhyanError(f"there is no text in {where}; give at least one.")
