"""Markdown, block by block: headings, paragraphs, list items, quotes and table cells are texts.

A parser finds them; everything else is copied: code, HTML blocks, link definitions, marks, formulas. The lines of a
paragraph are one text, and its translation goes over as many lines again.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dhyan.documents.front_matter import read_front_matter
from dhyan.documents.line_reader import LineReader
from dhyan.documents.markdown_chunks import LINE_END, Chunk, ChunkReader
from dhyan.documents.markdown_inline import MarkdownText
from dhyan.documents.markdown_parser import Environment, markdown_parser
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit

_PIPE = re.compile(r"(?<!\\)\|")
# No pattern may give back white space and try again: a line of n spaces would take n² steps.
_HEADING_ID = re.compile(r"\{[:#.][^{}]*\}")  # {#name .class}
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_ALERT = re.compile(r"\[![A-Za-z]+\][+-]?[ \t]*(?:\n|$)")  # [!NOTE]
_CODE_LINES = re.compile(r"(?:import|export)\s[^\n]*(?:[{}=;]|\bfrom\s+['\"]|['\"];?$)", re.MULTILINE)  # in MDX
_CONTENTS = ("[TOC]", "[[TOC]]", "[[_TOC_]]", "[toc]", "[[toc]]")


class _Found(NamedTuple):
    """A text of the document: where it stands, how its lines are separated, and what makes a block of it."""

    start: int
    end: int
    content: str
    separators: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    in_table: bool = False


def read_markdown(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    parser = markdown_parser()
    chunks = ChunkReader(source, parser)
    front_matter = list(read_front_matter(chunks.ahead))
    yield from front_matter
    above = "".join(unit.raw for unit in front_matter)
    chunks.drop(len(above))
    number = 1 + above.count("\n")
    for chunk in chunks:
        yield from _units(chunk, parser, number)
        number += chunk.text.count("\n")


def _units(chunk: Chunk, parser: MarkdownIt, number: int) -> Iterator[Unit]:
    at = counted = 0
    environment = chunk.environment
    for found in _texts(chunk):
        text = MarkdownText(parser, environment, found.content, found.before, found.after)
        if found.start < at or not text.has_words:
            continue
        if found.start > at:
            yield Fixed(chunk.text[at : found.start])
        number, counted = number + chunk.text.count("\n", counted, found.start), found.start
        yield Text(text.text, number, chunk.text[found.start : found.end], _writer(parser, environment, found))
        at = found.end
    if at < len(chunk.text):
        yield Fixed(chunk.text[at:])


def _writer(parser: MarkdownIt, environment: Environment, found: _Found) -> Callable[[str], str]:
    """How a translation is laid out where the text stood."""

    def write(translation: str) -> str:
        # Parsed once more rather than kept: many units wait for their translation.
        text = MarkdownText(parser, environment, found.content, found.before, found.after)
        written = text.written(translation)
        if found.in_table:
            return _PIPE.sub(r"\\|", written)
        first, *lines = written.split("\n")
        separators = found.separators + found.separators[-1:] * len(lines)
        between = zip(separators[: len(lines)], lines, strict=True)
        return first + "".join(separator + line.lstrip(" \t") for separator, line in between)

    return write


class _Lines:
    """The lines of a text as the parser counts them, by their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.ends: list[int] = []
        for end in LINE_END.finditer(text):
            self.ends.append(end.start())
            self.starts.append(end.end())
        self.ends.append(len(text))

    def __getitem__(self, number: int) -> str:
        return self.text[self.starts[number] : self.ends[number]]


def _texts(chunk: Chunk) -> Iterator[_Found]:
    lines = _Lines(chunk.text)
    cells: list[str] = []
    row = -1
    for before, token in pairwise(chunk.tokens):
        if token.type == "tr_open" and token.map:
            row, cells = token.map[0], []
        elif token.type == "inline" and before.type in ("th_open", "td_open"):
            cells.append(token.content)
        elif token.type == "tr_close":
            yield from _row(lines, row, cells)
        elif token.type == "inline" and token.map:
            found = _block(lines, token.map[0], token.content, before)
            if found is not None:
                yield found


def _block(lines: _Lines, first: int, content: str, opening: Token) -> _Found | None:
    if opening.type == "admonition_title_open":
        start = lines[first].rfind(f'"{content}"') + 1
        return (
            _Found(lines.starts[first] + start, lines.starts[first] + start + len(content), content)
            if start
            else None
        )
    spans = list(_spans(lines, first, content.split("\n"), heading=opening.markup.startswith("#")))
    if len(spans) <= content.count("\n") or content in _CONTENTS or _CODE_LINES.match(content):
        return None
    separators = tuple(lines.text[end:begin].lstrip(" \t") for (_, end), (begin, _) in pairwise(spans))
    start, end = spans[0][0], spans[-1][1]
    if alert := _ALERT.match(content):
        if not separators:
            return None
        start, separators, content = spans[1][0], separators[1:], content[alert.end() :]
    elif task := _TASK.match(content):
        start, content = start + task.end(), content[task.end() :]
    if opening.type == "heading_open":
        words = _without_id(content)
        end, content = end - len(content) + len(words), words
        if opening.markup.startswith("#"):
            return _Found(start, end, content, separators, before="# ")
        return _Found(start, end, content, separators, after="\n" + 3 * opening.markup)
    return _Found(start, end, content, separators)


def _spans(lines: _Lines, first: int, contents: list[str], heading: bool) -> Iterator[tuple[int, int]]:
    """Where the lines of a block's content stand: each is the end of a line of the document."""
    for number, content in enumerate(map(str.strip, contents), start=first):
        line = lines[number].rstrip()
        if heading and not line.endswith(content):
            line = line.rstrip("#").rstrip()
        if not line.endswith(content):
            return
        start = lines.starts[number] + len(line) - len(content)
        yield start, start + len(content)


def _without_id(heading: str) -> str:
    start = heading.rfind("{")
    if start > 0 and heading[start - 1] in " \t" and _HEADING_ID.fullmatch(heading, start):
        return heading[:start].rstrip(" \t")
    return heading


def _row(lines: _Lines, number: int, cells: list[str]) -> Iterator[_Found]:
    """The cells of a table's row, which begins with a bar or with its first cell."""
    offsets = [lines.starts[number]]
    pieces: list[tuple[int, str]] = []
    for bar in [*_PIPE.finditer(lines.text, lines.starts[number], lines.ends[number]), None]:
        end = bar.start() if bar else lines.ends[number]
        pieces.append((offsets[-1], lines.text[offsets[-1] : end]))
        offsets.append(end + 1)
    whole = [(offset, piece.strip().replace("\\|", "|")) for offset, piece in pieces]
    for first in (1, 0):
        there = whole[first : first + len(cells)]
        same = all(piece == cell for (_, piece), cell in zip(there[1:], cells[1:], strict=False))
        if there and same and (there[0][1] == cells[0] or (not first and there[0][1].endswith(cells[0]))):
            break
    else:
        return
    for (offset, piece), cell in zip(pieces[first:], cells, strict=False):
        if cell:
            raw = piece.strip()
            start = offset + piece.index(raw)
            if first == 0 and cell is cells[0]:  # after the marks of a list or quote
                before = len(raw) - len(cell) - raw.count("\\|")
                start, raw = start + before, raw[before:]
            yield _Found(start, start + len(raw), cell, in_table=True)
