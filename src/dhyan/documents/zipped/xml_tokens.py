"""XML cut into tokens by expat, with every byte kept: joined, their `raw` is the document again.

Names have the prefix that is usual for their namespace, whatever the document itself calls it: `w:p`, `text:span`.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import BinaryIO, Literal, NamedTuple
from xml.parsers import expat

from dhyan.core.errors import DhyanError

_BLOCK = 1 << 16  # bytes read at a time
_DEEPEST = 200  # elements inside each other; office programs stay far below
_OPENXML, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_PREFIXES = {
    f"{_OPENXML}wordprocessingml/2006/main": "w",
    f"{_STRICT}wordprocessingml/main": "w",
    f"{_OPENXML}drawingml/2006/main": "a",
    f"{_STRICT}drawingml/main": "a",
    f"{_OPENXML}drawingml/2006/chart": "c",
    f"{_STRICT}drawingml/chart": "c",
    f"{_OPENXML}drawingml/2006/wordprocessingDrawing": "wp",
    f"{_STRICT}drawingml/wordprocessingDrawing": "wp",
    f"{_OPENXML}drawingml/2006/picture": "pic",
    f"{_STRICT}drawingml/picture": "pic",
    f"{_OPENXML}drawingml/2006/spreadsheetDrawing": "xdr",
    f"{_STRICT}drawingml/spreadsheetDrawing": "xdr",
    f"{_OPENXML}presentationml/2006/main": "p",
    f"{_STRICT}presentationml/main": "p",
    f"{_OPENXML}spreadsheetml/2006/main": "s",
    f"{_STRICT}spreadsheetml/main": "s",
    f"{_OPENXML}markup-compatibility/2006": "mc",
    f"{_OPENXML}officeDocument/2006/math": "m",
    f"{_STRICT}officeDocument/math": "m",
    f"{_OPENXML}package/2006/content-types": "types",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "threaded",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    **{
        f"{_OASIS}{name}:1.0": prefix
        for name, prefix in {
            "office": "office",
            "text": "text",
            "table": "table",
            "drawing": "draw",
            "style": "style",
            "meta": "meta",
            "presentation": "presentation",
            "manifest": "manifest",
            "svg-compatible": "svg",
            "xsl-fo-compatible": "fo",
        }.items()
    },
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.idpf.org/2007/opf": "opf",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx",
    "http://www.w3.org/XML/1998/namespace": "xml",
}

_TWO_BYTES = {"utf-16-le": (codecs.BOM_UTF16_LE, b"<\0"), "utf-16-be": (codecs.BOM_UTF16_BE, b"\0<")}
_ENCODING = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")

Kind = Literal["text", "start", "end", "other"]


class XmlToken(NamedTuple):
    """An element without content is a start whose raw is `<a/>`, then an end whose raw is empty."""

    kind: Kind
    raw: str
    name: str = ""  # of an element
    attributes: Mapping[str, str] = MappingProxyType({})
    value: str = ""  # of a text: what it says, without entities


def encoding_of(start: bytes) -> str:
    """The encoding of an XML document that begins like this."""
    for name, marks in _TWO_BYTES.items():
        if start.startswith(marks):
            return name
    declared = _ENCODING.match(start)
    try:
        return codecs.lookup(declared[1].decode("ascii")).name if declared else "utf-8"
    except LookupError:
        return "utf-8"


def xml_tokens(name: str, stream: BinaryIO) -> Iterator[XmlToken]:
    """The tokens of a document, as they are needed. `name` is what messages call it."""
    try:
        first = stream.read(_BLOCK)
        tokenizer = _Tokenizer(encoding_of(first))
        block = first
        while block:
            yield from tokenizer.feed(block)
            block = stream.read(_BLOCK)
        yield from tokenizer.feed(b"", final=True)
    except expat.ExpatError as error:
        raise DhyanError(
            f"{name} is damaged XML ({expat.ErrorString(error.code)}, line {error.lineno}); open the document in the "
            "program that it was made with and save it again."
        ) from None
    except UnicodeDecodeError:
        raise DhyanError(f"{name} is XML in an encoding that is not known; save the document again.") from None
    except _RefusedError as error:
        raise DhyanError(f"{name} {error}, which no office program writes; it is not translated.") from None


class _RefusedError(Exception):
    pass


class _Tokenizer:
    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._buffer = b""
        self._offset = 0  # of the buffer in the document
        self._depth = 0
        self._names: dict[str, str] = {}
        self._found: list[tuple[int, Kind, str, dict[str, str], str]] = [(0, "other", "", {}, "")]
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.DefaultHandler = self._other
        parser.CommentHandler = self._other
        parser.ProcessingInstructionHandler = self._other
        parser.StartCdataSectionHandler = self._other
        parser.EndCdataSectionHandler = self._other
        parser.EntityDeclHandler = self._refuse_entities  # a few of them can stand for gigabytes
        self._parser = parser

    def feed(self, block: bytes, final: bool = False) -> Iterator[XmlToken]:
        self._buffer += block
        self._parser.Parse(block, final)
        known = self._found if final else self._found[:-1]  # the last may go on
        ends = [start for start, *_ in self._found[1:]]
        if final:
            ends.append(self._offset + len(self._buffer))
        for (start, kind, name, attributes, value), end in zip(known, ends, strict=True):
            raw = self._buffer[start - self._offset : end - self._offset].decode(self._encoding)
            if raw or kind == "end":
                yield XmlToken(kind, raw, name, attributes, value)
        if not final:
            self._found = self._found[-1:]
            begin = self._found[0][0]
            self._buffer = self._buffer[begin - self._offset :]
            self._offset = begin

    def _add(self, kind: Kind, name: str = "", attributes: dict[str, str] | None = None, value: str = "") -> None:
        self._found.append((self._parser.CurrentByteIndex, kind, name, attributes or {}, value))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError(f"has more than {_DEEPEST} elements inside each other")
        self._add("start", self._usual(name), {self._usual(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._add("end", self._usual(name))

    def _text(self, value: str) -> None:
        self._add("text", value=value)

    def _other(self, *_: str) -> None:
        self._add("other")

    def _refuse_entities(self, *_: object) -> None:
        raise _RefusedError("declares entities of its own")

    def _usual(self, name: str) -> str:
        found = self._names.get(name)
        if found is None:
            uri, _, local = name.rpartition(" ")
            prefix = _PREFIXES.get(uri, "?" if uri else "")
            found = self._names[name] = f"{prefix}:{local}" if prefix else local
        return found
