"""A part of XML → its units: each paragraph is one text, everything else is kept.

A reader for a format derives from `PartReader` and says what its paragraphs are made of.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import BinaryIO
from xml.sax.saxutils import escape, unescape

from dhyan.core.errors import DhyanError
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Remark, Text, Unit, has_letters
from dhyan.documents.zipped.content import (
    PLAIN,
    Break,
    Content,
    Item,
    Kept,
    Style,
    Translatable,
    Words,
    texts_of,
    write_content,
)
from dhyan.documents.zipped.elements import Element, collected
from dhyan.documents.zipped.line import line_content
from dhyan.documents.zipped.xml_tokens import XmlToken, xml_tokens

_BETWEEN_TEXTS = "\n\n"  # so that a translator takes the lines of a paragraph and its notes one by one
_ATTRIBUTE = re.compile(r"""\s([^\s=]+)\s*=\s*(["'])(.*?)\2""", re.DOTALL)
_SHOWN_KEYS = 5
_MOST_FIXED = 1 << 16  # characters that are kept, in one unit


@dataclass(frozen=True, slots=True)
class Paragraph:
    """An element, or an attribute's value, with texts in it."""

    raw: str
    content: Content
    longest: int | None = None  # characters that its program allows

    def texts(self) -> Iterator[str]:
        return texts_of(self.content)

    def written(self, translations: Iterator[str]) -> str:
        return write_content(self.content, translations)

    def unit(self, number: int) -> Text:
        return Text(_BETWEEN_TEXTS.join(self.texts()), number, self.raw, self._with)

    def _with(self, translation: str) -> str:
        found = [line for line in translation.split("\n") if line.strip()]
        if len(found) != sum(1 for _ in self.texts()):
            raise DhyanError("The translation has more or fewer lines than its source.")
        written = self.written(iter(found))
        if self.longest is not None and len(unescape(re.sub("<[^<>]*>", "", written))) > self.longest:
            raise DhyanError(f"The translation has more than the {self.longest} characters that may stand there.")
        return written


@dataclass(frozen=True, slots=True)
class _AttributeText:
    value: str
    quote: str

    def texts(self) -> Iterator[str]:
        yield self.value

    def written(self, translations: Iterator[str]) -> str:
        return escape(next(translations), {self.quote: "&quot;" if self.quote == '"' else "&apos;"})


class PartReader:
    """Reads one part of a document. `plain` elements hold nothing but text; `attributes` hold texts too."""

    plain: frozenset[str] = frozenset()
    paragraphs: frozenset[str] = frozenset()
    attributes: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # element: its attributes that people read
    fields: frozenset[str] = frozenset()  # what a program fills in, inside a sentence
    longest: Mapping[str, int] = MappingProxyType({})  # paragraph: the most characters that its program allows

    def __init__(self, options: DocumentOptions, keys: frozenset[str] = frozenset()) -> None:
        """keys: texts that other parts of the document refer to, and that therefore stay."""
        self.options = options
        self.keys = keys
        self.kept_keys: set[str] = set()  # those that were met
        self.open_elements: list[str] = []  # their names, outermost first

    def units(self, name: str, stream: BinaryIO, number: int) -> Iterator[Unit]:
        """The units of a part; its paragraphs are counted on from `number`."""
        fixed: list[str] = []
        length = 0
        for part in self.walk(xml_tokens(name, stream)):
            if isinstance(part, str):
                fixed.append(part)
                length += len(part)
                if length < _MOST_FIXED:
                    continue
            yield Fixed("".join(fixed))
            fixed, length = [], 0
            if isinstance(part, Paragraph):
                number += 1
                yield part.unit(number)
        yield Fixed("".join(fixed))
        if self.kept_keys:
            some = ", ".join(sorted(self.kept_keys)[:_SHOWN_KEYS])
            more = ", …" if len(self.kept_keys) > _SHOWN_KEYS else ""
            yield Remark(f"texts that formulas, tables or filters refer to stay as they are: {some}{more}")

    def walk(self, tokens: Iterator[XmlToken]) -> Iterator[str | Paragraph]:
        """What is kept, and paragraphs, in order."""
        for token in tokens:
            if token.kind != "start":
                if token.kind == "end":
                    self.open_elements.pop()
                yield self.kept(token)
            elif token.name in self.plain and self.is_text(token):
                element = collected(token, tokens)
                yield from self._plain(element)
            elif token.name in self.paragraphs and self.is_text(token):
                yield from self._paragraph(collected(token, tokens))
            else:
                self.open_elements.append(token.name)
                yield from self._attributes(token)

    @property
    def parent(self) -> str:
        return self.open_elements[-1] if self.open_elements else ""

    # -- what a format says ------------------------------------------------------------------------------------------

    def is_text(self, token: XmlToken) -> bool:
        """Whether the element that starts here is translated."""
        return True

    def kept(self, token: XmlToken) -> str:
        """How a token that is not translated is written: a format may set marks of the language."""
        return token.raw

    def items(self, paragraph: Element) -> Iterable[Item]:
        """What a paragraph is made of, without its own tags."""
        raise NotImplementedError

    def properties(self, paragraph: Element) -> tuple[Element, ...]:
        """The children that stand at the beginning of a paragraph and say how it looks."""
        return ()

    def is_word(self, element: Element) -> bool:
        """Whether something that is kept is read as a word of the sentence."""
        return element.name in self.fields and bool(element.text.strip())

    # -- the same for all --------------------------------------------------------------------------------------------

    def kept_element(self, element: Element, style: Style = PLAIN) -> Kept:
        """An element that is kept, with the paragraphs inside it."""
        if not any(element.elements) and element.name not in self.attributes:
            return Kept(style.around(element.raw), is_word=self.is_word(element))
        return Kept(
            style.around(element.raw),
            lambda: (style.opening, *self.walk(element.tokens()), style.closing),
            self.is_word(element),
        )

    def _paragraph(self, element: Element) -> Iterator[str | Paragraph]:
        items = list(self.items(element))
        words = "".join(item.text for item in items if isinstance(item, Words))
        if has_letters(words) and not self._is_key(words):
            properties = "".join(one.raw for one in self.properties(element))
            content = (element.opening + properties, *_lines(items), element.closing)
            found = Paragraph(element.raw, content, self.longest.get(element.name))
            yield found if any(found.texts()) else element.raw
            return
        yield element.opening  # without words of its own; there may be a text box in it
        self.open_elements.append(element.name)
        yield from self.walk(element.inner_tokens())
        self.open_elements.pop()
        yield element.closing

    def _plain(self, element: Element) -> Iterator[str | Paragraph]:
        if not has_letters(element.text) or any(element.elements) or self._is_key(element.text):
            yield element.raw
            return
        pieces: list[Item] = []
        for line in re.split(r"(\n)", element.text.replace("\r", "")):
            pieces.append(Break(line) if line == "\n" else Words(line, PLAIN))
        found = Paragraph(element.raw, (element.opening, *_lines(pieces), element.closing))
        yield found if any(found.texts()) else element.raw

    def _is_key(self, text: str) -> bool:
        is_key = text.strip() in self.keys
        if is_key:
            self.kept_keys.add(text.strip())
        return is_key

    def _attributes(self, token: XmlToken) -> Iterator[str | Paragraph]:
        raw = self.kept(token)
        end = 0
        for found in _ATTRIBUTE.finditer(raw) if token.name in self.attributes else ():
            if found[1] not in self.attributes[token.name] or not has_letters(token.attributes[found[1]]):
                continue
            yield raw[end : found.start(3)]
            value = " ".join(token.attributes[found[1]].split())
            yield Paragraph(found[3], (_AttributeText(value, found[2]),))
            end = found.end(3)
        yield raw[end:]


def _lines(items: Iterable[Item]) -> Iterator[str | Translatable]:
    """The content of a paragraph, line by line."""
    line: list[Item] = []
    for item in chain(items, [None]):
        if item is not None and not isinstance(item, Break):
            line.append(item)
            continue
        yield from line_content(line)
        line = []
        if item is not None:
            yield item.raw
