"""reStructuredText: titles, paragraphs, list items, definitions, notes and admonitions are texts.

Directives that are not about prose, literal blocks, tables, targets, substitutions and comments stay as they are. The
lines under and over a title are as long as its translation.
"""

import re
from collections.abc import Iterator
from functools import partial

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.rst_inline import RstText
from dhyan.documents.units import Fixed, Remark, Text, Unit

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_DIRECTIVE = re.compile(r"\.\.[ \t]+([A-Za-z][\w:.+-]*?)[ \t]?::(?:[ \t]+|$)")
_NOTE = re.compile(r"\.\.[ \t]+\[[^\]\s]+\](?:[ \t]+|$)")
_BULLET = re.compile(r"[-*+•‣⁃](?:[ \t]+|$)")
_NUMBER = re.compile(r"(?:\((?:\d+|[A-Za-z]|[ivxlcdm]+|#)\)|(?:\d+|[A-Za-z]|[ivxlcdmIVXLCDM]+|#)[.)])[ \t]+")
_FIELD = re.compile(r":(?![: ])((?:[^:\\\n]|\\.|:(?![ `]|$))+)(?<! ):(?:[ \t]+|$)")
_OPTION = re.compile(r"(?:(?:-\w|--\w[\w-]*|/[A-Z])(?:[ =]<?[A-Za-z]\w*>?)?(?:, )?)+[ ]{2,}")
_ATTRIBUTION = re.compile(r"(?:---?|—)[ \t]*(?=[^\s-])")  # under a quotation
_TABLE = re.compile(r"\+[-=+]{2,}\+[ \t]*|={2,}(?:[ \t]+={2,})+[ \t]*")
_REFERENCE = re.compile(r"`([^`<>]{1,500})`_|(?<![\w`])([A-Za-z0-9][\w.+:-]{0,100})_(?![\w`])")
_TEXT_OPTIONS = ("alt", "caption", "title")
_DATA_FIELDS = re.compile(
    r"(?:r?type|vartype|date|version|revision|status|authors?|address|copyright|contact)\b.*", re.I
)
# Directives with prose inside; the first word of an argument may be text as well.
_ADMONITIONS = frozenset(
    ["attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning", "seealso", "todo"]
)
_TITLED = frozenset(["admonition", "topic", "sidebar", "rubric", "centered", "title", "table", "list-table"])
_AROUND_PROSE = frozenset(
    """
    container epigraph highlights pull-quote compound header footer only figure glossary hlist tab-set tab-item
    versionadded versionchanged deprecated class function method attribute data module exception py:class py:function
    py:method py:attribute py:data py:module py:exception details dropdown card grid grid-item-card
    """.split()  # noqa: SIM905
)
_KEPT_TABLES = "the tables of this .rst file are left as they are"


