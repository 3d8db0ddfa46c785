"""A pack as one file: `name/pack.json`, `name/model.safetensors`, … in a .tar.gz or a .tar.

The same pack gives the same bytes. An archive may come from anywhere: reading one takes plain files of one folder and
refuses the rest, a link, a path that leads elsewhere, two files of one name, or more than a pack can be.
"""

import gzip
import io
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from dhyan.core.errors import DhyanError, shortened

SUFFIXES = (".tar.gz", ".tgz", ".tar")
MOST_BYTES = 64 << 30
MOST_ENTRIES = 1000  # a pack has about ten files
SMALL_BYTES, MOST_TIMES_PACKED = 256 << 20, 20  # weights pack to nine tenths, tokenizers to a fifth
MOST_HEADER = 1 << 20  # bytes that are no file's content, at a time
_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,98}[A-Za-z0-9_-]|[A-Za-z0-9]")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # of Windows, whatever the folder


def is_plain_name(name: str) -> bool:
    """Whether every system can have a file or folder of this name, and every shell can name it."""
    return _PLAIN_NAME.fullmatch(name) is not None and _DEVICES.fullmatch(name) is None


def pack_files(folder: Path) -> list[Path]:
    """The files that make the pack, by name."""
    return sorted(file for file in folder.iterdir() if file.is_file() and not _is_beside(file.name))


def _is_beside(name: str) -> bool:
    """Whether a file only lies beside a pack's: hidden, as macOS writes them, or the module of a package."""
    return name.startswith(".") or name.endswith(".py")


def write_archive(folder: Path, name: str, out: BinaryIO, compress: bool = True) -> None:
    """Nothing of this machine gets in: no dates, owners or permissions."""
    # zlib's own format would have the time and the file's name in its header.
    stream = gzip.GzipFile("", "wb", 6, out, mtime=0) if compress else out
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in pack_files(folder):
            if not is_plain_name(file.name):
                raise DhyanError(f"{file}: not every system can have a file of this name; rename it.")
            entry = tarfile.TarInfo(f"{name}/{file.name}")
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                archive.addfile(entry, content)
    if compress:
        stream.close()


class PackArchive:
    """An archive that is being read, once and from front to back. shown: what to call it in messages."""

    def __init__(self, stream: io.BufferedIOBase, shown: str) -> None:
        self._shown = shown
        size = stream.seek(0, 2)
        stream.seek(0)
        is_packed = stream.read(2) == _GZIP
        stream.seek(0)
        self._most = min(MOST_BYTES, max(SMALL_BYTES, MOST_TIMES_PACKED * size))
        self._stream = _Metered(gzip.GzipFile(fileobj=stream) if is_packed else stream, shown)
        with self._checked():
            self._stream.allowed = MOST_HEADER
            self._tar = tarfile.open(fileobj=cast("IO[bytes]", self._stream), mode="r|")  # noqa: SIM115
            self._first = self._tar.next()
        if self._first is None:
            raise self._damaged("it is empty")
        self.folder, _ = self._place(self._first)  # the one that all files lie in; empty where there is none

    def unpack(self, into: Path) -> None:
        """Write the pack's files into a folder that is empty."""
        names: set[str] = set()
        entries, unpacked, member = 0, 0, self._first
        while member is not None:
            entries += 1
            folder, name = self._place(member)
            if folder != self.folder:
                raise self._strange(member, "a pack is one folder of files")
            unpacked += member.size
            if unpacked > self._most or entries > MOST_ENTRIES:
                raise DhyanError(f"{self._shown} would grow larger when unpacked than any pack; it is left alone.")
            if name and not _is_beside(name):
                if name.lower() in names:
                    raise self._strange(member, "it is in there twice")
                names.add(name.lower())
                self._write(member, into / name)
            with self._checked():
                self._stream.allowed = member.size + MOST_HEADER
                member = self._tar.next()
        with self._checked():  # to its end, where the checksum stands
            self._stream.allowed = MOST_HEADER
            while self._stream.read(_BLOCK):
                pass

    def _write(self, member: tarfile.TarInfo, path: Path) -> None:
        with self._checked():
            self._stream.allowed = member.size + MOST_HEADER
            content = self._tar.extractfile(member)
        assert content is not None  # a plain file
        with path.open("xb") as file:
            while True:
                with self._checked():
                    block = content.read(_BLOCK)
                if not block:
                    break
                file.write(block)

    def _place(self, member: tarfile.TarInfo) -> tuple[str, str]:
        """The folder and the name of a file that a pack may have; of the folder itself, no name."""
        parts = PurePosixPath(member.name).parts
        plain = all(is_plain_name(part.lstrip("._") or "x") for part in parts)
        if member.name.startswith("/") or ".." in parts or not plain:
            raise self._strange(member, "its name could lead elsewhere")
        if member.isdir() and len(parts) <= 1:
            return (parts[0] if parts else ""), ""
        if not member.isreg() or member.issparse() or member.size < 0 or not 1 <= len(parts) <= 2:
            raise self._strange(member, "a pack holds plain files in one folder and nothing else")
        return ("", parts[0]) if len(parts) == 1 else (parts[0], parts[1])

    def _strange(self, member: tarfile.TarInfo, why: str) -> DhyanError:
        return DhyanError(f"{self._shown} is no pack's archive: {shortened(member.name, 60)!r}: {why}.")

    def _damaged(self, why: str) -> DhyanError:
        if why.startswith(("invalid header", "bad checksum", "not a")):
            why = "it is no .tar.gz and no .tar"
        return DhyanError(
            f"{self._shown} is not the archive of a pack, or a damaged one ({why}): fetch it again;"
            " one of another kind is unpacked first, and its folder named."
        )

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """What the libraries say of a damaged archive, in a sentence. Only what reads it stands within."""
        try:
            yield
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError) as error:
            raise self._damaged(shortened(" ".join(str(error).split())) or type(error).__name__) from None


class _Metered:
    """A stream that gives no more than is allowed: a header of a tar has any length, and is read into memory."""

    def __init__(self, stream: io.BufferedIOBase, shown: str) -> None:
        self._stream, self._shown = stream, shown
        self.allowed = 0

    def read(self, size: int) -> bytes:
        block = self._stream.read(min(size, _BLOCK))
        self.allowed -= len(block)
        if self.allowed < 0:
            raise DhyanError(f"{self._shown} has headers larger than any pack's; it is left alone.")
        return block


def copy_pack(folder: Path, into: Path) -> None:
    """The pack's files alone, without their dates and permissions."""
    for file in pack_files(folder):
        shutil.copyfile(file, into / file.name)
