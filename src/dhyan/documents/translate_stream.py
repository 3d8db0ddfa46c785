"""Standard input → standard output: plain text answered as it comes, any other format of text in batches."""

import codecs
import io
import select
from collections.abc import Iterator
from typing import TextIO

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import TranslatedUnits, TranslateTexts, in_batches, translate_units
from dhyan.documents.formats import FORMATS, Format, named_format, read_units
from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.plain_text import Paragraphs
from dhyan.documents.units import Unit

AT_ONCE = 1 << 14  # bytes: enough lines to be translated together, few enough to be waited for
BATCH_TEXTS = 256  # of a format that is not plain text
WAIT = 0.2  # seconds for the rest of a paragraph: a program sends it at once, a person does not
STANDARD_INPUT = "standard input"


def translate_stream(
    input: io.BufferedIOBase,
    output: TextIO,
    translate: TranslateTexts,
    options: DocumentOptions | None = None,
    name: str = STANDARD_INPUT,
    *,
    every_line: bool = False,
) -> TranslatedUnits:
    """Translate what comes, write it, read on: a person is answered line by line, a file in batches.

    Texts that could not be translated go out as they are and are given back, with the lines that have notes, or with
    all of them (every_line). The caller handles a BrokenPipeError, when nobody reads the output any more.
    """
    options = options or DocumentOptions()
    format = named_format(options.format) if options.format is not None else FORMATS["txt"]
    told = TranslatedUnits()
    for units in _batches(input, format, options, name):
        done = translate_units(units, translate, options.style or format.style)
        output.write(done.content)
        output.flush()
        told.failed += done.failed
        told.remarks += done.remarks
        told.lines += [line for line in done.lines if line.notes or every_line]
    return told


def _batches(input: io.BufferedIOBase, format: Format, options: DocumentOptions, name: str) -> Iterator[list[Unit]]:
    if options.format is None:
        return _as_they_come(input, options)
    return in_batches(read_units(LineReader(name, input), format, options), BATCH_TEXTS)


def _as_they_come(input: io.BufferedIOBase, options: DocumentOptions) -> Iterator[list[Unit]]:
    paragraphs = Paragraphs(options.wrapped)
    number = 0
    for lines in _whole_lines(_decoded(input)):
        units: list[Unit] = []
        for line in lines:
            number += 1
            text = line.removesuffix("\n")
            units += paragraphs.add(Line(number, text, line[len(text) :]))
        if not (paragraphs.may_go_on and _more_follows(input)):
            units += paragraphs.end()
        yield units
    if last := list(paragraphs.end()):
        yield last


def _more_follows(input: io.BufferedIOBase) -> bool:
    """Whether something comes soon, if only the end; where that cannot be told, yes."""
    try:
        return bool(select.select([input], [], [], WAIT)[0])
    except (OSError, ValueError, TypeError):  # not a pipe, or one that Windows cannot ask
        return True


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


def _decoded(input: io.BufferedIOBase) -> Iterator[str]:
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
