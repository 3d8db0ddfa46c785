r"""Android's strings.xml: strings, the items of arrays and plurals, with their escapes (\' \n) and inline tags.

What says translatable="false" stays, as do references (@string/name) and everything inside xliff:g.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import check_placeholders
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters
from dhyan.documents.xml_messages import InlineXml, XmlToken, element, escaped, read_xml

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t"}
_LISTS = ("string-array", "plurals")
_QUOTE = re.compile(r'(?<!\\)"')
_CDATA = re.compile(r"(\s*<!\[CDATA\[)(.*)(\]\]>\s*)", re.DOTALL)


def read_android(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    tokens = read_xml(source)
    index = 0
    outer: list[XmlToken] = []
    comment = ""
    while index < len(tokens):
        token = tokens[index]
        yield Fixed(token.raw)
        index += 1
        if token.raw.startswith("<!--"):
            comment = token.raw[4:-3].strip()
        if token.kind == "close" and outer:
            outer.pop()
        if token.kind != "open":
            continue
        is_text = token.name == "string" or (token.name == "item" and outer and outer[-1].name in _LISTS)
        if not is_text:
            outer.append(token)
            continue
        end = element(tokens, index - 1)
        inside = tokens[index:end]
        kept = any(one.attributes.get("translatable") == "false" for one in (token, *outer))
        name = token.attributes.get("name") or (outer[-1].attributes.get("name", "") if outer else "")
        context = f"{name}; {comment}" if comment else name or None
        comment = "" if token.name == "string" else comment
        if kept:
            yield from (Fixed(one.raw) for one in inside)
        else:
            yield from _string(inside, token.line, context)
        yield Fixed(tokens[end].raw)
        index = end + 1


def _string(inside: Sequence[XmlToken], line: int, context: str | None) -> Iterator[Unit]:
    raw = "".join(token.raw for token in inside)
    if found := _CDATA.fullmatch(raw):
        yield from (Fixed(found[1]), *_cdata(found[2], line, context), Fixed(found[3]))
        return
    if quotes := _quotes(inside):
        first, last = quotes
        inside = [inside[0]._replace(raw=inside[0].raw.removeprefix(first)), *inside[1:]]
        inside[-1] = inside[-1]._replace(raw=inside[-1].raw.removesuffix(last))
        yield from (Fixed(first), *_string(inside, line, context), Fixed(last))
        return
    inline = InlineXml(inside, frozenset({"g"}), _read, _written)
    if not inline.has_words or re.match(r"[@?][\w:+]*/?\w+$", inline.text):
        yield Fixed(raw)
    else:
        yield Text(inline.text, line, raw, lambda said: _beginning(inline.written(said)), context=context)


def _quotes(inside: Sequence[XmlToken]) -> tuple[str, str] | None:
    """The quotes around a whole string, which keep its blanks, with the blanks beside them."""
    if not inside or inside[0].kind != "text" or inside[-1].kind != "text":
        return None
    first, last = re.match(r'\s*"\s*', inside[0].raw), re.search(r'\s*(?<!\\)"\s*$', inside[-1].raw)
    text = "".join(token.raw for token in inside if token.kind == "text")
    return (first[0], last[0]) if first and last and len(_QUOTE.findall(text)) == 2 else None


def _cdata(raw: str, line: int, context: str | None) -> Iterator[Unit]:
    tags = InlineTags(raw)
    core = raw.strip()
    text = "".join(part if TAG.fullmatch(part) else _unescaped(part) for part in re.split(f"({TAG.pattern})", core))

    def write(translation: str) -> str:
        check_placeholders(text, translation)
        if "]]>" in translation:
            raise DhyanError("The translation would end the CDATA section.")
        return tags.restored(translation, _with_escapes)

    if has_letters(TAG.sub("", text)):
        yield Text(text, line, raw, write, context=context)
    else:
        yield Fixed(raw)


def _read(raw: str) -> str:
    # A line break in the file is a blank; one that is meant is written as \n.
    return _unescaped(re.sub(r"\s+", " ", unescape(raw)))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _NAMED.get(found[2], found[2]), text)


def _written(text: str) -> str:
    return escaped(_with_escapes(text))


def _with_escapes(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    return text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "")


def _beginning(written: str) -> str:
    return re.sub(r"^(\s*)([@?])", r"\1\\\2", written)
