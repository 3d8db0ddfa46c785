"""Excel's parts: the texts of cells, comments. Numbers, formulas and names stay.

A text that a formula compares with, a table's column or a filter is a key: translated, it would no longer be found.
"""

import re
import zipfile
from collections.abc import Iterator
from html import unescape

from dhyan.documents.zipped.content import Break, Item, Style, Words
from dhyan.documents.zipped.drawing import DrawingReader
from dhyan.documents.zipped.elements import Element, tag_name
from dhyan.documents.zipped.xml_tokens import XmlToken

_BLOCK = 1 << 20
_LONGEST_FORMULA = 1 << 15  # characters, by Excel's own limit
_FORMULA = re.compile(rb"<(?:\w+:)?(?:f|formula[12]?|definedName|sqref)(?:\s[^<>]*)?>([^<]+)<")
_KEY = re.compile(
    rb"<(?:\w+:)?(?:tableColumn|cacheField|filter|customFilter)\s(?:[^<>]*?\s)?(?:name|val)=\"([^\"]*)\""
)
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_FORMULA_ATTRIBUTE = re.compile(rb"\stable:(?:formula|condition|expression|value)=\"([^\"]*)\"")
_INLINE = re.compile(rb"<(?:\w+:)?is[\s>]")
_TEXTS = ("s:si", "s:is", "s:text")


class SheetReader(DrawingReader):
    paragraphs = DrawingReader.paragraphs | set(_TEXTS)
    plain = DrawingReader.plain | {"s:t", "threaded:text"}

    def is_text(self, token: XmlToken) -> bool:
        return super().is_text(token) and (token.name != "s:t" or self.parent in _TEXTS)

    def properties(self, paragraph: Element) -> tuple[Element, ...]:
        return () if paragraph.name in _TEXTS else super().properties(paragraph)

    def items(self, paragraph: Element) -> Iterator[Item]:
        if paragraph.name not in _TEXTS:
            yield from super().items(paragraph)
            return
        for child in paragraph.elements:
            if child.name == "s:r":
                yield from self._rich(child)
            elif child.name != "s:t":  # a text without runs is read as a plain element
                yield self.kept_element(child)

    def _rich(self, run: Element) -> Iterator[Item]:
        properties = run.child("s:rPr")
        text = f"{tag_name(run.opening)[:-1]}t"
        raw = properties.raw if properties else ""
        raised = properties.child("s:vertAlign") if properties else None
        style = Style(
            run.opening + raw,
            f'<{text} xml:space="preserve">',
            f"</{text}>",
            run.closing,
            looks=raw,
            raised=raised is not None and raised.attributes.get("val") != "baseline",
        )
        found = run.child("s:t")
        for line in re.split("(\n)", found.text.replace("\r", "") if found else ""):
            yield Break(style.write(line)) if line == "\n" else Words(line, style)


def has_inline_texts(file: zipfile.ZipFile, name: str) -> bool:
    """Whether a sheet has texts of its own; most have numbers, and texts that all sheets share."""
    return any(_INLINE.search(block) for block in _blocks(file, name))


def keys_of(file: zipfile.ZipFile, names: list[str]) -> frozenset[str]:
    """Texts that formulas, tables and filters refer to."""
    found: set[str] = set()
    for name in names:
        for block in _blocks(file, name):
            for formula in _FORMULA.findall(block):
                for literal in _LITERAL.findall(_decoded(formula)):
                    found.update(one.strip() for one in [literal, *literal.split(",")])
            found.update(_decoded(key).strip() for key in _KEY.findall(block))
    return frozenset(found - {""})


def _blocks(file: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A part in blocks that overlap, so that whatever is searched for is whole in one of them."""
    with file.open(name) as stream:
        tail = b""
        while block := stream.read(_BLOCK):
            yield tail + block
            tail = block[-_LONGEST_FORMULA:]


def _decoded(raw: bytes) -> str:
    return unescape(raw.decode("utf-8", "replace"))


def open_document_keys(file: zipfile.ZipFile, name: str) -> frozenset[str]:
    """The same for OpenDocument, whose formulas and conditions are attributes."""
    found: set[str] = set()
    for block in _blocks(file, name):
        for formula in _FORMULA_ATTRIBUTE.findall(block):
            for literal in _LITERAL.findall(_decoded(formula)):
                found.update(one.strip() for one in [literal, *literal.split(";")])
    return frozenset(found - {""})
