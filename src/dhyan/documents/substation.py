r"""SubStation subtitles (.ass, .ssa): the text of each dialogue line, with its {\\tags} and \\N as they are.

Sections, styles, comments, times and drawings are kept.
"""

import re
from collections.abc import Iterator

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.spoken_sentences import SpokenLine, sentences, spoken_line
from dhyan.documents.units import Fixed, Unit

_FIELDS = 9  # before the text, unless a Format line says otherwise
_BREAK = re.compile(r"\\[Nn]")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9]")


def read_substation(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    return sentences(_parts(source))


def _parts(source: LineReader) -> Iterator[Fixed | SpokenLine]:
    fields, section = _FIELDS, ""
    for line in source:
        key, colon, value = line.text.partition(":")
        if line.text.startswith("["):
            section = line.text.strip().lower()
        elif section == "[events]" and key.strip() == "Format":
            fields = value.count(",")
        elif section == "[events]" and key.strip() == "Dialogue" and not _DRAWING.search(value):
            *before, text = value.split(",", fields)
            if len(before) == fields:
                yield Fixed(key + colon + "".join(f"{field}," for field in before))
                yield from _lines(text, line)
                continue
        yield Fixed(line.raw)


def _lines(text: str, line: Line) -> Iterator[Fixed | SpokenLine]:
    start = 0
    for found in _BREAK.finditer(text):
        yield spoken_line(text[start : found.end()], line.number, line.number)
        start = found.end()
    yield spoken_line(text[start:] + line.end, line.number, line.number)
