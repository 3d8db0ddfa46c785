"""Apple's .strings: `"key" = "value";`, with the comment above it as context."""

import re
from collections.abc import Iterator

from dhyan.core.errors import DhyanError
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import message
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Unit

_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*) | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<word>[\w.$/:-]+) | (?P<sign>[=;]) | \s+""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def read_strings(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    text = "".join(line.raw for line in source)
    at = 0
    comment = key = ""
    is_value = False
    while at < len(text):
        token = _TOKEN.match(text, at)
        line = 1 + text.count("\n", 0, at)
        if token is None:
            raise DhyanError(f'{source.name}, line {line} is not as .strings files are: "key" = "value";.')
        at = token.end()
        if token["comment"]:
            comment = token[0].strip("/* \t\r\n")
        if token["sign"]:
            is_value = token[0] == "="
        elif token["word"] or (token["string"] and not is_value):
            key = token[0].strip('"')
        if token["string"] and is_value:
            yield Fixed('"')
            context = f"{key}; {comment}" if comment else key
            yield from message(_unescaped(token[0][1:-1]), token[0][1:-1], line, _escaped, context)
            yield Fixed('"')
            comment = ""
        else:
            yield Fixed(token[0])


def _unescaped(raw: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _NAMED.get(found[2], found[2]), raw)


def _escaped(text: str) -> str:
    return (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
