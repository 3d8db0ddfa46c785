"""OpenDocument: text, presentations, spreadsheets. Paragraphs are the same in all of them."""

import re
import zipfile
from collections.abc import Iterator

from dhyan.core.errors import DhyanError
from dhyan.documents.options import DocumentOptions
from dhyan.documents.zipped.container import Part, small_part
from dhyan.documents.zipped.content import Break, Close, Item, Mark, Open, Style, Words
from dhyan.documents.zipped.elements import Element, tag_name
from dhyan.documents.zipped.language_marks import is_complex, open_document_properties
from dhyan.documents.zipped.metadata import MetadataReader
from dhyan.documents.zipped.part_reader import PartReader
from dhyan.documents.zipped.sheets import open_document_keys
from dhyan.documents.zipped.xml_tokens import XmlToken

_PARAGRAPHS = frozenset({"text:p", "text:h"})
_MARK = re.compile(r"text:(bookmark|reference-mark|change|toc-mark|alphabetical-index-mark)(-start|-end)?")
_DROPPED = {"text:soft-page-break"}
_INVISIBLE = re.compile(r".*rsid|.*:(?:language|country|rfc-language-tag)(?:-asian|-complex)?|.*-asian")
_COMPLEX = re.compile(r".*-complex")
_MOST_SPACES = 100


class OpenDocumentReader(PartReader):
    paragraphs = _PARAGRAPHS
    plain = frozenset({"svg:title", "svg:desc"})

    def __init__(self, options: DocumentOptions, keys: frozenset[str] = frozenset()) -> None:
        super().__init__(options, keys)
        self._style = ""  # the one that is being defined
        self._invisible: set[str] = set()  # styles that only a program sees, such as who wrote it when
        self._raised: set[str] = set()
        self._kept = 0  # how deep we are in something that is not translated

    def is_text(self, token: XmlToken) -> bool:
        return not self._kept

    def kept(self, token: XmlToken) -> str:
        if self._kept or _is_kept(token) or self._is_prompt(token):
            self._kept += {"start": 1, "end": -1}.get(token.kind, 0)
        if token.name == "style:style" and token.kind == "start":
            self._style = token.attributes.get("style:name", "")
            if token.attributes.get("style:family") == "text" and not token.attributes.get("style:parent-style-name"):
                self._invisible.add(self._style)
        elif token.name == "style:text-properties" and token.kind == "start":
            if not all(map(self._is_invisible, token.attributes)):
                self._invisible.discard(self._style)
            if token.attributes.get("style:text-position", "0").split("%")[0] not in ("0", ""):
                self._raised.add(self._style)
            return open_document_properties(token, self.options)
        return token.raw

    def _is_invisible(self, attribute: str) -> bool:
        if not is_complex(self.options.source_language) and _COMPLEX.fullmatch(attribute):
            return True
        return bool(_INVISIBLE.fullmatch(attribute))

    def _is_prompt(self, token: XmlToken) -> bool:
        """Whether a frame begins in which a master page says what to fill in ("Click to edit …")."""
        in_master = token.name == "draw:frame" and "style:master-page" in self.open_elements
        return in_master and token.kind == "start" and "presentation:class" in token.attributes

    def is_word(self, element: Element) -> bool:
        """Fields have their text as it stands, all else has paragraphs."""
        return any(isinstance(child, XmlToken) and child.value.strip() for child in element.children)

    def items(self, paragraph: Element) -> Iterator[Item]:
        return self._inside(paragraph, Style(spaces=f"<{_prefixed(paragraph, 's')}/>"))

    def _inside(self, parent: Element, style: Style) -> Iterator[Item]:
        for child in parent.children:
            if isinstance(child, XmlToken):
                if child.kind == "text":
                    yield Words(re.sub(r"[ \t\r\n]+", " ", child.value), style)
                elif not child.raw.startswith(("<![CDATA[", "]]>")):
                    yield Mark(child.raw, "", starts=True)
            elif child.name == "text:span":
                yield from self._inside(child, self._span(child, style))
            elif child.name == "text:s":
                count = child.attributes.get("text:c", "1")
                yield Words(" " * min(int(count) if count.isdigit() else 1, _MOST_SPACES), style)
            elif child.name in ("text:tab", "text:line-break"):
                yield Break(style.around(child.raw))
            elif child.name in ("text:a", "text:meta"):
                yield Open(child.opening)
                yield from self._inside(child, style)
                yield Close(child.closing)
            elif child.name != "text:change" and (mark := _MARK.fullmatch(child.name)):
                name = child.attributes.get("text:name") or child.attributes.get("text:change-id")
                visible = mark[1] != "bookmark" and bool(mark[2])
                yield Mark(child.raw, f"{mark[1]} {name}", mark[2] != "-end", visible)
            elif child.name not in _DROPPED:
                yield self.kept_element(child, style)

    def _span(self, span: Element, around: Style) -> Style:
        name = span.attributes.get("text:style-name", "")
        if name in self._invisible:
            return around
        return Style(
            around.opening + span.opening,
            closing=span.closing + around.closing,
            looks=f"{around.looks} {name}",
            raised=around.raised or name in self._raised,
            spaces=around.spaces,
        )


def _prefixed(element: Element, name: str) -> str:
    prefix, colon, _ = tag_name(element.opening).rpartition(":")
    return f"{prefix}{colon}{name}"


def _is_kept(token: XmlToken) -> bool:
    """Cells that hold no text of their own, and what was deleted with revision marks."""
    if token.kind != "start":
        return False
    if token.name == "table:table-cell":
        kind = token.attributes.get("office:value-type", "string")
        return kind != "string" or "table:formula" in token.attributes or "office:string-value" in token.attributes
    return token.name in ("text:tracked-changes", "table:tracked-changes", "table:content-validations")


def find_open_document_parts(file: zipfile.ZipFile, options: DocumentOptions) -> list[Part]:
    manifest = small_part(file, "META-INF/manifest.xml")
    if b"encryption-data" in manifest:
        raise DhyanError(f"{file.filename or 'The file'} is protected by a password; save it without one first.")
    if "content.xml" not in file.namelist():
        raise DhyanError(f"{file.filename or 'The file'} is a zip file, but no OpenDocument file; check what it is.")
    parts: list[Part] = []
    keys = open_document_keys(file, "content.xml")
    for name in file.namelist():
        base = name.rpartition("/")[2]
        if base in ("content.xml", "styles.xml"):
            parts.append(Part(name, OpenDocumentReader(options, keys).units))
        elif name == "meta.xml":
            parts.append(Part(name, MetadataReader(options).units))
    return parts
