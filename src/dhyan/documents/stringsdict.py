"""Apple's .stringsdict: the texts for one, few, many …, and the sentence that they stand in; all else stays."""

from collections.abc import Iterator, Sequence
from html import unescape

from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import has_words
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit
from dhyan.documents.xml_messages import InlineXml, XmlToken, element, read_xml

_TEXTS = frozenset({"NSStringLocalizedFormatKey", "zero", "one", "two", "few", "many", "other"})


def read_stringsdict(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    tokens = read_xml(source)
    keys: list[str] = []  # per open dictionary the key that we stand under
    index = 0
    while index < len(tokens):
        token = tokens[index]
        yield Fixed(token.raw)
        index += 1
        if token.kind == "open" and token.name == "dict":
            keys.append("")
        elif token.kind == "close" and token.name == "dict":
            keys.pop()
        elif token.kind == "open" and token.name in ("key", "string") and keys:
            end = element(tokens, index - 1)
            inside = tokens[index:end]
            index = end
            if token.name == "string" and keys[-1] in _TEXTS:
                yield _text(inside, token.line, keys[0])
                continue
            yield from (Fixed(one.raw) for one in inside)
            if token.name == "key":
                keys[-1] = unescape(_raw(inside))


def _text(inside: Sequence[XmlToken], line: int, key: str) -> Unit:
    raw = _raw(inside)
    if not has_words(unescape(raw)):
        return Fixed(raw)
    inline = InlineXml(inside, frozenset())
    return Text(inline.text, line, raw, inline.written, context=key)


def _raw(tokens: Sequence[XmlToken]) -> str:
    return "".join(token.raw for token in tokens)
