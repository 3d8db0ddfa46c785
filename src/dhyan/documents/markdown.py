"""Markdown, block by block: headings, paragraphs, list items, quotes and table cells are texts.

Front matter, code, HTML blocks, link definitions and all marks at the edges of a line are kept. The lines of a
paragraph are one text, and its translation goes over as many lines again.
"""

import re
from collections import deque
from collections.abc import Iterator

from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.markdown_inline import inline
from dhyan.documents.options import DocumentOptions
from dhyan.documents.rewrap import rewrap
from dhyan.documents.units import Fixed, Unit, one_line

# `>`, `-`, `1.` and `[x]` before a text, as many as there are.
_MARKS = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*(?:\[[ xX]\][ \t]+)?")
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})|(\$\$)(?!.*\$\$)")
# No pattern may give back white space and try again: a line of n spaces would take n² steps.
_HEADING = re.compile(r"#{1,6}[ \t]++")
_HEADING_ID = re.compile(r"\{[#.][^{}]*\}")  # {#name .class}
_RULE = re.compile(r"[ \t]*+(?:=++|-++|(?:[-*_][ \t]*+){3,})[ \t]*+")
_TABLE_RULE = re.compile(r"[ \t>]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)*\|?[ \t]*+")
_DEFINITION = re.compile(r"\[(?!\^)[^\]]+\]:[ \t]*\S|:::|\[![A-Z]+\]\s*$")  # link targets, ::: blocks, [!NOTE]
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:[ \t]*")
_HARD_BREAK = ("  ", "\\")  # at the end of a line
_UNFIT_START = re.compile(
    r"[-+*_]+(?:\s|$)|[>#=|~`:<]|\d{1,9}[.)]"
)  # a word that would mean something at the start of a line
_BLOCK_TAGS = (
    "address article aside base blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main "
    "menu menuitem nav noframes ol optgroup option p param pre script search section style summary table tbody td "
    "textarea tfoot th thead title tr track ul"
).replace(" ", "|")
_HTML = re.compile(rf"<(?:!--|\?|![A-Za-z]|/?(?:{_BLOCK_TAGS})(?:[\s/>]|$))", re.IGNORECASE)
_LONE_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>[ \t]*$")
_FRONT_MATTER_LINES = 500
_PARAGRAPH_LINES = 200


class _Lines:
    """Lines to take one by one, with a look at the next."""

    def __init__(self, source: LineReader) -> None:
        self._lines = iter(source)
        self._ahead: deque[Line] = deque()

    def look(self, ahead: int = 1) -> Line | None:
        while len(self._ahead) < ahead:
            line = next(self._lines, None)
            if line is None:
                return None
            self._ahead.append(line)
        return self._ahead[ahead - 1]

    def take(self) -> Line | None:
        line = self.look()
        return self._ahead.popleft() if line else None


class _Indents:
    """Tells code set in by four spaces from text that belongs to a list item."""

    def __init__(self) -> None:
        self._items: list[int] = []  # where the text of each open list item begins
        self._after_blank = True
        self._in_code = False

    def is_code(self, text: str) -> bool:
        expanded = text.expandtabs(4)
        indent = len(expanded) - len(expanded.lstrip(" "))
        if not expanded.strip():
            self._after_blank = True
            return False
        if self._after_blank:
            while self._items and self._items[-1] > indent:
                self._items.pop()
        base = self._items[-1] if self._items else 0
        self._in_code = (self._after_blank or self._in_code) and indent >= base + 4
        self._after_blank = False
        if self._in_code:
            return True
        if _LIST_MARK.match(expanded) and (marks := _MARKS.match(expanded)):
            while self._items and self._items[-1] > indent:
                self._items.pop()
            self._items.append(min(marks.end(), indent + 6))
        return False


