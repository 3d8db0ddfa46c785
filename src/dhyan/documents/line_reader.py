"""A document read line by line, with every line break as it stands and every error reported with its line."""

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from dhyan.core.errors import DhyanError

LONGEST_LINE = 16 << 20  # bytes; a line is held in memory, so a gigabyte without a line break is refused


class Line(NamedTuple):
    number: int
    text: str
    end: str  # "\n", "\r\n", or nothing at the end of the file

    @property
    def raw(self) -> str:
        return self.text + self.end


class LineReader:
    """The lines of a document, to be walked through once. Only `\\n` and `\\r\\n` end a line."""

    def __init__(self, name: str, stream: BinaryIO | io.BufferedIOBase) -> None:
        self.name = name
        self.bytes_read = 0
        self._stream = stream
        self._first = stream.readline(LONGEST_LINE + 1)
        self.byte_order_mark = "\ufeff" if self._first.startswith(codecs.BOM_UTF8) else ""

    def __iter__(self) -> Iterator[Line]:
        number = 0
        data = self._first
        while data:
            number += 1
            self.bytes_read += len(data)
            yield self._line(number, data)
            data = self._stream.readline(LONGEST_LINE + 1)

    def _line(self, number: int, data: bytes) -> Line:
        where = f"{self.name}, line {number}"
        if len(data) > LONGEST_LINE:
            raise DhyanError(f"{where} is longer than {LONGEST_LINE >> 20} MiB; break it into lines of text.")
        if b"\0" in data:
            if self._first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise DhyanError(f"{where}: the file is in UTF-16; convert it to UTF-8, for instance with iconv.")
            raise DhyanError(f"{where}: a zero byte stands there, so this is not text; name a text file in UTF-8.")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DhyanError(
                f"{where}: byte 0x{data[error.start]:02X} is not UTF-8 text; convert the file to UTF-8, "
                "for instance with iconv."
            ) from None
        if number == 1:
            text = text.removeprefix("\ufeff")
        body = text.removesuffix("\n")
        if body != text:
            body = body.removesuffix("\r")
        return Line(number, body, text[len(body) :])
