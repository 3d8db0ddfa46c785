"""Lines → Markdown: headings by font size, paragraphs joined over line ends, lists, tables.

What stands at the edge of many pages (running heads, page numbers) is left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from textwrap import dedent

from dhyan.documents.pdf.page_lines import Line

_BULLET = re.compile(r"(?:[•‣▪▫◦●○■□·∙➢➤✓❖\uf0b7\uf0a7\uf0d8\uf0fc]|[-–—*](?=\s))\s*")
_NUMBER = re.compile(r"\(?(\d{1,3}|[a-z])[.)]\s+")
_SENTENCE_END = re.compile(r"[.!?:;।][\"'”’)\]]*$")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page\s+|p\.\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_LEADER = re.compile(r"\s*(?:[.…]\s?){4,}\s*(?:\d+|[ivxlc]+)?\s*$")  # in a table of contents, with the page number
_FENCE = "~~~~"
_EDGE_LINES = 3  # at the top and the bottom of a page, where running heads stand
_FEWEST_GAPS = 2  # between paragraphs, for a page that has them
_LONGEST_HEADING = 120  # characters, of one in the size of the text


@dataclass(slots=True)
class _Block:
    kind: str  # "heading", "paragraph", "item", "row" or "code"
    text: str
    mark: str = ""  # of a list item
    level: int = 0  # of a heading; how deep an item stands
    cells: list[str] = field(default_factory=list)


def markdown(pages: Sequence[Sequence[Line]]) -> str:
    lines = [[line for line in page if line.text] for page in _without_running_heads(pages)]
    sizes: Counter[float] = Counter()
    fonts: Counter[bool] = Counter()
    for line in (one for page in lines for one in page):
        sizes[round(line.size * 2) / 2] += len(line.text)
        fonts[line.monospaced] += len(line.text)
    if not sizes:
        return ""
    if fonts[True] > fonts[False]:  # typewritten: not code
        lines = [[replace(line, monospaced=False) for line in page] for page in lines]
    body = sizes.most_common(1)[0][0]
    larger = sorted((size for size in sizes if size > 1.12 * body), reverse=True)
    levels = {size: min(number, 6) for number, size in enumerate(larger, start=1)}
    words = frozenset(word for page in lines for line in page for word in re.findall(r"[\w-]+", line.text.lower()))
    blocks: list[_Block] = []
    for page in lines:
        found = list(_blocks(page, body, levels, words))
        if blocks and found and _goes_on(blocks[-1], found[0]):
            blocks[-1].text = _joined(blocks[-1].text, found.pop(0).text, words)
        blocks += found
    return _written(blocks)


def _without_running_heads(pages: Sequence[Sequence[Line]]) -> Iterator[list[Line]]:
    """Without lines that stand at one height at the edge of several pages and differ in nothing but numbers."""
    numbered = [list(zip(page, _from_edge(page), strict=True)) for page in pages]
    seen: Counter[tuple[str, int]] = Counter()
    for page in numbered:
        seen.update({_running(line) for line, place in page if place < _EDGE_LINES})
    for page in numbered:
        yield [
            line
            for line, place in page
            if not (place == 0 and (_PAGE_NUMBER.fullmatch(line.text) or seen[_running(line)] > 1))
            and not (place < _EDGE_LINES and seen[_running(line)] >= max(2, len(pages) / 3))
        ]


def _from_edge(page: Sequence[Line]) -> list[int]:
    """For each line, how many heights of lines are above it or below it, whichever is less."""
    heights = sorted({round(line.y) for line in page})
    places = {height: min(number, len(heights) - 1 - number) for number, height in enumerate(heights)}
    return [places[round(line.y)] for line in page]


def _running(line: Line) -> tuple[str, int]:
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", line.text.lower()), round(line.y / 6)


def _blocks(page: Sequence[Line], body: float, levels: dict[float, int], words: frozenset[str]) -> Iterator[_Block]:
    spacing, spaced = _spacing(page)
    current: _Block | None = None
    before: Line | None = None
    for line in page:
        started = _started(line, body, levels)
        if current is not None and before is not None and _continues(current, before, started, line, spacing, spaced):
            if current.kind == "code":
                current.text += f"\n{started.text}"
            else:
                current.text = _joined(current.text, line.text, words)
        else:
            if current is not None:
                yield current
            current = started
        before = line
    if current is not None:
        yield current


def _started(line: Line, body: float, levels: dict[float, int]) -> _Block:
    """The block that would begin with this line."""
    text = line.text
    if line.monospaced:
        return _Block("code", " " * max(0, round((line.x - line.column[0]) / (0.6 * line.size))) + text)
    if leader := _LEADER.search(text):
        return _Block("item", text[: leader.start()], "-")
    level = levels.get(round(line.size * 2) / 2)
    indent = max(0, round((line.x - line.column[0]) / max(1.5 * body, 1)) - 1)
    if bullet := _BULLET.match(text):
        return _Block("item", text[bullet.end() :], "-", indent)
    if level and not text.endswith((".", ";", ",")):
        return _Block("heading", text, level=level)
    if len(line.cells) > 1 and not _NUMBER.fullmatch(f"{line.cells[0]} "):
        return _Block("row", text, cells=list(line.cells))
    if number := _NUMBER.match(text):
        return _Block("item", text[number.end() :], f"{number[1]}." if number[1].isdigit() else "-", indent)
    if line.bold and len(text) < _LONGEST_HEADING and not _SENTENCE_END.search(text.rstrip(":")):
        return _Block("heading", text, level=min(6, len(levels) + 1))
    return _Block("paragraph", text)


def _continues(current: _Block, before: Line, started: _Block, line: Line, spacing: float, spaced: bool) -> bool:
    """Whether a line belongs to the block of the line before it.

    spaced: whether paragraphs have space between them; else a short line, or an indent, is what ends them.
    """
    if started.kind == "code" or current.kind == "code":
        return started.kind == current.kind and 0 < before.y - line.y < 2.6 * line.size
    if started.kind == "heading" or current.kind == "heading":
        same = started.kind == current.kind and started.level == current.level
        return same and 0 < before.y - line.y < 1.6 * line.size
    if started.kind in ("item", "row") or current.kind == "row":
        return False
    if line.column != before.column or line.y > before.y:  # the next column, or below something that spans all
        return not _SENTENCE_END.search(current.text) and not started.text[:1].isupper()
    if before.y - line.y > 1.3 * spacing + 0.5 or abs(line.size - before.size) > 0.12 * before.size:
        return False
    indented = line.x - before.x > 0.8 * line.size
    if current.kind == "item":
        return indented or abs(line.x - before.x) < 0.8 * line.size or not _SENTENCE_END.search(current.text)
    width = max(before.column[1] - before.column[0], 1)
    ended = _SENTENCE_END.search(current.text)
    short = before.end < before.column[1] - 0.25 * width
    return not ((indented or (short and not spaced)) and ended and started.text[:1].isupper())


def _spacing(page: Sequence[Line]) -> tuple[float, bool]:
    """The usual distance of two lines, and whether there are wider ones between paragraphs."""
    distances: Counter[float] = Counter()
    for one, other in pairwise(page):
        distance = one.y - other.y
        if 0 < distance < 3 * one.size and abs(one.size - other.size) < 0.1 * one.size:
            distances[round(distance * 2) / 2] += 1
    if not distances:
        return 1.2 * (page[0].size if page else 10), False
    usual = distances.most_common(1)[0][0]
    wider = sum(count for distance, count in distances.items() if distance > 1.3 * usual + 0.5)
    return usual, wider >= _FEWEST_GAPS


def _goes_on(last: _Block, first: _Block) -> bool:
    """Whether a paragraph goes on over the end of a page."""
    return (
        last.kind in ("paragraph", "item")
        and first.kind == "paragraph"
        and not _SENTENCE_END.search(last.text)
        and not first.text[:1].isupper()
    )


def _joined(text: str, line: str, words: frozenset[str]) -> str:
    """Two lines as one; a word that was divided at the line end is whole again."""
    if not _HYPHEN.search(text) or not line[:1].islower():
        return f"{text} {line}"
    first, rest = re.split(r"\s", text)[-1][:-1], re.split(r"[^\w]", line, maxsplit=1)[0]
    keeps_hyphen = f"{first}-{rest}".lower() in words and f"{first}{rest}".lower() not in words
    return f"{text if keeps_hyphen else text[:-1]}{line}"


# -- written ---------------------------------------------------------------------------------------------------------


def _written(blocks: Iterable[_Block]) -> str:
    parts: list[str] = []
    for kind, group in groupby(blocks, lambda block: (block.kind, len(block.cells), block.mark == "-")):
        members = list(group)
        if kind[0] == "row":
            parts.append(_table(members) if len(members) > 1 else _escaped("  ".join(members[0].cells)))
        elif kind[0] == "code":
            parts += [f"{_FENCE}\n{dedent(block.text)}\n{_FENCE}" for block in members]
        elif kind[0] == "item":
            shallowest = min(block.level for block in members)
            indents = ["   " * min(block.level - shallowest, 3) for block in members]
            items = zip(indents, members, strict=True)
            parts.append("\n".join(f"{indent}{block.mark} {_escaped(block.text)}" for indent, block in items))
        elif kind[0] == "heading":
            parts += [f"{'#' * block.level} {_escaped(block.text)}" for block in members]
        else:
            parts += [_escaped(block.text) for block in members]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[_Block]) -> str:
    lines = ["| " + " | ".join(_escaped(cell).replace("|", r"\|") for cell in row.cells) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0].cells), *lines[1:]])


def _escaped(text: str) -> str:
    """Characters that Markdown would take for marks."""
    text = re.sub(r"([\\*`]|<(?=[A-Za-z/!?])|\[(?=[^\]]*\]\())", r"\\\1", text)
    return re.sub(
        r"^([#>+=~-]|\d+(?=[.)]\s))", lambda found: rf"\{found[1]}" if not found[1].isdigit() else found[1], text
    )
