"""Word's parts (WordprocessingML): the body, headers, footers, notes, comments.

Fields keep their codes, and their results too unless these are text that was written for the document (links, the
table of contents). What was deleted with revision marks stays as it is, inside its marks.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dhyan.documents.options import DocumentOptions
from dhyan.documents.zipped.content import Break, Close, Item, Kept, Mark, Open, Style, Words
from dhyan.documents.zipped.drawing import ALTERNATIVE_TEXTS, DrawingReader
from dhyan.documents.zipped.elements import Element, tag_name
from dhyan.documents.zipped.language_marks import is_complex, word_language, word_properties
from dhyan.documents.zipped.xml_tokens import XmlToken

_AROUND = {"w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:sdt", "w:dir", "w:bdo"}
_DROPPED = {"w:proofErr", "w:lastRenderedPageBreak", "w:softHyphen"}
_PROPERTIES = {"w:pPr", "w:sdtPr", "w:sdtEndPr", "w:smartTagPr", "w:customXmlPr"}
_BREAKS = {"w:tab", "w:br", "w:cr", "w:ptab"}
_MARK = re.compile(r"w:(bookmark|commentRange|moveFromRange|moveToRange|perm)(Start|End)")
_INVISIBLE = {"w:lang", "w:noProof", "w:spacing", "w:kern", "w:w", "w:rtl", "w:cs"}
_COMPLEX = {"w:bCs", "w:iCs", "w:szCs"}  # seen only in complex scripts
_TRANSLATED_FIELDS = {"HYPERLINK", "TOC", "INDEX"}


@dataclass(slots=True)
class _Field:
    """A field that is begun and not ended."""

    code: str = ""
    in_result: bool = False

    @property
    def is_translated(self) -> bool:
        return self.in_result and _is_translated(self.code)


@dataclass(frozen=True, slots=True)
class _FieldMark:
    what: str  # "begin", "code", "separate" or "end"
    raw: str
    code: str = ""


def _is_translated(code: str) -> bool:
    """Whether a field's result is text of the document, not something that a program fills in."""
    return code.split(maxsplit=1)[:1] != [] and code.split(maxsplit=1)[0].upper() in _TRANSLATED_FIELDS


