"""Which reader a file needs: its format was given, or its suffix says so."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.resumable_file import Assemble
from dhyan.documents.android_strings import read_android
from dhyan.documents.apple_strings import read_strings
from dhyan.documents.delimited import read_csv, read_tsv
from dhyan.documents.html import read_html
from dhyan.documents.json_file import read_arb, read_json
from dhyan.documents.jsonl import read_jsonl
from dhyan.documents.line_reader import LineReader
from dhyan.documents.markdown import read_markdown
from dhyan.documents.options import DocumentOptions
from dhyan.documents.other_formats import way_for
from dhyan.documents.pdf.pdf_document import PdfDocument
from dhyan.documents.plain_text import read_plain
from dhyan.documents.po import read_po
from dhyan.documents.properties import read_properties
from dhyan.documents.rst import read_rst
from dhyan.documents.string_catalog import read_string_catalog
from dhyan.documents.stringsdict import read_stringsdict
from dhyan.documents.substation import read_substation
from dhyan.documents.subtitles import read_subtitles
from dhyan.documents.units import Fixed, Unit
from dhyan.documents.xliff import read_xliff
from dhyan.documents.yaml_file import read_yaml
from dhyan.documents.zipped.container import opens
from dhyan.documents.zipped.epub import find_epub_parts
from dhyan.documents.zipped.open_document import find_open_document_parts
from dhyan.documents.zipped.open_packaging import find_office_parts


class Document(Protocol):
    """A file that is being read."""

    @property
    def bytes_read(self) -> int: ...

    @property
    def assemble(self) -> Assemble | None:
        """What makes the target out of the translated units; None where they are the target."""

    def units(self) -> Iterator[Unit]: ...


Reader = Callable[[LineReader, DocumentOptions], Iterator[Unit]]
OpenDocument = Callable[[Path, BinaryIO, DocumentOptions], Document]


@dataclass(frozen=True, slots=True)
class Format:
    """One format of documents: who reads it, which suffixes it has, and in which style its texts are translated.

    Text is read line by line; a file that is made of parts, such as a zipped one, is opened as a whole.
    """

    name: str
    read: Reader | None
    other_suffixes: tuple[str, ...] = ()
    style: str | None = None
    open: OpenDocument | None = None
    place: str = "line"  # what its texts are counted by, for messages
    written_as: tuple[str, ...] | None = None  # suffixes; None: as any for text, as the source for other files


FORMATS = {
    format.name: format
    for format in (
        Format("txt", read_plain, ("text",)),
        Format("md", read_markdown, ("markdown", "mdx")),
        Format("html", read_html, ("htm",)),
        Format("rst", read_rst, ("rest",)),
        Format("srt", read_subtitles),
        Format("vtt", read_subtitles),
        Format("ass", read_substation, ("ssa",)),
        Format("csv", read_csv),
        Format("tsv", read_tsv),
        Format("jsonl", read_jsonl, ("ndjson",)),
        Format("po", read_po, ("pot",), style="ui"),
        Format("json", read_json, style="ui"),
        Format("arb", read_arb, style="ui"),
        Format("yaml", read_yaml, ("yml",), style="ui"),
        Format("xliff", read_xliff, ("xlf",), style="ui"),
        Format("android", read_android, style="ui"),
        Format("strings", read_strings, style="ui"),
        Format("stringsdict", read_stringsdict, style="ui"),
        Format("xcstrings", read_string_catalog, style="ui"),
        Format("properties", read_properties, style="ui"),
        Format("docx", None, ("docm", "dotx", "dotm"), open=opens(find_office_parts), place="paragraph"),
        Format(
            "pptx", None, ("pptm", "potx", "potm", "ppsx", "ppsm"), open=opens(find_office_parts), place="paragraph"
        ),
        Format("xlsx", None, ("xlsm", "xltx", "xltm"), open=opens(find_office_parts), place="paragraph"),
        Format("odt", None, ("ott",), open=opens(find_open_document_parts), place="paragraph"),
        Format("odp", None, ("otp",), open=opens(find_open_document_parts), place="paragraph"),
        Format("ods", None, ("ots",), open=opens(find_open_document_parts), place="paragraph"),
        Format("epub", None, open=opens(find_epub_parts), place="paragraph"),
        Format("pdf", None, open=PdfDocument, written_as=(".md", ".markdown")),
    )
}
TEXT_FORMATS = tuple(name for name, format in FORMATS.items() if format.read is not None)
_SUFFIXES = {suffix: one for one in FORMATS.values() for suffix in (one.name, *one.other_suffixes)}


def known_format(file: Path) -> Format | None:
    """The format that a file's suffix stands for."""
    if file.suffix == ".xml" and (file.stem.startswith("strings") or file.parent.name.startswith("values")):
        return FORMATS["android"]
    return _SUFFIXES.get(file.suffix.lower().removeprefix("."))


def named_format(name: str) -> Format:
    if name in FORMATS:
        return FORMATS[name]
    raise DhyanError(f"--format {name} is not one of {', '.join(FORMATS)}{did_you_mean(name, FORMATS)}.")


def format_for(file: Path, options: DocumentOptions) -> Format:
    if options.format is not None:
        return named_format(options.format)
    found = known_format(file)
    if found is None and (way := way_for(file)) is not None:
        raise DhyanError(f"{file}: {file.suffix} is not supported; {way}.")
    if found is None:
        what = f"the suffix {file.suffix} is not known" if file.suffix else "without a suffix its format is not known"
        raise DhyanError(f"{file}: {what}; say with --format which one it is: {', '.join(FORMATS)}.")
    return found


def check_suffix(source: Path, target: Path, format: Format) -> None:
    """A zip that is called .txt, a macro file without its name, or text that is called .docx: no program opens it."""
    wanted = format.written_as or ((source.suffix,) if format.open is not None else ())
    if wanted and target.suffix.lower() not in {suffix.lower() for suffix in wanted}:
        raise DhyanError(f"{source} is written as {wanted[0] or 'a file without a suffix'}: name the target so.")
    other = known_format(target)
    if not wanted and other is not None and other.read is None:
        raise DhyanError(f"{target}: text is no .{other.name} file; name the target with the suffix .{format.name}.")


def read_units(source: LineReader, format: Format, options: DocumentOptions) -> Iterator[Unit]:
    """The units of a document of text, one after the other, as they are needed."""
    if format.read is None:
        raise DhyanError(
            f"{source.name}: a .{format.name} file is not read from a pipe or written to one; name files, with -o."
        )
    if source.byte_order_mark:
        yield Fixed(source.byte_order_mark)
    yield from format.read(source, options)


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
    if format.open is not None:
        return format.open(source, stream, options)
    return _LinesDocument(LineReader(str(source), stream), format, options)
