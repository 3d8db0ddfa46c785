"""Lines of subtitles → sentences: one that runs over lines or cues is translated whole and cut again.

The cuts fall where they fell before, in proportion, but rather behind a comma than before a word that leans on the
one in front of it. What stands between the lines (line breaks, numbers, times) stays as it was.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.rewrap import rewrap, split_evenly, split_in_proportion
from dhyan.documents.units import Fixed, Text, Unit, has_letters
from dhyan.text.languages import all_languages

_TAGS = r"(?:</?[^<>]*>|\{[^{}]*\})"
_TAG = re.compile(_TAGS)
_SENTENCE_END = re.compile(rf"[.!?…।:♪\])][\"'”’)]*{_TAGS}*\s*$")
_TRAILS_OFF = re.compile(r"(\.\.\.|…)$")
_TRAILS_ON = re.compile(r"^(\.\.\.|…)\s*")
_SPEAKER = re.compile(rf"\s*{_TAGS}*(?:[-–—♪♫\[(]|>>|<v[ .])")
_AROUND = re.compile(
    r"(\s*(?:\{\\[^}]*\})*\s*(?:[♪♫]\s*)?)(.*?)(\s*[♪♫]?(?:\\[Nn])?\s*)", re.DOTALL
)  # {\an8}: where it is shown
_WHOLLY = re.compile(r"(?P<open><(?P<name>\w+)[^<>]*>)(?P<inside>[^<>]*)(?P<close></(?P=name)>)")
_PAIRED = re.compile(r"<(?P<closes>/?)(?P<name>\w+)[^<>/]*>")
_WITH_CLASS = re.compile(
    r"(?P<open><(?P<name>\w+)\.[^<>]*>)(?P<inside>(?:(?!</?(?P=name)\b).)*)(?P<close></(?P=name)>)"
)
_KEPT = re.compile(r"\{[^{}]*\}|<\w+\.[^<>]*>|<[\d:.]+>")
_MOST_LINES = 12  # of a sentence; a broken file may have a million
_MOST_CUES = 5


class SpokenLine(NamedTuple):
    """A line that somebody says: its words, what stands around them, and the cue that it belongs to."""

    before: str  # everything since the words of the line before
    words: str
    after: str
    line: int
    cue: int


def spoken_line(raw: str, line: int, cue: int) -> SpokenLine:
    found = _AROUND.fullmatch(raw)
    assert found is not None  # it matches everything
    return SpokenLine(found[1], found[2], found[3], line, cue)


def sentences(parts: Iterable[Fixed | SpokenLine], most_held: int = 8) -> Iterator[Unit]:
    """The units of a document that is given as spoken lines and what stands between them."""
    sentence: list[SpokenLine] = []
    held: list[Fixed] = []  # between two cues, while it is open whether the sentence goes on

    def flush() -> Iterator[Unit]:
        if sentence:
            yield from _units(sentence)
        yield from held
        sentence.clear()
        held.clear()

    for part in parts:
        if isinstance(part, Fixed):
            if sentence and not _ended(sentence[-1]) and len(held) < most_held:
                held.append(part)
            else:
                yield from flush()
                yield part
        elif not has_letters(part.words):
            yield from flush()
            yield Fixed(part.before + part.words + part.after)
        else:
            if sentence and not _goes_on(sentence, part):
                yield from flush()
            between = "".join(one.raw for one in held)
            held.clear()
            sentence.append(part._replace(before=between + part.before))
    yield from flush()


def _ended(one: SpokenLine) -> bool:
    return bool(_SENTENCE_END.search(one.words + one.after)) and not _TRAILS_OFF.search(_bare(one.words))


def _bare(words: str) -> str:
    return _TAG.sub("", words)


def _goes_on(sentence: list[SpokenLine], other: SpokenLine) -> bool:
    last = sentence[-1]
    if _SPEAKER.match(other.before.rpartition("\n")[2] + other.words) or len(sentence) >= _MOST_LINES:
        return False
    if last.cue == other.cue:
        return not _SENTENCE_END.search(last.words + last.after)
    if _ended(last) or len({one.cue for one in sentence}) >= _MOST_CUES:
        return False
    words = _bare(other.words)
    first = _TRAILS_ON.sub("", words).lstrip("\"'“‘")[:1]
    if _TRAILS_OFF.search(_bare(last.words)):
        return bool(_TRAILS_ON.search(words)) or first.islower()
    if first.isupper():
        return _bare(last.words).split()[-1].lower() in all_languages().function_words
    return True


def _units(lines: list[SpokenLine]) -> Iterator[Unit]:
    """One text, written back over its cues and their lines."""
    first, last = lines[0], lines[-1]
    raw = "".join(one.before + one.words + one.after for one in lines)
    raw = raw[len(first.before) : len(raw) - len(last.after)]
    if first.before:
        yield Fixed(first.before)
    yield Text(_Cues(lines).text, first.line, raw, _writer(lines, raw))
    if last.after:
        yield Fixed(last.after)


def _writer(lines: list[SpokenLine], raw: str) -> Callable[[str], str]:
    """Little is held, as thousands of texts wait for their translation together."""
    if lines[0].cue == lines[-1].cue and not re.search("[<{]", raw):
        separators = tuple(one.after + other.before for one, other in pairwise(lines))
        return partial(rewrap, separators=separators)
    kept = tuple(lines)
    return lambda translation: _Cues(kept).write(translation)


class _Cues:
    """The words of a few cues as one text, and the way back."""

    def __init__(self, lines: Sequence[SpokenLine]) -> None:
        cues = [list(group) for _, group in groupby(lines, key=lambda one: one.cue)]
        self._separators = [[one.after + other.before for one, other in pairwise(cue)] for cue in cues]
        self._between = [one[-1].after + other[0].before for one, other in pairwise(cues)]
        words = [" ".join(one.words for one in cue) for cue in cues]
        self._open, self._close = [""] * len(cues), [""] * len(cues)
        if len(cues) > 1:
            self._take_off_marks(words)
        self._weights = [len(one) for one in words]
        joined = " ".join(words)
        self._tags = InlineTags(joined)
        self._covered: dict[str, str] = {}  # {\\i1}, <c.red>: no tags to a translator; one stands for each of them
        self.text = _KEPT.sub(self._piece, _WITH_CLASS.sub(self._pair, joined))

    def _piece(self, found: re.Match[str]) -> str:
        tag = self._tags.piece(found[0])
        self._covered[tag] = found[0]
        return tag

    def _pair(self, found: re.Match[str]) -> str:
        first, last = self._tags.around(found["open"], found["close"])
        self._covered |= {first: found["open"], last: found["close"]}
        return first + found["inside"] + last

    def _take_off_marks(self, words: list[str]) -> None:
        """Italics around each whole cue, dots where it trails off and on: they are put back around each cue."""
        found = [_WHOLLY.fullmatch(one) for one in words]
        if all(found):
            for number, whole in enumerate(found):
                if whole is not None:
                    self._open[number], words[number], self._close[number] = (
                        whole["open"],
                        whole["inside"],
                        whole["close"],
                    )
        for number in range(len(words) - 1):
            off, on = _TRAILS_OFF.search(words[number]), _TRAILS_ON.search(words[number + 1])
            if off and on:
                words[number] = words[number][: off.start()]
                words[number + 1] = words[number + 1][on.end() :]
                self._close[number] = off[0] + self._close[number]
                self._open[number + 1] += on[0]

    def write(self, translation: str) -> str:
        self._tags.restore(translation, self.text)  # refuses one that lost a tag
        parts = split_in_proportion(translation, self._weights)
        if len(parts) < len(self._weights):  # a sentence of fewer words than cues is shown all the time
            parts = [translation] * len(self._weights)
        elif len(parts) > 1:
            parts = _balanced(parts)
        written = []
        for number, part in enumerate(parts):
            lines = split_evenly(part, len(self._separators[number]) + 1)
            separated = zip(self._separators[number], lines[1:], strict=False)
            body = lines[0] + "".join(separator + line for separator, line in separated)
            written.append(self._open[number] + body + self._close[number])
            if number < len(self._between):
                written.append(self._between[number])
        return TAG.sub(lambda tag: self._covered.get(tag[0], tag[0]), "".join(written))


def _balanced(parts: list[str]) -> list[str]:
    """Tags that are opened in one cue and closed in another are closed and opened again at the cut."""
    open_tags: list[str] = []
    whole = []
    for part in parts:
        text = "".join(open_tags) + part
        for tag in _PAIRED.finditer(part):
            if not tag["closes"]:
                open_tags.append(tag[0])
            elif open_tags:
                open_tags.pop()
        names = [found["name"] for found in map(_PAIRED.match, reversed(open_tags)) if found]
        whole.append(text + "".join(f"</{name}>" for name in names))
    return whole
