"""Rows of a sheet of an Excel file (.xlsx), read as a stream: texts, numbers, true and false, results of formulas.

A document type is refused, and with it entities; so is a file that grows when unpacked as no table does.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from xml.parsers import expat

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.data.open_text import open_binary, sheet_of

_MOST_BYTES = 8 << 30  # unpacked
_SMALL_BYTES, _MOST_TIMES_PACKED = 256 << 20, 200  # XML packs ten to thirty times
_MOST_COLUMNS = 16_384  # that Excel has
_BLOCK = 1 << 16
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # Excel's older files, and its encrypted ones
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # a character that XML cannot have
_LETTERS = re.compile(r"[A-Z]{1,3}")

Attributes = dict[str, str]
NumberedCells = tuple[int, list[str]]


def xlsx_rows(file: Path) -> Iterator[NumberedCells]:
    """The number and the cells of each row that is not blank; of the first sheet, or of `FILE.xlsx#Sheet`."""
    path, sheet = sheet_of(file)
    with _opened(path) as book:
        part = _sheet_part(path, book, sheet)
        rows = _Rows(path, _shared_strings(path, book))
        for _ in _parsed(path, book, part, rows.start, rows.end, rows.text):
            yield from rows.taken()


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with open_binary(path) as stream:
        if stream.read(len(_OLE)) == _OLE:
            raise DhyanError(
                f"{path} is protected by a password, or in the format of an older Excel; save it without a password"
                " as .xlsx."
            )
        if not _is_zip(stream):
            raise DhyanError(f"{path} is not an .xlsx file, or a damaged one; open it in Excel and save it again.")
        try:
            with zipfile.ZipFile(stream) as book:
                _check_zip(path, book)
                yield book
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise DhyanError(f"{path} cannot be unpacked ({error}); open it in Excel and save it again.") from None


def _is_zip(stream: BinaryIO) -> bool:
    stream.seek(0)
    return zipfile.is_zipfile(stream)


def _check_zip(path: Path, book: zipfile.ZipFile) -> None:
    # Python unpacks no more of a part than the size it declares, so the declared sizes are what counts.
    if any(info.flag_bits & 1 for info in book.infolist()):
        raise DhyanError(f"{path} is protected by a password; save it without one.")
    unpacked = sum(info.file_size for info in book.infolist())
    packed = sum(info.compress_size for info in book.infolist())
    if unpacked > _MOST_BYTES or unpacked > max(_SMALL_BYTES, _MOST_TIMES_PACKED * packed):
        raise DhyanError(
            f"{path} would grow from {packed / 1e6:,.1f} MB to {unpacked / 1e6:,.0f} MB when unpacked, as no table"
            " does; it is not read."
        )


# -- the parts of the file -------------------------------------------------------------------------------------


def _sheet_part(path: Path, book: zipfile.ZipFile, wanted: str) -> str:
    """The part of the zip that holds the sheet."""
    workbook = next((to for kind, to in _related(path, book, "").values() if kind == "officeDocument"), "")
    if workbook not in book.namelist():
        raise DhyanError(f"{path} has no workbook; open it in Excel and save it again as .xlsx.")
    related = _related(path, book, workbook)
    sheets: dict[str, str] = {}

    def start(tag: str, attributes: Attributes) -> None:
        identifier = next((value for name, value in attributes.items() if name.rpartition(":")[2] == "id"), "")
        kind, part = related.get(identifier, ("", ""))
        if tag == "sheet" and kind == "worksheet":
            sheets[attributes.get("name", "")] = part

    for _ in _parsed(path, book, workbook, start):
        pass
    if wanted and wanted not in sheets:
        raise DhyanError(
            f"{path} has no sheet '{wanted}'{did_you_mean(wanted, sheets)}; its sheets are {', '.join(sheets)}."
        )
    if not sheets:
        raise DhyanError(f"{path} has no sheet with cells.")
    return sheets[wanted] if wanted else next(iter(sheets.values()))


def _related(path: Path, book: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: identifier → kind, part."""
    folder = PurePosixPath(part).parent
    listed = str(folder / "_rels" / f"{PurePosixPath(part).name}.rels")
    found: dict[str, tuple[str, str]] = {}

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            full = target[1:] if target.startswith("/") else str(folder / target)
            found[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], full)

    if listed in book.namelist():
        for _ in _parsed(path, book, listed, start):
            pass
    return found


