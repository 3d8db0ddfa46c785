"""Gettext catalogues (.po): what has no translation yet gets one; translations that are there stay.

Comments, contexts and obsolete entries are kept. What is filled in is marked as fuzzy, unless told otherwise; the
header names the target language and its plural forms where it has none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.messages import PLACEHOLDER, PRINTF, message_text
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters

_STRING = r'"(?:[^"\\]|\\.)*"'
_KEYWORD = re.compile(rf"\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*({_STRING})\s*")
_CONTINUED = re.compile(rf"\s*({_STRING})\s*")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_NAMED_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_PRINTF = re.compile(PRINTF)
_BRACES = re.compile(r"\{[^{}]*\}")
_PLURAL_FORMS = {"en": "nplurals=2; plural=(n != 1);", "hi": "nplurals=2; plural=(n != 1);"}
_FLAGS = "#,"


@dataclass(slots=True)
class _Field:
    """One keyword of an entry and its string, which may go on over several lines."""

    keyword: str
    lines: list[Line]
    value: str


@dataclass(slots=True)
class _Entry:
    lines: list[Line | _Field] = field(default_factory=list)
    placeholders: re.Pattern[str] = PLACEHOLDER
    comments: list[str] = field(default_factory=list)

    @property
    def context(self) -> str | None:
        """The place that the program names, and what its authors say to translators."""
        return "; ".join(part for part in (self.value("msgctxt"), *self.comments) if part) or None

    def value(self, keyword: str) -> str | None:
        return next((one.value for one in self.lines if isinstance(one, _Field) and one.keyword == keyword), None)


def read_po(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    for entry in _entries(source):
        if entry.value("msgid") == "" and entry.value("msgctxt") is None:
            yield from _header(entry, options)
            continue
        several = entry.value("msgstr[1]") is not None
        held = ""  # from the flags on, until it is known whether they change
        marked = not options.fuzzy
        for part in entry.lines:
            raw = part.raw if isinstance(part, Line) else "".join(line.raw for line in part.lines)
            if isinstance(part, Line):
                flags = part.text.startswith(_FLAGS)
            else:
                # A language with one form for all numbers has only msgstr[0], which then says the plural.
                single = part.keyword == "msgstr" or (part.keyword == "msgstr[0]" and several)
                meant = entry.value("msgid" if single else "msgid_plural")
                missing = part.keyword.startswith("msgstr") and not part.value
                if missing and meant and has_letters(meant) and message_text(meant).text:
                    yield from _gap(part, meant, entry, held, marked)
                    held, marked = "", True
                    continue
                flags = not part.keyword.startswith("msgstr")
            if held or (flags and not marked):
                held += raw
            else:
                yield Fixed(raw)
        if held:
            yield Fixed(held)


def _header(entry: _Entry, options: DocumentOptions) -> Iterator[Unit]:
    """The entry without a text: what the catalogue says of itself."""
    for part in entry.lines:
        raw = part.raw if isinstance(part, Line) else "".join(line.raw for line in part.lines)
        language = options.target_language
        if isinstance(part, _Field) and part.keyword == "msgstr" and language is not None:
            raw = re.sub(r'(?<="Language: )(?=\\n")', language, raw)
            if language in _PLURAL_FORMS:
                unknown = r"(?<=Plural-Forms: )nplurals=INTEGER; plural=EXPRESSION;"
                raw = re.sub(unknown, _PLURAL_FORMS[language].replace("\\", ""), raw)
        yield Fixed(raw)


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
            if line.text.startswith(_FLAGS):
                entry.placeholders = _placeholders(line.text)
            elif line.text.startswith("#."):
                entry.comments.append(line.text[2:].strip())
            entry.lines.append(line)
            if not line.text.strip():
                yield entry
                entry = _Entry()
    yield entry


def _gap(part: _Field, meant: str, entry: _Entry, held: str, marked: bool) -> Iterator[Unit]:
    text = message_text(meant, entry.placeholders)  # begins and ends as its source, which gettext wants
    raw = "".join(line.raw for line in part.lines)
    opening, closing = raw.index('"'), raw.rindex('"') + 1
    end = part.lines[0].end or "\n"
    keyword = raw[:opening]

    def write(translation: str) -> str:
        front = held if marked else _as_fuzzy(held, end)
        return front + keyword + _quoted(text.written(translation), end)

    yield Text(text.text, part.lines[0].number, held + raw[:closing], write, fills=True, context=entry.context)
    yield Fixed(raw[closing:])


def _as_fuzzy(held: str, end: str) -> str:
    """The lines before a translation, with the flag that asks for somebody to check it."""
    if not held.startswith(_FLAGS):
        return f"{_FLAGS} fuzzy{end}{held}"
    flags = held.partition("\n")[0]
    return held if "fuzzy" in flags else f"{_FLAGS} fuzzy,{held[len(_FLAGS) :]}"


def _placeholders(flags: str) -> re.Pattern[str]:
    formats = [flag for flag in re.split(r"[,\s]+", flags) if flag.endswith("-format") and not flag.startswith("no-")]
    if not formats:
        return PLACEHOLDER
    return _BRACES if any("brace" in flag for flag in formats) else _PRINTF


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