def read_markdown(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    lines = _Lines(source)
    indents = _Indents()
    yield from _front_matter(lines)
    while line := lines.take():
        marks, rest = _split_marks(line.text)
        if indents.is_code(line.text) or not rest or re.search(r">[ \t]{5,}$", marks):
            yield Fixed(line.raw)
        elif fence := _FENCE.match(rest):
            yield from _fenced(line, lines, fence[1] or fence[2] or fence[3], quoted=">" in marks)
        elif _HTML.match(rest) or _LONE_TAG.match(rest):
            yield from _html_block(line, lines, rest)
        elif _RULE.fullmatch(rest) or _DEFINITION.match(rest):
            yield Fixed(line.raw)
        elif heading := _HEADING.match(rest):
            words = _heading_words(rest[heading.end() :])
            yield Fixed(marks + heading[0])
            yield from inline(words, line.number, one_line)
            yield Fixed(rest[heading.end() + len(words) :] + line.end)
        elif "|" in rest and (rule := lines.look()) and _is_table_rule(rule):
            yield from _table(line, lines)
        else:
            yield from _paragraph(line, lines)


def _split_marks(text: str) -> tuple[str, str]:
    marks = _MARKS.match(text)
    end = marks.end() if marks else 0
    return text[:end], text[end:]


def _heading_words(text: str) -> str:
    """A heading without what closes it: `{#name}`, `##`, white space."""
    words = text.rstrip(" \t")
    if (bare := words.rstrip("#")).endswith((" ", "\t")):
        words = bare.rstrip(" \t")
    start = words.rfind("{")
    if start > 0 and words[start - 1] in " \t" and _HEADING_ID.fullmatch(words, start):
        words = words[:start].rstrip(" \t")
    return words


def _front_matter(lines: _Lines) -> Iterator[Unit]:
    """What stands between two `---` at the top; a lone `---` is a rule like any other."""
    first = lines.look()
    if first is None or first.text.rstrip() not in ("---", "+++"):
        return
    ends = ("---", "...") if first.text.startswith("-") else ("+++",)
    for count in range(2, _FRONT_MATTER_LINES):
        line = lines.look(count)
        if line is None:
            return
        if line.text.rstrip() in ends:
            yield from (Fixed(taken.raw) for _ in range(count) if (taken := lines.take()))
            return


def _fenced(line: Line, lines: _Lines, fence: str, quoted: bool) -> Iterator[Unit]:
    yield Fixed(line.raw)
    while following := lines.look():
        if quoted and not following.text.lstrip().startswith(">"):
            return  # the quote is over, and the code in it too
        lines.take()
        yield Fixed(following.raw)
        bare = following.text.strip(" \t>")
        if bare.startswith(fence) and not bare.strip(fence[0]):
            return


def _html_block(line: Line, lines: _Lines, rest: str) -> Iterator[Unit]:
    opening = re.match(r"<(!--|script\b|pre\b|style\b|textarea\b)", rest, re.IGNORECASE)
    end = "" if opening is None else "-->" if opening[1] == "!--" else f"</{opening[1].lower()}"
    yield Fixed(line.raw)
    if end and end in rest.lower():
        return
    while following := lines.look():
        if not end and not following.text.strip():
            return  # any other block goes on to an empty line
        lines.take()
        yield Fixed(following.raw)
        if end and end in following.text.lower():
            return


def _is_table_rule(line: Line) -> bool:
    return "-" in line.text and "|" in line.text and bool(_TABLE_RULE.fullmatch(line.text))


def _table(line: Line, lines: _Lines) -> Iterator[Unit]:
    yield from _row(line)
    while (following := lines.look()) and "|" in following.text:
        lines.take()
        yield from _row(following)


def _row(line: Line) -> Iterator[Unit]:
    marks, rest = _split_marks(line.text)
    yield Fixed(marks)
    for index, cell in enumerate(re.split(r"(?<!\\)\|", rest)):
        if index:
            yield Fixed("|")
        yield from inline(cell, line.number, lambda text: re.sub(r"(?<!\\)\|", r"\\|", one_line(text)))
    yield Fixed(line.end)


def _paragraph(line: Line, lines: _Lines) -> Iterator[Unit]:
    marks, rest = _split_marks(line.text)
    if footnote := _FOOTNOTE.match(rest):
        marks, rest = marks + footnote[0], rest[footnote.end() :]
    yield Fixed(marks)
    texts, separators, last = [rest.rstrip()], [], line
    while not last.text.endswith(_HARD_BREAK) and len(texts) < _PARAGRAPH_LINES:
        following = lines.look()
        if following is None or not _goes_on(following, quotes=marks.count(">")):
            break
        lines.take()
        inner_marks, inner = _split_marks(following.text)
        separators.append(last.text[len(last.text.rstrip()) :] + last.end + inner_marks)
        texts.append(inner.rstrip())
        last = following
    raw = texts[0] + "".join(separator + text for separator, text in zip(separators, texts[1:], strict=True))
    yield from inline(raw, line.number, lambda text: rewrap(text, separators, _UNFIT_START), text=" ".join(texts))
    yield Fixed(last.text[len(last.text.rstrip()) :] + last.end)


def _goes_on(line: Line, quotes: int) -> bool:
    """Whether a line carries on the paragraph above it."""
    marks, rest = _split_marks(line.text)
    if not rest.strip() or "|" in rest or marks.count(">") != quotes or marks.replace(">", "").strip():
        return False
    starts = (_FENCE, _HTML, _DEFINITION, _FOOTNOTE)
    return not (_RULE.fullmatch(rest) or _HEADING.match(rest) or any(start.match(rest) for start in starts))
