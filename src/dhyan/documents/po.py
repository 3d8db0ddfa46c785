"""Gettext catalogues (.po): what has no translation yet gets one; translations that are there stay.

Comments, the header, contexts and obsolete entries are kept.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from dhyan.core.errors import DhyanError
from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters

_STRING = r'"(?:[^"\\]|\\.)*"'
_KEYWORD = re.compile(rf"\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*({_STRING})\s*")
_CONTINUED = re.compile(rf"\s*({_STRING})\s*")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_NAMED_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_PRINTF = re.compile(r"%(?:\(\w*\))?(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[a-zA-Z%@]")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(slots=True)
class _Field:
    """One keyword of an entry and its string, which may go on over several lines."""

    keyword: str
    lines: list[Line]
    value: str


@dataclass(slots=True)
class _Entry:
    lines: list[Line | _Field] = field(default_factory=list)
    placeholders: re.Pattern[str] | None = None

    def value(self, keyword: str) -> str | None:
        return next((one.value for one in self.lines if isinstance(one, _Field) and one.keyword == keyword), None)


def read_po(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    for entry in _entries(source):
        several = entry.value("msgstr[1]") is not None
        for part in entry.lines:
            if isinstance(part, Line):
                yield Fixed(part.raw)
                continue
            # A language with one form for all numbers has only msgstr[0], which then says the plural.
            single = part.keyword == "msgstr" or (part.keyword == "msgstr[0]" and several)
            meant = entry.value("msgid" if single else "msgid_plural")
            missing = part.keyword.startswith("msgstr") and not part.value
            if missing and meant and has_letters(meant):
                yield from _gap(part, meant, entry.placeholders)
            else:
                yield Fixed("".join(line.raw for line in part.lines))


def _entries(source: LineReader) -> Iterator[_Entry]:
    entry = _Entry()
    for line in source:
        keyword = _KEYWORD.fullmatch(line.text)
        continued = _CONTINUED.fullmatch(line.text)
        last = entry.lines[-1] if entry.lines else None
        if continued and isinstance(last, _Field):
            last.lines.append(line)
            last.value += _unescaped(continued[1])
            continue
        translated = isinstance(last, _Field) and last.keyword.startswith("msgstr")
        goes_on = keyword and keyword[1].startswith("msgstr")
        if translated and not goes_on:
            yield entry
            entry = _Entry()
        if keyword:
            entry.lines.append(_Field(keyword[1], [line], _unescaped(keyword[2])))
        else:
            if line.text.startswith("#,"):
                entry.placeholders = _placeholders(line.text)
            entry.lines.append(line)
            if not line.text.strip():
                yield entry
                entry = _Entry()
    yield entry


def _gap(part: _Field, meant: str, placeholders: re.Pattern[str] | None) -> Iterator[Unit]:
    core = meant.strip()
    start = meant.index(core)
    before, after = meant[:start], meant[start + len(core) :]  # both sides must begin and end alike
    raw = "".join(line.raw for line in part.lines)
    opening, closing = raw.index('"'), raw.rindex('"') + 1
    end = part.lines[0].end or "\n"

    def write(translation: str) -> str:
        if placeholders:
            _check_placeholders(placeholders, core, translation)
        return _quoted(before + translation + after, end)

    yield Fixed(raw[:opening])
    yield Text(core, part.lines[0].number, raw[opening:closing], write, fills=True)
    yield Fixed(raw[closing:])


def _placeholders(flags: str) -> re.Pattern[str] | None:
    formats = [flag for flag in re.split(r"[,\s]+", flags) if flag.endswith("-format") and not flag.startswith("no-")]
    if not formats:
        return None
    return _BRACES if any("brace" in flag for flag in formats) else _PRINTF


def _check_placeholders(placeholders: re.Pattern[str], source: str, translation: str) -> None:
    wanted, found = (Counter(placeholders.findall(text)) for text in (source, translation))
    for lost in wanted - found:
        raise DhyanError(f"The translation lost the placeholder {lost}.")
    for added in found - wanted:
        raise DhyanError(f"The translation has the placeholder {added} once too often.")


def _unescaped(quoted: str) -> str:
    def character(escape: re.Match[str]) -> str:
        code = escape[1]
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else _NAMED_ESCAPES.get(code, code)

    return _ESCAPE.sub(character, quoted[1:-1])


def _quoted(text: str, end: str) -> str:
    """A string as catalogues spell it: a text of several lines begins on a line of its own."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r")
    lines = [line.replace("\n", "\\n") for line in re.findall(r"[^\n]*\n|[^\n]+", escaped)]
    strings = [f'"{line}"' for line in lines]
    return strings[0] if len(strings) == 1 else end.join(['""', *strings])