def read_rst(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    yield from _Reader(list(source)).units()


class _Reader:
    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0  # the line that comes next
        self.column = 0  # where its unread part begins, if a mark was read already
        self.body_begun = False
        self.tables = False
        names = _REFERENCE.findall("\n".join(line.text for line in lines))
        self.references = {" ".join(name.split()).lower() for one in names for name in one if name}

    def units(self) -> Iterator[Unit]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            rest = line.text[self.column :]
            if not rest.strip():
                yield self._fixed()
            else:
                yield from self._block(rest.lstrip(" \t"), line.text[: self.column] + rest)
        if self.tables:
            yield Remark(_KEPT_TABLES)

    def _block(self, text: str, line: str) -> Iterator[Unit]:
        indent = len(line) - len(text)
        first = self.column == 0 and indent == 0
        if text.startswith((".. ", "__ ")) or text in ("..", "__"):
            yield from self._explicit(text, indent)
        elif text.startswith(">>>"):
            yield from self._until_blank()
        elif _TABLE.fullmatch(text):
            yield from self._table(text)
        elif first and self._title_lines():
            yield from self._title(self._title_lines())
        elif _ADORNMENT.fullmatch(text) and len(text.rstrip()) >= 4:
            yield self._fixed()
        elif text.startswith("| ") or text.strip() == "|":
            yield from self._marked(indent + 1 + len(text[1:]) - len(text[1:].lstrip()))
            if self.column:
                yield from self._one_line()
        elif (bullet := _BULLET.match(text)) or (bullet := self._enumerator(text)):
            self.body_begun = True
            yield from self._marked(indent + bullet.end())
        elif field := _FIELD.match(text):
            yield from self._field(field, indent)
        elif mark := _OPTION.match(text) or (_ATTRIBUTION.match(text) if indent else None):
            yield from self._marked(indent + mark.end())
        else:
            yield from self._paragraph(indent)

    # Reading on

    def _raw(self, number: int) -> str:
        line = self.lines[number]
        return line.raw[self.column :] if number == self.at else line.raw

    def _fixed(self) -> Fixed:
        raw = self._raw(self.at)
        self.at, self.column = self.at + 1, 0
        return Fixed(raw)

    def _marked(self, column: int) -> Iterator[Unit]:
        """A mark before a text: what follows it is read next."""
        line = self.lines[self.at]
        if column >= len(line.text):
            yield self._fixed()
            return
        yield Fixed(line.text[self.column : column])
        self.column = column

    def _until_blank(self) -> Iterator[Unit]:
        while self.at < len(self.lines) and self.lines[self.at].text.strip():
            yield self._fixed()

    def _deeper(self, indent: int) -> Iterator[Unit]:
        """Whatever is set in further than this, and the empty lines between."""
        while self.at < len(self.lines):
            text = self.lines[self.at].text
            if text.strip() and _indent(text) <= indent:
                return
            yield self._fixed()

    def _next_text(self, number: int) -> str:
        return self.lines[number].text if number < len(self.lines) else ""

    # Blocks

    def _title_lines(self) -> int:
        """2 for a title with a line under it, 3 with one over it as well, 0 if there is no title here."""
        texts = [self._next_text(self.at + number) for number in range(3)]
        if _ADORNMENT.fullmatch(texts[0]) and _ADORNMENT.fullmatch(texts[2]) and texts[1].strip():
            return (
                3
                if texts[0].rstrip() == texts[2].rstrip() and len(texts[0].rstrip()) >= len(texts[1].rstrip())
                else 0
            )
        line, below = texts[0].rstrip(), texts[1].rstrip()
        if not below or not _ADORNMENT.fullmatch(below) or _ADORNMENT.fullmatch(line):
            return 0
        return 2 if len(below) >= min(len(line), 4) else 0

    def _title(self, count: int) -> Iterator[Unit]:
        taken = self.lines[self.at : self.at + count]
        number = 1 if count == 3 else 0
        words = taken[number].text.strip()
        found = RstText(words, 1)
        raw = "".join(line.raw for line in taken)
        is_target = " ".join(words.split()).lower() in self.references

        def write(translation: str) -> str:
            title = found.written(translation)[0]
            written = [f".. _{words}:{taken[0].end}{taken[0].end}"] if is_target else []  # links lead here by name
            for index, line in enumerate(taken):
                if index == number:
                    written.append(_indentation(line.text) + title + line.end)
                else:
                    length = max(len(line.text.rstrip()), _width(_indentation(taken[number].text) + title))
                    written.append(line.text[0] * length + line.end)
            return "".join(written)

        yield Text(found.text, taken[number].number, raw, write) if found.has_words else Fixed(raw)
        self.at += count

    def _table(self, text: str) -> Iterator[Unit]:
        self.tables = True
        if text.startswith("+"):
            yield from self._until_blank()
            return
        yield self._fixed()
        while self.at < len(self.lines):
            border = _TABLE.fullmatch(self.lines[self.at].text.strip())
            yield self._fixed()
            if border and not self._next_text(self.at).strip():
                return

    def _explicit(self, text: str, indent: int) -> Iterator[Unit]:
        self.body_begun = True
        if note := _NOTE.match(text):
            yield from self._marked(indent + note.end())
            return
        directive = _DIRECTIVE.match(text)
        name = directive[1] if directive else ""
        if directive is None or name not in _ADMONITIONS | _TITLED | _AROUND_PROSE:
            yield self._fixed()
            yield from self._options(indent)
            yield from self._deeper(indent)
            return
        if name in _AROUND_PROSE:
            yield self._fixed()
        else:
            yield from self._marked(indent + directive.end())
            below = self._next_text(self.at + 1)
            if self.column and (name in _TITLED or _FIELD.match(below.lstrip())):
                yield from self._one_line()
            elif self.column:
                yield from self._paragraph(self._content_indent(indent))
        yield from self._options(indent)

    def _content_indent(self, indent: int) -> int:
        """How far the content of a directive is set in, below its first line."""
        found: list[int] = []
        for number in range(self.at + 1, len(self.lines)):
            text = self.lines[number].text
            if text.strip() and _indent(text) <= indent:
                break
            if text.strip():
                found.append(_indent(text))
        return min(found, default=self.column)

    def _options(self, indent: int) -> Iterator[Unit]:
        """The options of a directive, of which few are texts."""
        while self.at < len(self.lines) and _indent(self.lines[self.at].text) > indent:
            text = self.lines[self.at].text
            option = _FIELD.match(text.lstrip())
            if option is None:
                return
            if option[1] in _TEXT_OPTIONS:
                yield from self._marked(_indent(text) + option.end())
                if self.column:
                    yield from self._one_line()
            else:
                yield self._fixed()

    def _field(self, field: re.Match[str], indent: int) -> Iterator[Unit]:
        if not self.body_begun or _DATA_FIELDS.fullmatch(field[1]):  # about the document, or a type
            yield self._fixed()
            yield from self._deeper(indent)
        else:
            yield from self._marked(indent + field.end())

    def _enumerator(self, text: str) -> re.Match[str] | None:
        """`1. `, if what follows belongs to a list: `A. Einstein was …` over two lines does not."""
        found = _NUMBER.match(text)
        if found is None:
            return None
        below = self._next_text(self.at + 1)
        column = self.column or _indent(self.lines[self.at].text)
        fits = not below.strip() or _indent(below) >= column + found.end() or _NUMBER.match(below.strip())
        return found if fits else None

    def _one_line(self) -> Iterator[Unit]:
        line = self.lines[self.at]
        yield from self._text(line.text[self.column :], [], line.number, line.end)
        self.at, self.column = self.at + 1, 0

    def _paragraph(self, indent: int) -> Iterator[Unit]:
        """Lines that begin in one column; a lone line with others set in below it is a term with its definition."""
        self.body_begun = True
        start = self.at
        texts, separators = [self.lines[start].text[self.column :]], []
        end = start + 1
        while end < len(self.lines) and (text := self.lines[end].text).strip() and _indent(text) == indent:
            separators.append(self.lines[end - 1].end + _indentation(text))
            texts.append(text.lstrip(" \t"))
            end += 1
        if end == start + 1 and end < len(self.lines) and _indent(self.lines[end].text) > indent:
            texts, separators = [texts[0]], []
        if self.column == 0:
            yield Fixed(_indentation(texts[0]))
        raw = texts[0].lstrip(" \t") + "".join(map(str.__add__, separators, texts[1:]))
        number, last = self.lines[start].number, self.lines[end - 1].end
        self.at, self.column = end, 0
        is_literal = raw.rstrip().endswith("::")
        body = raw.rstrip().removesuffix("::").rstrip() if is_literal else raw
        term, classifier, rest = body.partition(" : ") if not separators else (body, "", "")
        yield from self._text(term, separators, number, classifier + rest + raw[len(body) :] + last)
        if is_literal:
            yield from self._literal(indent)

    def _literal(self, indent: int) -> Iterator[Unit]:
        while self.at < len(self.lines) and not self.lines[self.at].text.strip():
            yield self._fixed()
        text = self._next_text(self.at)
        if text.strip() and _indent(text) == indent and _ADORNMENT.match(text.strip()):  # quoted, not set in
            yield from self._until_blank()
        else:
            yield from self._deeper(indent)

    def _text(self, raw: str, separators: list[str], number: int, after: str) -> Iterator[Unit]:
        core = raw.rstrip()
        joined = core
        for separator in separators:
            joined = joined.replace(separator, " ", 1)
        found = RstText(joined, len(separators) + 1)
        if found.has_words:
            yield Text(found.text, number, core, partial(_written, found, separators))
        else:
            yield Fixed(core)
        yield Fixed(raw[len(core) :] + after)


def _written(found: RstText, separators: list[str], translation: str) -> str:
    first, *lines = found.written(translation)
    return first + "".join(separator + line for separator, line in zip(separators[: len(lines)], lines, strict=True))


def _indentation(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t"))]


def _indent(text: str) -> int:
    return len(_indentation(text))


def _width(text: str) -> int:
    """At least as many columns as docutils counts."""
    return sum(1 if ord(character) < 0x1100 else 2 for character in text)
