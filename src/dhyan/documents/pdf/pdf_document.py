"""A PDF file that is translated: its text as Markdown."""

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from dhyan.core.errors import DhyanError
from dhyan.core.extras import needs_extra
from dhyan.documents.line_reader import LineReader
from dhyan.documents.markdown import read_markdown
from dhyan.documents.options import DocumentOptions
from dhyan.documents.pdf.blocks import markdown
from dhyan.documents.pdf.page_lines import Piece, page_lines
from dhyan.documents.units import Unit

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_BOLD = re.compile("bold|black|heavy|demi|cmbx", re.IGNORECASE)
_MONOSPACED = re.compile("mono|courier|consol|cmtt|typewriter|fixed|code", re.IGNORECASE)
_SERIF = re.compile(
    "(?<!sans)serif|times|roman|georgia|garamond|minion|cambria|palatino|cmr|cmbx|book", re.IGNORECASE
)
_MOST_PAGES = 20_000
_MOST_PIECES = 200_000  # of a page
_FEWEST_LETTERS = 20  # of a whole document; fewer are a stamp on a scan


class PdfDocument:
    assemble = None

    def __init__(self, source: Path, stream: BinaryIO, options: DocumentOptions) -> None:
        self._source, self._stream, self._options = source, stream, options
        self._size = max(source.stat().st_size, 1)
        self._markdown: LineReader | None = None
        self._length = 1

    @property
    def bytes_read(self) -> int:
        return self._size * self._markdown.bytes_read // self._length if self._markdown else 0

    def units(self) -> Iterator[Unit]:
        content = read_pdf(self._source, self._stream).encode("utf-8")
        self._length = max(len(content), 1)
        self._markdown = LineReader(str(self._source), io.BytesIO(content))
        yield from read_markdown(self._markdown, self._options)


def read_pdf(source: Path, stream: BinaryIO) -> str:
    """The text of a PDF, as Markdown."""
    pages = [page_lines(pieces) for pieces in _pages(source, stream)]
    if sum(character.isalpha() for page in pages for line in page for character in line.text) < _FEWEST_LETTERS:
        raise DhyanError(
            f"{source} has no text, only pictures of it; run a text recognition (OCR) over it first, for instance "
            "with ocrmypdf."
        )
    return markdown(pages)


def _pages(source: Path, stream: BinaryIO) -> Iterator[list[Piece]]:
    with needs_extra("documents", "PDF"):
        import pypdf
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every small flaw
    try:
        reader = pypdf.PdfReader(stream)
        if reader.is_encrypted and not _opens_without_password(reader):
            raise DhyanError(f"{source} is protected by a password; save it without one first.")
        if len(reader.pages) > _MOST_PAGES:
            raise DhyanError(f"{source} has more than {_MOST_PAGES:,} pages; split it first.")
        for page in reader.pages:
            yield _pieces(page)
    except DhyanError:
        raise
    except Exception as error:  # a damaged PDF can make the library fail in any way
        what = " ".join(str(error).split())[:100] or type(error).__name__
        raise DhyanError(f"{source} is not a PDF, or a damaged one ({what}); print it to a new PDF first.") from None


def _opens_without_password(reader: "PdfReader") -> bool:
    try:
        return bool(reader.decrypt(""))
    except Exception:  # a method for which the library needs another one
        return False


def _pieces(page: "PageObject") -> list[Piece]:
    found: list[Piece] = []

    def see(text: str, page_matrix: list[float], text_matrix: list[float], font: Any, size: float) -> None:
        if not text.strip() or len(found) >= _MOST_PIECES:
            return
        x, y = text_matrix[4], text_matrix[5]
        scale = (text_matrix[0] ** 2 + text_matrix[1] ** 2) ** 0.5 or 1.0
        scale *= (page_matrix[0] ** 2 + page_matrix[1] ** 2) ** 0.5 or 1.0
        place = (
            page_matrix[0] * x + page_matrix[2] * y + page_matrix[4],
            page_matrix[1] * x + page_matrix[3] * y + page_matrix[5],
        )
        name = str(font.get("/BaseFont", "")) if font else ""
        bold, monospaced, serif = (bool(one.search(name)) for one in (_BOLD, _MONOSPACED, _SERIF))
        line = " ".join(text.replace("\0", "").splitlines())
        found.append(Piece(line, *place, abs(size * scale) or 10.0, bold, monospaced, serif, len(found)))

    page.extract_text(visitor_text=see)
    return found
