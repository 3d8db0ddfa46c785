"""Which reader a file needs: its format was given, or its suffix says so."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, get_args

from dhyan.core.errors import DhyanError
from dhyan.core.resumable_file import Assemble
from dhyan.documents.delimited import read_csv, read_tsv
from dhyan.documents.html import read_html
from dhyan.documents.jsonl import read_jsonl
from dhyan.documents.line_reader import LineReader
from dhyan.documents.markdown import read_markdown
from dhyan.documents.options import DocumentOptions, Format
from dhyan.documents.po import read_po
from dhyan.documents.subtitles import read_subtitles
from dhyan.documents.units import Fixed, Unit, prose


def read_plain(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    """Plain text: each line is a text."""
    for line in source:
        yield from prose(line.raw, line.number)


class Document(Protocol):
    """A file that is being read."""

    @property
    def bytes_read(self) -> int: ...

    @property
    def assemble(self) -> Assemble | None:
        """What makes the target out of the translated units; None where they are the target."""

    def units(self) -> Iterator[Unit]: ...


Reader = Callable[[LineReader, DocumentOptions], Iterator[Unit]]

_READERS: dict[Format, Reader] = {
    "txt": read_plain,
    "md": read_markdown,
    "html": read_html,
    "srt": read_subtitles,
    "vtt": read_subtitles,
    "csv": read_csv,
    "tsv": read_tsv,
    "jsonl": read_jsonl,
    "po": read_po,
}
FORMATS: tuple[Format, ...] = get_args(Format)
_OTHER_SUFFIXES: dict[str, Format] = {"markdown": "md", "htm": "html", "ndjson": "jsonl", "pot": "po"}


def known_format(file: Path) -> Format | None:
    """The format that a file's suffix stands for."""
    suffix = file.suffix.lower().removeprefix(".")
    return next((name for name in FORMATS if name == suffix), _OTHER_SUFFIXES.get(suffix))


def format_for(file: Path, options: DocumentOptions) -> Format:
    found = options.format or known_format(file)
    if found is None:
        what = f"the suffix {file.suffix} is not known" if file.suffix else "without a suffix its format is not known"
        raise DhyanError(f"{file}: {what}; say with --format which one it is: {', '.join(FORMATS)}.")
    return found


def read_units(source: LineReader, format: Format, options: DocumentOptions) -> Iterator[Unit]:
    """The units of a document, one after the other, as they are needed."""
    if source.byte_order_mark:
        yield Fixed(source.byte_order_mark)
    yield from _READERS[format](source, options)


class _LinesDocument:
    """A text file: its units, one after the other, are the file."""

    assemble = None

    def __init__(self, source: LineReader, format: Format, options: DocumentOptions) -> None:
        self._source, self._format, self._options = source, format, options

    @property
    def bytes_read(self) -> int:
        return self._source.bytes_read

    def units(self) -> Iterator[Unit]:
        return read_units(self._source, self._format, self._options)


def open_document(source: Path, stream: BinaryIO, format: Format, options: DocumentOptions) -> Document:
    return _LinesDocument(LineReader(str(source), stream), format, options)
