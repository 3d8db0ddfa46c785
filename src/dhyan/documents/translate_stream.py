"""Standard input → standard output: plain text, answered as it comes."""

import codecs
import io
from collections.abc import Iterator
from typing import Protocol, TextIO

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import TranslatedUnits, TranslateTexts, translate_units
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import prose

AT_ONCE = 1 << 14  # bytes: enough lines to be translated together, few enough to be waited for


class Readable(Protocol):
    """Bytes, such as `sys.stdin.buffer`."""

    def read1(self, size: int, /) -> bytes: ...


def translate_stream(
    input: Readable, output: TextIO, translate: TranslateTexts, options: DocumentOptions | None = None
) -> TranslatedUnits:
    """Translate whatever lines have come, write them, read on: a person is answered line by line, a file in batches.

    Lines that could not be translated go out as they are and are given back, with the lines that have notes. The
    caller handles a BrokenPipeError, when nobody reads the output any more.
    """
    options = options or DocumentOptions()
    told = TranslatedUnits()
    number = 1
    for lines in _whole_lines(_decoded(input)):
        units = [unit for index, line in enumerate(lines, start=number) for unit in prose(line, index)]
        done = translate_units(units, translate, options.style)
        output.write(done.content)
        output.flush()
        told.failed += done.failed
        told.lines += [line for line in done.lines if line.notes]
        number += len(lines)
    return told


def _whole_lines(pieces: Iterator[str]) -> Iterator[list[str]]:
    """The lines that are complete with each piece; at last the one that has no end."""
    begun: list[str] = []
    for piece in pieces:
        ended, newline, rest = piece.rpartition("\n")
        if newline:
            yield [line + newline for line in "".join([*begun, ended]).split(newline)]
            begun = []
        begun.append(rest)
    if last := "".join(begun):
        yield [last]


def _decoded(input: Readable) -> Iterator[str]:
    """What is there already, up to AT_ONCE, without waiting for more."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")(), translate=True)
    lines = 0
    try:
        while piece := input.read1(AT_ONCE):
            text = decoder.decode(piece)
            lines += text.count("\n")
            yield text
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        byte, line = error.object[error.start], lines + error.object.count(b"\n", 0, error.start) + 1
        raise DhyanError(
            f"Byte 0x{byte:02X} in line {line} of the input is not UTF-8 text; convert it, for instance with iconv."
        ) from None
