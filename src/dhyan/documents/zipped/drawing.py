"""Drawings (DrawingML): slides, shapes, SmartArt, charts."""

import re
from collections.abc import Iterator

from dhyan.documents.zipped.content import Break, Item, Style, Words
from dhyan.documents.zipped.elements import Element, tag_name
from dhyan.documents.zipped.language_marks import drawing_properties
from dhyan.documents.zipped.part_reader import PartReader
from dhyan.documents.zipped.xml_tokens import XmlToken

_INVISIBLE = re.compile(
    r"""\s(?:lang|altLang|dirty|err|smtClean|noProof|kern|kumimoji|bmk)\s*=\s*("[^"]*"|'[^']*')"""
)
_DESCRIPTIONS = ("descr", "title")
# `?` is a namespace that nothing else is read from: the newer kinds of drawings, and the old VML.
ALTERNATIVE_TEXTS = {
    **{f"{prefix}:cNvPr": _DESCRIPTIONS for prefix in ("p", "pic", "xdr", "wps", "a", "?")},
    "wp:docPr": _DESCRIPTIONS,
    "?:textpath": ("string",),
}


class DrawingReader(PartReader):
    paragraphs = frozenset({"a:p"})
    plain = frozenset({"c:v"})
    attributes = ALTERNATIVE_TEXTS
    fields = frozenset({"a:fld"})

    def is_text(self, token: XmlToken) -> bool:
        return token.name != "c:v" or "c:strCache" in self.open_elements or self.parent == "c:tx"

    def kept(self, token: XmlToken) -> str:
        if token.kind == "start" and token.name in ("a:defRPr", "a:rPr", "a:endParaRPr"):
            return drawing_properties(token.raw, self.options)
        return token.raw

    def properties(self, paragraph: Element) -> tuple[Element, ...]:
        found = paragraph.child("a:pPr")
        return (found,) if found else ()

    def items(self, paragraph: Element) -> Iterator[Item]:
        for child in paragraph.elements:
            if child.name == "a:r":
                yield Words((child.child("a:t") or child).text, self._style(child))
            elif child.name == "a:br":
                yield Break(child.raw)
            elif child.name != "a:pPr":
                yield self.kept_element(child)

    def _style(self, run: Element) -> Style:
        properties = run.child("a:rPr")
        raw = properties.raw if properties else ""
        text = f"{tag_name(run.opening)[:-1]}t"
        return Style(
            run.opening + raw,
            f"<{text}>",
            f"</{text}>",
            run.closing,
            looks=_looks(properties) if properties else "",
            raised=properties is not None and properties.attributes.get("baseline", "0").strip("0%") != "",
            translated_opening=run.opening + drawing_properties(raw, self.options),
        )


def _looks(properties: Element) -> str:
    return _INVISIBLE.sub("", properties.opening).rstrip("/> ") + properties.inner
