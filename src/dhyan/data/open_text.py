"""Files opened as streams of UTF-8 text, plain or compressed, with every fault reported by file and line."""

import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from dhyan.core.errors import DhyanError

_COMPRESSED = (".gz", ".xz", ".zst")
_BUFFER = 1 << 16


def format_of(file: Path) -> str:
    """The suffix that says how the text is laid out: `.tsv` for `pairs.TSV.gz`."""
    bare = file.with_suffix("") if file.suffix.lower() in _COMPRESSED else file
    return bare.suffix.lower()


@contextmanager
def open_binary(file: Path) -> Iterator[BinaryIO]:
    """Open a file for its plain bytes; whatever is wrong with the file becomes one clear error."""
    if file.is_dir():
        raise DhyanError(f"{file} is a folder; name the files in it.")
    try:
        with file.open("rb") as raw:
            yield _decompressed(raw, file.suffix.lower())
    except FileNotFoundError:
        raise DhyanError(f"{file}: there is no such file; check the spelling of the path.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        raise DhyanError(f"{file} is not a whole {file.suffix} file ({error}); copy or compress it again.") from None
    except PermissionError:
        raise DhyanError(f"{file} may not be read; change its permissions.") from None


def numbered_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers from 1, without the line break and without a byte-order mark.

    Only `\\n` and `\\r\\n` end a line: other separators that Unicode knows are part of the text.
    """
    with open_binary(file) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(file, number, error) from None
            yield number, text


def text_chunks(file: Path, characters: int) -> Iterator[str]:
    """The whole text of a file in chunks of about this many characters, cut after a line or at least a word."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines_before = 0
    text = ""
    at_start = True
    with open_binary(file) as stream:
        while True:
            data = stream.read(characters)
            try:
                new = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                line = lines_before + error.object[: error.start].count(b"\n") + 1
                raise _not_utf8(file, line, error) from None
            lines_before += data.count(b"\n")
            if at_start and new:
                new = new.removeprefix("\ufeff")
                at_start = False
            text += new
            if not data:
                break
            if len(text) >= characters:
                cut = _last_break(text)
                yield text[:cut]
                text = text[cut:]
    if text:
        yield text


def _last_break(text: str) -> int:
    """Where to cut: after the last line, or else before the last word, or else at the end."""
    after_line = text.rfind("\n") + 1
    before_word = text.rfind(" ")
    return after_line or (before_word if before_word > 0 else len(text))


def _not_utf8(file: Path, line: int, error: UnicodeDecodeError) -> DhyanError:
    byte = error.object[error.start]
    return DhyanError(
        f"{file}, line {line}: byte 0x{byte:02X} is not UTF-8 text; convert the file to UTF-8, for instance "
        "with iconv."
    )


def _decompressed(raw: BinaryIO, suffix: str) -> BinaryIO:
    match suffix:
        case ".gz":
            return io.BufferedReader(gzip.GzipFile(fileobj=raw), _BUFFER)
        case ".xz":
            return io.BufferedReader(lzma.LZMAFile(raw), _BUFFER)
        case ".zst":
            return io.BufferedReader(_ZstdFile(raw), _BUFFER)
    return raw


class _ZstdFile(io.RawIOBase):
    """Zstandard frames as one stream. The library's own reader takes a file that was cut short for a whole one."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame: Any = None
        self._packed = b""
        self._plain = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._packed = self._packed or self._raw.read(_BUFFER)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("it ends too early")
                return 0
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
            self._plain = memoryview(self._frame.decompress(self._packed))
            self._packed = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        size = min(len(buffer), len(self._plain))
        buffer[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size
