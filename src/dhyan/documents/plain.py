"""Plain text: a line is a text."""

from collections.abc import Iterator

from dhyan.documents.line_reader import Source
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Unit, prose


def read_plain(source: Source, options: DocumentOptions) -> Iterator[Unit]:
    for line in source:
        yield from prose(line.raw, line.number)
