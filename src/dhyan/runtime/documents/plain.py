"""Plain text: a line is a text."""

from collections.abc import Iterator

from dhyan.runtime.documents.options import DocumentOptions
from dhyan.runtime.documents.source import Source
from dhyan.runtime.documents.units import Unit, prose


def read_plain(source: Source, options: DocumentOptions) -> Iterator[Unit]:
    for line in source:
        yield from prose(line.raw, line.number)
