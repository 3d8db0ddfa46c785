"""A zipped document: its parts with texts are translated, all others copied, and the zip put together again.

The translated parts go to the file that can be resumed, one after the other with a zero byte between them, which XML
cannot have. When all are done, the zip is written from them and from the source.
"""

import codecs
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple, Protocol, cast

from dhyan.core.errors import DhyanError
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit
from dhyan.documents.zipped.xml_tokens import encoding_of

_MOST_PARTS = 100_000
_MOST_BYTES = 8 << 30  # unpacked
_SMALL_BYTES, _MOST_TIMES_PACKED = 256 << 20, 200  # XML packs ten to thirty times
_MOST_LIST = 16 << 20
_BLOCK = 1 << 16
_END_OF_PART = "\0"
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # Office's older files, and its encrypted ones


class ReadPart(Protocol):
    """Reads a part: `read(its name for messages, its bytes, the number of texts before it)`."""

    def __call__(self, name: str, stream: BinaryIO, number: int, /) -> Iterator[Unit]: ...


class Part(NamedTuple):
    """A part with texts in it."""

    name: str
    read: ReadPart


FindParts = Callable[[zipfile.ZipFile, DocumentOptions], Sequence[Part]]


class Container:
    """A zipped document that is being read."""

    def __init__(self, source: Path, stream: BinaryIO, options: DocumentOptions, find_parts: FindParts) -> None:
        self._source = source
        self._done = 0  # bytes of the parts that are read
        self._reading: tuple[zipfile.ZipInfo, IO[bytes]] | None = None
        with self._checked():
            self._zip = _opened(source, stream)
            self._parts = [*find_parts(self._zip, options)]

    @property
    def bytes_read(self) -> int:
        if self._reading is None:
            return self._done
        info, stream = self._reading
        return self._done + info.compress_size * stream.tell() // max(info.file_size, 1)

    def units(self) -> Iterator[Unit]:
        number = 0
        for part in self._parts:
            info = self._zip.getinfo(part.name)
            with self._checked(), self._zip.open(info) as stream:
                self._reading = (info, stream)
                for unit in part.read(f"{self._source}, {part.name}", cast("BinaryIO", stream), number):
                    number += isinstance(unit, Text)
                    yield unit
            self._reading = None
            self._done += info.compress_size
            yield Fixed(_END_OF_PART)

    def assemble(self, translated: BinaryIO, target: BinaryIO) -> None:
        """Write the zip: parts in their old order, with their old names, dates and ways to be packed."""
        contents = _Contents(translated)
        places = {part.name: place for place, part in enumerate(self._parts)}
        begins = contents.begins(len(places))
        with self._checked(), zipfile.ZipFile(target, "w", strict_timestamps=False) as new:
            new.comment = self._zip.comment
            for info in self._zip.infolist():
                with new.open(_same(info), "w", force_zip64=info.file_size > 1 << 30) as output:
                    if info.filename in places:
                        with self._zip.open(info) as old:
                            encoding = encoding_of(old.read(256))
                        contents.copy(begins[places[info.filename]], output, encoding)
                    else:
                        with self._zip.open(info) as old:
                            shutil.copyfileobj(old, output, _BLOCK)

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """What zipfile says of a damaged zip, in a sentence."""
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError) as error:
            what = " ".join(str(error).split()) or type(error).__name__
            raise DhyanError(
                f"{self._source} is a damaged zip file ({what}); open it in the program that it was made with and "
                "save it again."
            ) from None


def opens(find_parts: FindParts) -> Callable[[Path, BinaryIO, DocumentOptions], Container]:
    """What opens a document of one family."""
    return lambda source, stream, options: Container(source, stream, options, find_parts)


class _Contents:
    """The translated parts, one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def begins(self, parts: int) -> list[int]:
        """Where each part begins."""
        found, place = [0], 0
        while block := self._file.read(_BLOCK):
            found += [place + index + 1 for index, byte in enumerate(block) if not byte] if b"\0" in block else []
            place += len(block)
        if len(found) != parts + 1:
            raise DhyanError(
                "The work that an earlier run has left is damaged; run the command again with --overwrite."
            )
        return found

    def copy(self, begin: int, output: IO[bytes], encoding: str) -> None:
        """One part, in its encoding; what that cannot write is written as a number."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        self._file.seek(begin)
        while block := self._file.read(_BLOCK):
            content, end, _ = block.partition(b"\0")
            if encoding == "utf-8":
                output.write(content)
            else:
                output.write(decoder.decode(content).encode(encoding, "xmlcharrefreplace"))
            if end:
                break


def _same(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    new = zipfile.ZipInfo(info.filename, info.date_time)
    new.compress_type, new.comment, new.create_system = info.compress_type, info.comment, info.create_system
    new.internal_attr, new.external_attr = info.internal_attr, info.external_attr
    return new


def _opened(source: Path, stream: BinaryIO) -> zipfile.ZipFile:
    if stream.read(len(_OLE)) == _OLE:
        raise DhyanError(
            f"{source} is protected by a password, or in the format of an older Office; open it, and save it without "
            f"a password as {source.suffix}."
        )
    try:
        found = zipfile.ZipFile(stream)
    except zipfile.BadZipFile:
        raise DhyanError(
            f"{source} is not a {source.suffix} document, or a damaged one (it is not a zip file); check it in the "
            "program that it was made with."
        ) from None
    names = [info.filename for info in found.infolist()]
    if any(info.flag_bits & 1 for info in found.infolist()):
        raise DhyanError(f"{source} is protected by a password; save it without one first.")
    if len(names) > _MOST_PARTS or len(set(names)) < len(names):
        raise DhyanError(f"{source} has too many parts, or several of one name, so it is not translated.")
    if wrong := [name for name in names if _leads_outside(name)]:
        raise DhyanError(
            f"{source} has a part named {wrong[0]!r}, which leads outside the file: it is not translated."
        )
    _check_sizes(source, found)
    return found


def _leads_outside(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in name.partition("/")[0]


def _check_sizes(source: Path, file: zipfile.ZipFile) -> None:
    unpacked = sum(info.file_size for info in file.infolist())
    packed = sum(info.compress_size for info in file.infolist())
    if unpacked > _MOST_BYTES or unpacked > max(_SMALL_BYTES, _MOST_TIMES_PACKED * packed):
        raise DhyanError(
            f"{source} would grow from {packed / 1e6:,.1f} MB to {unpacked / 1e6:,.0f} MB when unpacked, as no "
            "document does; it is not translated."
        )


def small_part(file: zipfile.ZipFile, name: str) -> bytes:
    """A part that is read as a whole, such as a list of the others; empty if it is not there."""
    try:
        info = file.getinfo(name)
    except KeyError:
        return b""
    if info.file_size > _MOST_LIST:
        raise DhyanError(f"{name} in {file.filename or 'the document'} is larger than a list of parts can be.")
    return file.read(info)