class WordReader(DrawingReader):
    """Also reads the drawings and charts inside it."""

    paragraphs = DrawingReader.paragraphs | {"w:p"}
    attributes = ALTERNATIVE_TEXTS
    fields = DrawingReader.fields | {"w:fldSimple", "m:oMath"}

    def __init__(self, options: DocumentOptions, keys: frozenset[str] = frozenset()) -> None:
        super().__init__(options, keys)
        self._fields: list[_Field] = []  # begun and not ended; a table of contents goes over many paragraphs

    def properties(self, paragraph: Element) -> tuple[Element, ...]:
        if paragraph.name != "w:p":
            return super().properties(paragraph)
        found = paragraph.child("w:pPr")
        return (found,) if found else ()

    def items(self, paragraph: Element) -> Iterator[Item]:
        if paragraph.name != "w:p":
            yield from super().items(paragraph)
            return
        yield from self._without_fields(self._inside(paragraph))

    def _inside(self, parent: Element) -> Iterator[Item | _FieldMark]:
        for child in parent.children:
            if isinstance(child, XmlToken):
                if child.kind == "other":  # a comment of XML
                    yield Mark(child.raw, "", starts=True)
            elif child.name == "w:r":
                yield from self._run(child)
            elif child.name in _AROUND or (
                child.name == "w:fldSimple" and _is_translated(child.attributes.get("w:instr", ""))
            ):
                yield from self._around(child)
            elif mark := _MARK.fullmatch(child.name):
                id = f"{mark[1]} {child.attributes.get('w:id')}"
                yield Mark(child.raw, id, mark[2] == "Start", visible=mark[1] != "bookmark")
            elif child.name not in _PROPERTIES and child.name not in _DROPPED:
                yield self.kept_element(child)

    def _around(self, element: Element) -> Iterator[Item | _FieldMark]:
        content = element.child("w:sdtContent") or element
        before = "".join(child.raw for child in element.elements if child.name in _PROPERTIES)
        if content is element:
            yield Open(element.opening + before)
            yield from self._inside(element)
            yield Close(element.closing)
        else:
            yield Open(element.opening + before + content.opening)
            yield from self._inside(content)
            yield Close(content.closing + element.closing)

    def _run(self, run: Element) -> Iterator[Item | _FieldMark]:
        style = self._run_style(run)
        for child in run.elements:
            if child.name == "w:t":
                text = child.text if child.attributes.get("xml:space") == "preserve" else child.text.strip()
                yield Words(re.sub(r"[\t\r\n]", " ", text), style)
            elif child.name == "w:noBreakHyphen":
                yield Words("\u2011", style)
            elif child.name in _BREAKS:
                yield Break(style.around(child.raw))
            elif child.name == "w:instrText":
                yield _FieldMark("code", style.around(child.raw), child.text)
            elif child.name == "w:fldChar":
                yield _FieldMark(child.attributes.get("w:fldCharType", "end"), style.around(child.raw))
            elif child.name != "w:rPr" and child.name not in _DROPPED:
                yield self.kept_element(child, style)

    def _run_style(self, run: Element) -> Style:
        properties = run.child("w:rPr")
        text = f"{tag_name(run.opening)[:-1]}t"
        position = properties.child("w:vertAlign") if properties else None
        return Style(
            run.opening + (properties.raw if properties else ""),
            f'<{text} xml:space="preserve">',
            f"</{text}>",
            run.closing,
            looks=self._looks(properties) if properties else "",
            raised=position is not None and position.attributes.get("w:val") != "baseline",
            translated_opening=run.opening + (word_properties(properties, self.options) if properties else ""),
        )

    def _looks(self, properties: Element) -> str:
        """What can be seen of a run's properties."""
        invisible = _INVISIBLE if is_complex(self.options.source_language) else _INVISIBLE | _COMPLEX
        shown = []
        for child in properties.elements:
            if child.name == "w:rFonts":
                shown.append(child.attributes.get("w:ascii", "") + child.attributes.get("w:asciiTheme", ""))
            elif child.name not in invisible:
                shown.append(child.raw)
        return "".join(shown)

    def _without_fields(self, items: Iterable[Item | _FieldMark]) -> Iterator[Item]:
        """Codes, and results that are not translated, as something kept; others as something around their words."""
        hidden: list[str] = []
        is_word = False
        for item in items:
            if isinstance(item, _FieldMark):
                ended = self._fields.pop() if item.what == "end" and self._fields else None
                if ended and ended.is_translated and not self._is_hidden:
                    yield Close(item.raw)
                    continue
                hidden.append(item.raw)
                self._follow(item)
                if item.what == "separate" and not self._is_hidden:
                    yield Open("".join(hidden))
                    hidden = []
            elif self._is_hidden:
                hidden.append(item.style.write(item.text) if isinstance(item, Words) else item.raw)
                is_word |= isinstance(item, Words) and bool(item.text.strip())
            else:
                if hidden:
                    yield Kept("".join(hidden), is_word=is_word)
                    hidden, is_word = [], False
                yield item
        if hidden:
            yield Kept("".join(hidden), is_word=is_word)

    @property
    def _is_hidden(self) -> bool:
        return not all(field.is_translated for field in self._fields)

    def _follow(self, mark: _FieldMark) -> None:
        if mark.what == "begin":
            self._fields.append(_Field())
        elif mark.what == "code" and self._fields:
            self._fields[-1].code += mark.code
        elif mark.what == "separate" and self._fields:
            self._fields[-1].in_result = True


class WordSettingsReader(WordReader):
    """Styles, numbering and settings have no texts, only marks of the language."""

    paragraphs = frozenset({"w:rPr", "w:themeFontLang"})

    def _paragraph(self, element: Element) -> Iterator[str]:
        yield (word_properties if element.name == "w:rPr" else word_language)(element, self.options)
