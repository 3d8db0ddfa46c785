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

__all__ = ["TABLES", "format_of", "has_columns", "numbered_lines", "open_binary", "sheet_of", "text_chunks", "zstd"]

TABLES = (".tsv", ".csv", ".xlsx")  # rows of cells, maybe under a header
_COMPRESSED = (".gz", ".xz", ".zst")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FEWEST_NULS = 4  # a NUL or two are text, too
_MANY_NULS = 0.3  # of the bytes of a line: UTF-16 that does not say so, in Latin letters
_ADDRESSES = ("http:", "https:", "ftp:", "s3:", "gs:")
_ZIP = b"PK\x03\x04"
_BUFFER = 1 << 16
_ZSTD_WINDOW_LOG = 31  # files made with --long=31 too


def sheet_of(file: Path) -> tuple[Path, str]:
    """`book.xlsx#Sheet2` names a sheet of `book.xlsx`; empty where none is named."""
    name, hash_sign, sheet = file.name.partition("#")
    if hash_sign and name.lower().endswith(".xlsx") and not file.exists():
        return file.with_name(name), sheet
    return file, ""


def has_columns(file: Path) -> bool:
    """Whether a row of the file has several texts, in columns or under keys."""
    return format_of(file) in (*TABLES, ".jsonl")


def format_of(file: Path) -> str:
    """The suffix that says how the text is laid out: `.tsv` for `pairs.TSV.gz`."""
    file, _ = sheet_of(file)
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
        if file.parts and file.parts[0].lower() in _ADDRESSES:
            raise DhyanError(
                f"{file.name}: files are read, not addresses; download it, then name the file."
            ) from None
        raise DhyanError(f"{file}: there is no such file; check the spelling of the path.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
        raise DhyanError(f"{file} is not a whole {file.suffix} file ({error}); copy or compress it again.") from None
    except PermissionError:
        raise DhyanError(f"{file} may not be read; change its permissions.") from None


def numbered_lines(file: Path, keep_ends: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers from 1, without a byte-order mark and, unless it is kept, the line break.

    Only `\\n` and `\\r\\n` end a line: other separators that Unicode knows are part of the text.
    """
    with open_binary(file) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
                _refuse_utf16(file, line)
            if not keep_ends:
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
            if at_start:
                _refuse_utf16(file, data[:_BUFFER])
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


def _refuse_utf16(file: Path, begin: bytes) -> None:
    """Without a byte-order mark its Latin letters are valid UTF-8, with a NUL beside each of them."""
    nuls = max(begin[::2].count(0), begin[1::2].count(0))
    if nuls >= _FEWEST_NULS and nuls > _MANY_NULS * len(begin):
        raise _utf16(file)


def _utf16(file: Path) -> DhyanError:
    return DhyanError(
        f"{file} is UTF-16 text, such as Excel's 'Unicode Text'; save it as 'CSV UTF-8', or convert it: iconv -f "
        f"UTF-16 -t UTF-8 {file} > NEW-FILE."
    )


def _not_utf8(file: Path, line: int, error: UnicodeDecodeError) -> DhyanError:
    if line == 1 and error.object.startswith(_UTF16):
        return _utf16(file)
    if line == 1 and error.object.startswith(_ZIP):
        return DhyanError(f"{file} is a zip file, not text; if it is an Excel file, let its name end in .xlsx.")
    byte = error.object[error.start]
    return DhyanError(
        f"{file}, line {line}: byte 0x{byte:02X} is not UTF-8 text; save the file as UTF-8 (Excel: 'CSV UTF-8'), or "
        f"convert it; if it is of Western Windows: iconv -f WINDOWS-1252 -t UTF-8 {file} > NEW-FILE."
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
