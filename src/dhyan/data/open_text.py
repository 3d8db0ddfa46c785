"""Files opened as streams of UTF-8 text, plain or compressed, with every fault reported by file and line."""

import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dhyan.core.errors import DhyanError

if sys.version_info >= (3, 14):
    from compression import zstd
else:  # the backport of the same code
    from backports import zstd

__all__ = ["format_of", "numbered_lines", "open_binary", "text_chunks", "zstd"]

_COMPRESSED = (".gz", ".xz", ".zst")
_BUFFER = 1 << 16
_ZSTD_WINDOW_LOG = 31  # files made with --long=31 too


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
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
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
            options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
            return io.BufferedReader(zstd.ZstdFile(raw, options=options), _BUFFER)
    return raw
