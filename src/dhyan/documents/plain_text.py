"""Plain text: a paragraph that was wrapped at some width is one text, and is wrapped again; any other line is one.

Nothing in a text file says which it is, so lines are joined only where both the layout and the language say so: each
line is so full that the next word had no room, and the sentence goes on. A list of one text per line, a poem, an
address, a table or code does not look like that and stays line by line.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.rewrap import display_width, wrap
from dhyan.documents.units import Fixed, Text, Unit, has_letters, prose
from dhyan.text.languages import all_languages
from dhyan.text.sentences import split_sentences

_LAYOUT = re.compile(
    r"""(?P<quote>(?:(?:[ \t]*>)+[ \t]?)?)
        (?P<indent>[ \t]*)
        (?P<mark>(?:[-*+•‣▪◦●○·–—]|\d{1,3}(?:\.\d{1,3})*[.)]|\(\w{1,3}\)|[a-z][.)]|[A-Z]\))[ \t]+|)""",
    re.VERBOSE,
)
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S|\|.*\|")
_GAP = re.compile(r"(?<=[^\s.!?:;,]) {2}(?=\S)")
_CODE = re.compile(
    r"[{};\\]\s*$|\)\s*:?\s*$|^\s*(?:[$#%/]|def |class |import |return |if \(|for \()|[=(]{2}|\w\(|->|=>|::"
)
_ENDS = re.compile(r"[.!?…।॥。！？:;][\"'”’»)\]*_]*$")
_PLAIN_END = re.compile(r"[a-z]{6}[.!?]$")  # no title or unit: those are shorter
_GOES_ON = re.compile(r"(?:[(–—/]|[^\W\d_][-\u00ad])$")
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad]$")
_OPENING = "\"'“‘«([{‹*_"
NARROWEST = 12  # a shorter line was not wrapped, it ended
_NARROW = 20  # from here on a list of words looks like a wrapped sentence
_MOST_LINES = 400  # of a paragraph; a book without an empty line is cut somewhere
_PROSE_WIDTH = 50  # lines of poems are shorter
_SLACK = 0.15  # people who wrap by hand do not fill every line


class _Shaped(NamedTuple):
    """A line, and what stands around its words."""

    line: Line
    quote: str
    indent: str
    mark: str
    body: str
    rest: str  # blanks and the line's end

    @property
    def width(self) -> int:
        return display_width(self.line.text.rstrip())

    @property
    def margin(self) -> int:
        return len(self.indent.expandtabs())


def read_plain(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    paragraphs = Paragraphs(options.wrapped)
    for line in source:
        yield from paragraphs.add(line)
    yield from paragraphs.end()


class Paragraphs:
    """Lines go in one by one; units come out as soon as it is clear what belongs together."""

    def __init__(self, wrapped: bool | None) -> None:
        """wrapped: whether lines that follow each other are one paragraph; None: it is found out."""
        self._wrapped = wrapped
        self._run: list[_Shaped] = []  # lines that may belong together
        self._width = 0  # at which the paragraphs before were wrapped

    @property
    def may_go_on(self) -> bool:
        """Whether the last line looks as if the next one could continue it."""
        if not self._run or self._wrapped is False:
            return False
        last = self._run[-1]
        return self._wrapped or (last.width >= NARROWEST and not _ENDS.search(last.body))

    def add(self, line: Line) -> Iterator[Unit]:
        shaped = _shaped(line)
        if self._run and not _may_follow(self._run, shaped):
            yield from self.end()
        if self._wrapped is False or not any(map(str.isalnum, shaped.body)):
            yield from prose(line.raw, line.number)
        else:
            self._run.append(shaped)

    def end(self) -> Iterator[Unit]:
        run, self._run = self._run, []
        for paragraph in [run] if self._wrapped and run else self._paragraphs(run):
            if len(paragraph) > 1:
                yield from _units(paragraph, self._width)
            else:
                yield from prose(paragraph[0].line.raw, paragraph[0].line.number)

    def _paragraphs(self, run: list[_Shaped]) -> Iterator[list[_Shaped]]:
        pairs = list(pairwise(run))
        goes_on = [self._goes_on(one, other) for one, other in pairs]
        if True not in goes_on:  # as in most lists: nothing more is to be found out
            yield from ([one] for one in run)
            return
        width = max(one.width for one in run)
        ragged = width >= _PROSE_WIDTH and _is_one_sentence_after_another(run, goes_on)
        full = [
            _is_full(one, other, width) or (ragged and on is True)
            for (one, other), on in zip(pairs, goes_on, strict=True)
        ]
        loose = sum(on is True and not filled for on, filled in zip(goes_on, full, strict=True))
        joined = sum(on is True and filled for on, filled in zip(goes_on, full, strict=True))
        by_line = width < NARROWEST or 3 * loose > joined or _is_table_or_code(run)
        at = 0
        for end in range(1, len(run) + 1):
            if end < len(run) and full[end - 1]:
                continue
            part = run[at:end]
            if not by_line and len(part) > 1 and _is_wrapped(part, goes_on[at : end - 1]):
                if len(part) > 2:
                    self._width = max(one.width for one in part)
                yield part
            else:
                yield from ([one] for one in part)
            at = end

    def _goes_on(self, one: _Shaped, other: _Shaped) -> bool | None:
        """Whether a sentence runs from one line into the other; None where one ends and one begins."""
        if _ends_sentence(one.body, other.body):
            return None
        first = other.body.lstrip(_OPENING)[:1]
        if first.islower() or first.isdigit() or not first.isalpha() or _GOES_ON.search(one.body):
            return True
        if first.lower() == first.upper():  # a script without small letters
            return True
        if one.body.split()[-1].lower() in all_languages().function_words:
            return True
        if one.body.endswith(","):  # a name may follow, or the next line of a poem
            return None
        # A name may well begin a line; so look at whether this line ends where those before it did.
        return (
            bool(self._width)
            and 0.9 * self._width < one.width <= self._width + 2
            and _is_full(one, other, self._width)
        )


def _shaped(line: Line) -> _Shaped:
    found = _LAYOUT.match(line.text)
    assert found is not None  # it may be empty
    body = line.text[found.end() :].rstrip()
    rest = line.raw[found.end() + len(body) :]
    return _Shaped(line, found["quote"], found["indent"], found["mark"], body, rest)


def _may_follow(run: list[_Shaped], other: _Shaped) -> bool:
    """Whether the layout allows for a line to go on with the paragraph."""
    last = run[-1]
    if len(run) >= _MOST_LINES or other.mark or not any(map(str.isalnum, other.body)):
        return False
    if other.quote.replace(" ", "") != last.quote.replace(" ", ""):
        return False
    if len(run) > 1:
        return other.margin == last.margin
    if last.mark:  # an item's other lines stand below its words, or somewhere between them and the margin
        return other.margin <= last.margin + len(last.mark.expandtabs()) + 2
    return other.margin == last.margin or 0 < last.margin - other.margin <= 8


def _is_full(one: _Shaped, other: _Shaped, width: int) -> bool:
    """Whether the next line's first word had no room in this line, more or less."""
    if _DIVIDED.search(one.body) and other.body[:1].islower():
        return True
    word = other.body.split()[0]
    return one.width + 1 + display_width(word) > width - max(4, int(width * _SLACK))