def _shared_strings(path: Path, book: zipfile.ZipFile) -> list[str]:
    """The texts that cells refer to by number, without reading aids (phonetic runs)."""
    workbook = next(to for kind, to in _related(path, book, "").values() if kind == "officeDocument")
    part = next((to for kind, to in _related(path, book, workbook).values() if kind == "sharedStrings"), "")
    strings: list[str] = []
    pieces: list[str] = []
    inside = {"t": False, "rPh": False}

    def start(tag: str, attributes: Attributes) -> None:
        if tag in inside:
            inside[tag] = True

    def end(tag: str) -> None:
        if tag in inside:
            inside[tag] = False
        elif tag == "si":
            strings.append(_unescaped("".join(pieces)))
            pieces.clear()

    def text(piece: str) -> None:
        if inside["t"] and not inside["rPh"]:
            pieces.append(piece)

    if part in book.namelist():
        for _ in _parsed(path, book, part, start, end, text):
            pass
    return strings


class _Rows:
    """The handlers of a sheet's XML; rows are taken as they become whole."""

    def __init__(self, path: Path, strings: list[str]) -> None:
        self._path, self._strings = path, strings
        self._whole: list[NumberedCells] = []
        self._number = self._column = self._width = 0
        self._cells: list[str] = []
        self._kind = ""
        self._pieces: list[str] = []
        self._inside = {"v": False, "t": False, "rPh": False}

    def taken(self) -> Iterator[NumberedCells]:
        whole, self._whole = self._whole, []
        yield from whole

    def start(self, tag: str, attributes: Attributes) -> None:
        if tag == "row":
            self._number = int(attributes.get("r", self._number + 1))
            self._cells, self._column = [], 0
        elif tag == "c":
            self._column = _column_of(attributes.get("r", "")) or self._column + 1
            if self._column > _MOST_COLUMNS:
                raise DhyanError(f"{self._path}, line {self._number} has more than {_MOST_COLUMNS:,} columns.")
            self._kind, self._pieces = attributes.get("t", "n"), []
        elif tag in self._inside:
            self._inside[tag] = True

    def end(self, tag: str) -> None:
        if tag in self._inside:
            self._inside[tag] = False
        elif tag == "c":
            self._cells += [""] * (self._column - len(self._cells))
            self._cells[self._column - 1] = self._value("".join(self._pieces))
        elif tag == "row" and any(cell.strip() for cell in self._cells):
            self._width = self._width or len(self._cells)  # a row's last cells are missing where they are empty
            self._whole.append((self._number, self._cells + [""] * (self._width - len(self._cells))))

    def text(self, piece: str) -> None:
        if (self._inside["v"] or self._inside["t"]) and not self._inside["rPh"]:
            self._pieces.append(piece)

    def _value(self, text: str) -> str:
        match self._kind:
            case "s":
                return self._strings[int(text)] if text else ""
            case "b":
                return "true" if text.strip() == "1" else "false"  # as JSON writes them
            case "n":
                return format(float(text), ".15g") if text.strip() else ""  # as many digits as Excel has
            case "e":
                return ""  # a formula that failed
        return _unescaped(text)


def _column_of(reference: str) -> int:
    """2 for B7."""
    letters = _LETTERS.match(reference)
    number = 0
    for letter in letters[0] if letters else "":
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


# -- XML -------------------------------------------------------------------------------------------------------


def _parsed(
    path: Path,
    book: zipfile.ZipFile,
    part: str,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] = lambda tag: None,
    text: Callable[[str], None] = lambda piece: None,
) -> Iterator[None]:
    """Run a part of the zip through the handlers, which get names without their prefixes; yields after each block."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(name.rpartition(":")[2], attributes)
    parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    parser.CharacterDataHandler = text

    def refuse(*declared: object) -> None:
        raise DhyanError(f"{path} declares a document type in {part}, as no Excel file does; it is not read.")

    parser.StartDoctypeDeclHandler = refuse
    try:
        with book.open(part) as stream:
            while block := stream.read(_BLOCK):
                parser.Parse(block, False)
                yield
            parser.Parse(b"", True)
            yield
    except (expat.ExpatError, ValueError, IndexError, KeyError) as error:
        raise DhyanError(f"{path} is damaged in {part} ({error}); open it in Excel and save it again.") from None
