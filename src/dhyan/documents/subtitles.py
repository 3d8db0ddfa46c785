"""Subtitles, SubRip and WebVTT: whatever stands below a time code, up to an empty line, is spoken text.

Numbers, time codes and their settings, and blocks without a time code (WEBVTT, NOTE, STYLE) are kept.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.rewrap import rewrap
from dhyan.documents.units import Fixed, Text, Unit, has_letters

_TIMES = re.compile(r"\s*(?:\d+:)?\d+:\d+[.,]\d+\s*-->")
_SENTENCE_END = re.compile(r"[.!?…।:♪\])][\"'”’)]*(?:</?[^<>]*>)*\s*$")
_SPEAKER = re.compile(r"\s*(?:</?[^<>]*>)*(?:[-–—♪\[(]|\{\\|<v[ .])")
_AROUND = re.compile(r"(\s*(?:\{\\[^}]*\})*\s*)(.*?)(\s*)", re.DOTALL)  # {\an8} says where on the screen
_MOST_LINES = 8  # a cue has two or three; a broken file may have a million


def read_subtitles(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    spoken = False
    sentence: list[Line] = []  # lines of a cue that belong together
    for line in source:
        text = spoken and has_letters(line.text) and not _TIMES.match(line.text)
        if sentence and (not text or _SPEAKER.match(line.text)):
            yield from _sentence(sentence)
            sentence = []
        if text:
            sentence.append(line)
            if _SENTENCE_END.search(line.text) or len(sentence) == _MOST_LINES:
                yield from _sentence(sentence)
                sentence = []
            continue
        if _TIMES.match(line.text):
            spoken = True
        elif not line.text.strip():
            spoken = False
        yield Fixed(line.raw)
    if sentence:
        yield from _sentence(sentence)


def _sentence(lines: list[Line]) -> Iterator[Unit]:
    parts = [found.groups() for line in lines if (found := _AROUND.fullmatch(line.raw))]
    separators = [one[2] + other[0] for one, other in pairwise(parts)]
    cores = [core for _, core, _ in parts]
    raw = cores[0] + "".join(separator + core for separator, core in zip(separators, cores[1:], strict=True))
    if parts[0][0]:
        yield Fixed(parts[0][0])
    yield Text(" ".join(cores), lines[0].number, raw, lambda translation: rewrap(translation, separators))
    if parts[-1][2]:
        yield Fixed(parts[-1][2])
