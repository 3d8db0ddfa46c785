"""Standard input → standard output: plain text, answered as it comes."""

from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from dhyan.errors import DhyanError
from dhyan.runtime.documents.batches import Failed, TranslateTexts, translate_units
from dhyan.runtime.documents.units import prose


def translate_stream(input: TextIO, output: TextIO, translate: TranslateTexts, *, batch: int = 1) -> list[Failed]:
    """Translate line by line, each line out before the next is read; a larger `batch` is faster for a pipe.

    Lines that could not be translated go out as they are and are given back. Nobody reading any more
    (BrokenPipeError) is for the caller to handle.
    """
    failed: list[Failed] = []
    lines = enumerate(_lines(input), start=1)
    while some := list(islice(lines, batch)):
        content, new = translate_units([unit for number, line in some for unit in prose(line, number)], translate)
        output.write(content)
        output.flush()
        failed += new
    return failed


def _lines(input: TextIO) -> Iterator[str]:
    number = 1
    try:
        while line := input.readline():
            yield line
            number += 1
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DhyanError(
            f"Byte 0x{byte:02X} at or after line {number} of the input is not UTF-8 text; convert it, for instance "
            "with iconv."
        ) from None
