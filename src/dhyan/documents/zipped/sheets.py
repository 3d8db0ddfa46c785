"""Excel's parts: the texts of cells, comments. Numbers, formulas and names stay.

A text that a formula compares with, a table's column or a filter is a key: translated, it would no longer be found.
"""

import re
import zipfile
from collections.abc import Iterator
from html import unescape

from dhyan.documents.zipped.content import PLAIN, Break, Item, Kept, Style, Words
from dhyan.documents.zipped.drawing import DrawingReader
from dhyan.documents.zipped.elements import Element, escaped, tag_name
from dhyan.documents.zipped.xml_tokens import XmlToken

_BLOCK = 1 << 20
_LONGEST_FORMULA = 1 << 15  # characters, by Excel's own limit
_FORMULA = re.compile(rb"<(?:\w+:)?(?:f|formula[12]?|definedName|sqref)(?:\s[^<>]*)?>([^<]+)<")
_KEY = re.compile(
    rb"<(?:\w+:)?(?:tableColumn|cacheField|filter|customFilter)\s(?:[^<>]*?\s)?(?:name|val)=\"([^\"]*)\""
)
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_FORMULA_ATTRIBUTE = re.compile(rb"\stable:(?:formula|condition|expression|value)=\"([^\"]*)\"")
_OWN_TEXTS = re.compile(rb"<(?:\w+:)?(?:is|(?:odd|even|first)(?:Header|Footer))[\s>]")
_TEXTS = ("s:si", "s:is", "s:text")
_HEADERS = frozenset(f"s:{page}{edge}" for page in ("odd", "even", "first") for edge in ("Header", "Footer"))
_LONGEST_HEADER = 255  # characters; Excel calls a file with a longer one damaged
# &L, &C, &R begin a part; &P, &N, &D, … are filled in, as is && for &; &"Arial,Bold", &12, &B, … say how it looks.
_HEADER_CODE = re.compile(r'(?P<part>&[LCRlcr]|\n)|(?P<word>&[PNDTFAZ&pndtfaz])|&(?:"[^"]*"|\d+|K[0-9A-Fa-f+-]{6}|.)')


class SheetReader(DrawingReader):
    paragraphs = DrawingReader.paragraphs | set(_TEXTS) | _HEADERS
    plain = DrawingReader.plain | {"s:t", "threaded:text"}
    longest = dict.fromkeys(_HEADERS, _LONGEST_HEADER)

    def is_text(self, token: XmlToken) -> bool:
        return super().is_text(token) and (token.name != "s:t" or self.parent in _TEXTS)

    def properties(self, paragraph: Element) -> tuple[Element, ...]:
        return () if paragraph.name.startswith("s:") else super().properties(paragraph)

    def items(self, paragraph: Element) -> Iterator[Item]:
        if paragraph.name in _HEADERS:
            yield from _header(paragraph.text.replace("\r", ""))
            return
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


def _header(text: str) -> Iterator[Item]:
    """A page's header: its left, middle and right part are texts of their own."""
    end = 0
    for code in _HEADER_CODE.finditer(text):
        yield Words(text[end : code.start()], PLAIN)
        raw = escaped(code[0])
        yield Break(raw) if code["part"] else Kept(raw, is_word=code["word"] is not None)
        end = code.end()
    yield Words(text[end:], PLAIN)


def has_own_texts(file: zipfile.ZipFile, name: str) -> bool:
    """Whether a sheet has texts or page headers; most have numbers, and texts that all sheets share."""
    return any(_OWN_TEXTS.search(block) for block in _blocks(file, name))


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