def _ends_sentence(one: str, other: str) -> bool:
    if _PLAIN_END.search(one) and other[:1].isupper():
        return True  # quickly, as for most
    if not _ENDS.search(one):
        return False
    before = one[-60:]
    text = f"{before} {other[:60]}"
    ends = 0
    for sentence in split_sentences(text):
        ends += len(sentence)
        if ends == len(before) + 1:
            return True
    return bool(re.search(r"[:;]$", one))


def _is_one_sentence_after_another(run: list[_Shaped], goes_on: list[bool | None]) -> bool:
    """From a capital to a full stop, with no line between that looks like another beginning."""
    first = run[0].body.lstrip(_OPENING)[:1]
    return first.isupper() and False not in goes_on and bool(_ENDS.search(run[-1].body))


def _is_wrapped(part: list[_Shaped], goes_on: list[bool | None]) -> bool:
    joined, ended = goes_on.count(True), goes_on.count(None)
    broken = len(goes_on) - joined - ended  # no full stop, and yet a capital follows
    if not joined or 2 * broken > joined:
        return False
    hanging = bool(part[0].mark) and all(one.margin > part[0].margin for one in part[1:])
    if hanging:
        return True
    complete = bool(_ENDS.search(part[-1].body))
    first = part[0].body.lstrip(_OPENING)[:1]
    if first.islower():  # as in a list, or after "Dear Ann,"
        return complete and (joined > 1 or max(one.width for one in part) >= _PROSE_WIDTH)
    return complete or (joined > 1 and first.isupper() and max(one.width for one in part) >= _NARROW)


def _is_table_or_code(run: list[_Shaped]) -> bool:
    if 2 * sum(bool(_COLUMNS.search(one.body)) for one in run) >= len(run):
        return True
    gaps = [{found.end() for found in _GAP.finditer(one.line.text)} for one in run]
    if sum(bool(one & other) for one, other in pairwise(gaps)) * 2 >= len(run) - 1 > 0 and all(gaps):
        return True
    code = sum(bool(_CODE.search(one.body)) for one in run)
    return 2 * code >= len(run) and (run[-1].margin >= 2 or code == len(run))


def _units(paragraph: list[_Shaped], usual: int) -> Iterator[Unit]:
    first, last = paragraph[0], paragraph[-1]
    text = _joined([one.body for one in paragraph])
    raw = "".join(one.line.raw for one in paragraph)
    before = first.quote + first.indent + first.mark
    core = raw[len(before) : len(raw) - len(last.rest)]
    if not has_letters(text):
        yield Fixed(raw)
        return
    width = max(one.width for one in paragraph)
    if width < usual <= 1.15 * width:
        width = usual
    margin = paragraph[1].quote + paragraph[1].indent
    separator = (first.line.end or "\n") + margin

    def write(translation: str) -> str:
        lines = wrap(translation, width - display_width(margin), display_width(before) - display_width(margin))
        return separator.join(lines)

    if before:
        yield Fixed(before)
    yield Text(text, first.line.number, core, write)
    if last.rest:
        yield Fixed(last.rest)


def _joined(bodies: list[str]) -> str:
    """The lines as one, with the words that were divided at a line's end whole again."""
    text = bodies[0]
    for body in bodies[1:]:
        if text.endswith("\u00ad"):
            text = text[:-1] + body
        elif _DIVIDED.search(text) and body[:1].islower():
            text = (text if _keeps_hyphen(text, body) else text[:-1]) + body
        else:
            text = f"{text} {body}"
    return re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", text)


def _keeps_hyphen(text: str, body: str) -> bool:
    part = re.split(r"[\s\"'“‘(]", text[:-1])[-1].lower()
    word = re.match(r"[\w'’-]*", body)
    return part in all_languages().hyphenated_beginnings or "-" in part or bool(word and "-" in word[0])
