"""An element with everything in it, for the parts of a document that are looked at as a whole."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from dhyan.core.errors import DhyanError
from dhyan.documents.zipped.xml_tokens import XmlToken

_MOST_TOKENS = 1_000_000  # of one element; a paragraph of a book has some hundreds

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True)
class Element:
    name: str
    opening: str  # `<w:p …>`, or `<w:p/>`
    attributes: Mapping[str, str]
    children: list["Element | XmlToken"] = field(default_factory=list)
    closing: str = ""

    @property
    def elements(self) -> Iterator["Element"]:
        return (child for child in self.children if isinstance(child, Element))

    def child(self, name: str) -> "Element | None":
        return next((one for one in self.elements if one.name == name), None)

    def descendants(self) -> Iterator["Element"]:
        for one in self.elements:
            yield one
            yield from one.descendants()

    def pieces(self) -> Iterator[str]:
        yield self.opening
        for child in self.children:
            if isinstance(child, Element):
                yield from child.pieces()
            else:
                yield child.raw
        yield self.closing

    def tokens(self) -> Iterator[XmlToken]:
        """What it was collected from."""
        yield XmlToken("start", self.opening, self.name, self.attributes)
        yield from self.inner_tokens()
        yield XmlToken("end", self.closing, self.name)

    def inner_tokens(self) -> Iterator[XmlToken]:
        for child in self.children:
            if isinstance(child, Element):
                yield from child.tokens()
            else:
                yield child

    @property
    def raw(self) -> str:
        return "".join(self.pieces())

    @property
    def inner(self) -> str:
        return "".join(child.raw for child in self.children)

    @property
    def text(self) -> str:
        return "".join(child.text if isinstance(child, Element) else child.value for child in self.children)


def collected(start: XmlToken, tokens: Iterator[XmlToken]) -> Element:
    """The element that this token starts; its tokens are taken."""
    top = Element(start.name, start.raw, start.attributes)
    open_ones = [top]
    for count, token in enumerate(tokens):
        here = open_ones[-1]
        if count > _MOST_TOKENS:
            raise DhyanError(f"A single {start.name} has more than {_MOST_TOKENS:,} parts; it is not translated.")
        if token.kind == "start":
            inner = Element(token.name, token.raw, token.attributes)
            here.children.append(inner)
            open_ones.append(inner)
        elif token.kind == "end":
            here.closing = token.raw
            open_ones.pop()
            if not open_ones:
                break
        else:
            here.children.append(token)
    return top


def escaped(text: str) -> str:
    """A text as it stands between tags; characters that XML cannot have are left out."""
    return escape(_NOT_XML.sub("", text))


def tag_name(opening: str) -> str:
    """What the document itself calls an element: `w:t` of `<w:t xml:space="preserve">`."""
    return re.split(r"[\s/>]", opening[1:], maxsplit=1)[0]


def with_attribute(opening: str, name: str, value: str, *, only_if_there: bool = False) -> str:
    """A start tag with an attribute set; `name` is as the document writes it."""
    found = re.search(rf"""(\s{re.escape(name)}\s*=\s*)("[^"]*"|'[^']*')""", opening)
    if found:
        return f"{opening[: found.end(1)]}{quoteattr(value)}{opening[found.end() :]}"
    if only_if_there:
        return opening
    end = len(opening) - (2 if opening.endswith("/>") else 1)
    return f"{opening[:end].rstrip()} {name}={quoteattr(value)}{opening[end:]}"
