"""Java's .properties: the value of each key, over as many lines as a backslash continues it; comments stay.

What is written is escaped (`\\u0939`), since older programs read these files as Latin-1. Where a message has numbered
placeholders, an apostrophe is doubled, as Java's MessageFormat wants it.
"""

import re
from collections.abc import Iterator
from functools import partial

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.messages import message
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Unit, Unreadable

_ENTRY = re.compile(r"(?P<key>\s*(?:[^\\=:\s]|\\.)*)(?P<sign>\s*[=:]\s*|\s+|)(?P<value>.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|\r?\n[ \t\f]*|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\$")
_NUMBERED = re.compile(r"\{\d+[^{}]*\}")


def read_properties(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    entry: list[Line] = []
    comments: list[str] = []
    for line in source:
        text = line.text.lstrip(" \t\f")
        if not entry and text.startswith(("#", "!")):
            comments.append(text[1:].strip())
            yield Fixed(line.raw)
            continue
        entry.append(line)
        if not _CONTINUED.search(line.text):
            yield from _entry(entry, comments)
            entry, comments = [], []
    yield from _entry(entry, comments)


def _entry(lines: list[Line], comments: list[str]) -> Iterator[Unit]:
    if not lines:
        return
    end = lines[-1].end
    raw = "".join(line.raw for line in lines)
    found = _ENTRY.fullmatch(raw[: len(raw) - len(end)])
    if found is None or not found["value"]:
        yield Fixed(raw)
        return
    yield Fixed(found["key"] + found["sign"])
    value, line = _unescaped(found["value"]), lines[0].number
    context = "; ".join([found["key"].strip(), *comments])
    numbered = bool(_NUMBERED.search(value))
    if numbered and "'" in value.replace("''", ""):
        yield Unreadable(found["value"], line, "it has quoted braces or a single apostrophe; translate it by hand.")
    else:
        value = value.replace("''", "'") if numbered else value
        yield from message(value, found["value"], line, partial(_escaped, numbered=numbered), context)
    yield Fixed(end)


def _unescaped(raw: str) -> str:
    def character(escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        return _NAMED.get(escape[2], escape[2]) if escape[2] else ""

    text = _ESCAPE.sub(character, raw)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # pairs of \\u become one letter


def _escaped(text: str, numbered: bool) -> str:
    if numbered:
        text = text.replace("'", "''")
    text = (
        text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t").replace("\f", "\\f")
    )
    if text.startswith(" "):
        text = "\\" + text
    return "".join(letter if letter.isascii() else _as_utf16(letter) for letter in text)


def _as_utf16(letter: str) -> str:
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))
