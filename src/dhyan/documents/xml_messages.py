"""XML files of messages: their tokens without loss, and the inside of an element as a text with its inline tags."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from typing import NamedTuple
from xml.parsers import expat

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import message_text
from dhyan.documents.units import has_letters

_TOKEN = re.compile(
    r"""(?P<other><!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^<>\[]|\[.*?\])*>) | (?P<cdata><!\[CDATA\[.*?\]\]>)
      | <(?P<close>/?)(?P<name>[^\s<>/!?]+)(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*?)(?P<empty>/?)>""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class XmlToken(NamedTuple):
    kind: str  # open, close, empty, text, cdata, other
    raw: str
    name: str  # without its prefix
    line: int
    attributes: dict[str, str]


def read_xml(source: LineReader) -> list[XmlToken]:
    """The tokens of a file that is well-formed; joined, they are the file."""
    return xml_tokens(source.name, "".join(line.raw for line in source))


def xml_tokens(name: str, text: str) -> list[XmlToken]:
    """The same of a text; its name is for messages."""
    if text.strip():
        _check(name, text)
    return list(_tokens(text))


def _check(name: str, text: str) -> None:
    parser = expat.ParserCreate()
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise DhyanError(
            f"{name}, line {error.lineno} is not well-formed XML: {expat.errors.messages[error.code]}."
        ) from None


def _tokens(text: str) -> Iterator[XmlToken]:
    at = 0
    line = 1
    for found in _TOKEN.finditer(text):
        if found.start() > at:
            yield XmlToken("text", text[at : found.start()], "", line, {})
            line += text.count("\n", at, found.start())
        name = (found["name"] or "").rpartition(":")[2]
        kind = next((kind for kind in ("other", "cdata", "close", "empty") if found[kind]), "open")
        attributes = {key: unescape(a or b) for key, a, b in _ATTRIBUTE.findall(found["attributes"] or "")}
        yield XmlToken(kind, found[0], name, line, attributes)
        line += found[0].count("\n")
        at = found.end()
    if at < len(text):
        yield XmlToken("text", text[at:], "", line, {})


def element(tokens: Sequence[XmlToken], start: int) -> int:
    """The index of the token that closes the element which opens at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        depth += (tokens[index].kind == "open") - (tokens[index].kind == "close")
        if not depth:
            return index
    return len(tokens) - 1


class InlineXml:
    """The inside of an element: words and tags as one text. Elements whose content is code stand as a single tag."""

    def __init__(
        self,
        tokens: Sequence[XmlToken],
        opaque: frozenset[str],
        read: Callable[[str], str] = unescape,
        write: Callable[[str], str] = lambda text: escaped(text),
    ) -> None:
        self._write = write
        self._tags = InlineTags("".join(token.raw for token in tokens))
        parts: list[str] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.kind == "text":
                # &lt;b&gt; is a tag to a reader of the message, but none of this file.
                parts.append(TAG.sub(lambda tag: self._tags.piece(write(tag[0])), read(token.raw)))
            elif token.kind == "open" and token.name in opaque:
                end = element(tokens, index)
                parts.append(self._tags.piece("".join(one.raw for one in tokens[index : end + 1])))
                index = end
            else:
                parts.append(
                    self._tags.tag(token.raw) if token.kind in ("open", "close") else self._tags.piece(token.raw)
                )
            index += 1
        self._content = "".join(parts)
        self._core = self._content.strip()
        self._message = message_text(self._core)
        self.text = self._message.text

    @property
    def has_words(self) -> bool:
        return has_letters(TAG.sub("", self._content)) and self.text != ""

    def written(self, translation: str) -> str:
        start = self._content.index(self._core)
        before, after = self._content[:start], self._content[start + len(self._core) :]
        written = before + self._message.written(translation) + after
        return self._tags.restore(written, self._content, self._write)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
