"""Word, PowerPoint, Excel: which parts of the zip hold texts. A list in it says what each part is."""

import re
import zipfile
from io import BytesIO

from dhyan.core.errors import DhyanError
from dhyan.documents.options import DocumentOptions
from dhyan.documents.zipped.container import Part, small_part
from dhyan.documents.zipped.drawing import DrawingReader
from dhyan.documents.zipped.metadata import MetadataReader
from dhyan.documents.zipped.part_reader import PartReader
from dhyan.documents.zipped.sheets import SheetReader, has_own_texts, keys_of
from dhyan.documents.zipped.slides import LayoutReader, SlideReader
from dhyan.documents.zipped.word import WordReader, WordSettingsReader
from dhyan.documents.zipped.xml_tokens import xml_tokens

_LIST = "[Content_Types].xml"
_TYPE = re.compile(r"application/vnd\.(?:openxmlformats-(?:officedocument|package)|ms-[a-z]+)\.(.+)\+xml")
_WORD = re.compile(r"(?:wordprocessingml\.)?(?:document|template)(?:\.macroEnabled\w*)?\.main")
_READERS: dict[str, type[PartReader]] = {
    "wordprocessingml.footnotes": WordReader,
    "wordprocessingml.endnotes": WordReader,
    "wordprocessingml.header": WordReader,
    "wordprocessingml.footer": WordReader,
    "wordprocessingml.comments": WordReader,
    "drawingml.chart": DrawingReader,
    "drawingml.chartshapes": DrawingReader,
    "drawingml.diagramData": DrawingReader,
    "drawingml.diagramDrawing": DrawingReader,
    "drawing": DrawingReader,
    "presentationml.slide": SlideReader,
    "presentationml.notesSlide": SlideReader,
    "presentationml.comments": SlideReader,
    "comments": SlideReader,
    "presentationml.slideLayout": LayoutReader,
    "presentationml.slideMaster": LayoutReader,
    "presentationml.notesMaster": LayoutReader,
    "presentationml.handoutMaster": LayoutReader,
    "spreadsheetml.sharedStrings": SheetReader,
    "spreadsheetml.comments": SheetReader,
    "threadedcomments": SheetReader,
    "core-properties": MetadataReader,
}
_ONLY_MARKS: dict[str, type[PartReader]] = {  # of the language: read when that is to be set
    "wordprocessingml.styles": WordSettingsReader,
    "wordprocessingml.numbering": WordSettingsReader,
    "wordprocessingml.settings": WordSettingsReader,
    "presentationml.presentation.main": DrawingReader,
}
_SHEET = "spreadsheetml.worksheet"
_WITH_KEYS = (_SHEET, "spreadsheetml.table", "spreadsheetml.pivotCacheDefinition", "spreadsheetml.sheet.main")


def find_office_parts(file: zipfile.ZipFile, options: DocumentOptions) -> list[Part]:
    kinds = _kinds(file)
    keys = keys_of(file, [name for name, kind in kinds.items() if kind in _WITH_KEYS or kind.startswith("sheet.")])
    readers = _READERS | (_ONLY_MARKS if options.target_language else {})
    parts: list[Part] = []
    for name, kind in kinds.items():
        reader = WordReader if _WORD.fullmatch(kind) else readers.get(kind)
        if kind == _SHEET and has_own_texts(file, name):
            reader = SheetReader
        if reader is not None:
            parts.append(Part(name, reader(options, keys).units))
    return parts


def _kinds(file: zipfile.ZipFile) -> dict[str, str]:
    """What each part of XML is, such as `wordprocessingml.header`; in the order of the zip."""
    content = small_part(file, _LIST)
    if not content:
        raise DhyanError(f"{file.filename or 'The file'} is a zip file, but no Office document; check what it is.")
    by_name: dict[str, str] = {}
    by_suffix: dict[str, str] = {}
    for token in xml_tokens(_LIST, BytesIO(content)):
        kind = _TYPE.fullmatch(token.attributes.get("ContentType", ""))
        if kind and token.name == "types:Override":
            by_name[token.attributes.get("PartName", "").lstrip("/").lower()] = kind[1]
        elif kind and token.name == "types:Default":
            by_suffix[token.attributes.get("Extension", "").lower()] = kind[1]
    found: dict[str, str] = {}
    for name in file.namelist():
        kind_of_part = by_name.get(name.lower()) or by_suffix.get(name.lower().rpartition(".")[2])
        if kind_of_part:
            found[name] = kind_of_part
    return found
