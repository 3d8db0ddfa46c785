"""Subtitles, SubRip and WebVTT: whatever stands below a time code, up to an empty line, is spoken text.

Numbers, time codes and their settings, and blocks without a time code (WEBVTT, NOTE, STYLE) are kept.
"""

import re
from collections.abc import Iterator

from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.spoken_sentences import SpokenLine, sentences, spoken_line
from dhyan.documents.units import Fixed, Unit

_TIMES = re.compile(r"\s*(?:\d+:)?\d+:\d+[.,]\d+\s*-->")


def read_subtitles(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    return sentences(_parts(source))


def _parts(source: LineReader) -> Iterator[Fixed | SpokenLine]:
    cue = 0
    spoken = False
    for line in source:
        if _TIMES.match(line.text):
            spoken = True
            cue += 1
        elif not line.text.strip():
            spoken = False
        elif spoken:
            yield spoken_line(line.raw, line.number, cue)
            continue
        yield Fixed(line.raw)
