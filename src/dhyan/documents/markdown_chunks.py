"""A Markdown document in parts that can be parsed alone, so that a large one is never in memory as a whole.

A document of ordinary size is one part. A larger one is cut where a block begins. Its links may lead to definitions
that have not been read yet: those that are near are known, and the environment says that it is `incomplete`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from dhyan.documents.line_reader import LineReader
from dhyan.documents.markdown_parser import Environment, blocks

AHEAD = 1 << 16  # characters that are read ahead
LINE_END = re.compile(r"\r\n?|\n")  # to the parser
_PART = 1 << 11
_DEFINITION = re.compile(r"(?:[ >]|[-*+] ){0,8}\[([^\[\]\n^][^\[\]\n]{0,500})\]:[ \t]*(\S+)")


class Chunk(NamedTuple):
    text: str
    tokens: list[Token]
    environment: Environment  # what was known when it was parsed


class ChunkReader:
    def __init__(self, source: LineReader, parser: MarkdownIt) -> None:
        self.parser = parser
        self.ahead = ""
        self._environment: Environment = {"references": {}}
        self._snapshot: Environment = {"references": {}}
        self._lines = iter(source)
        self._next = next(self._lines, None)
        self._read(AHEAD)

    def _read(self, size: int) -> None:
        """Have so many characters ahead, if there are as many."""
        lines = [self.ahead]
        length = len(self.ahead)
        while self._next is not None and length < size:
            lines.append(self._next.raw)
            length += len(self._next.raw)
            self._define(self._next.text)
            self._next = next(self._lines, None)
        self.ahead = "".join(lines)
        self._environment["incomplete"] = self._next is not None

    def _define(self, line: str) -> None:
        if found := _DEFINITION.match(line):
            definition = {"href": found[2], "title": ""}
            self._environment["references"].setdefault(normalizeReference(found[1]), definition)

    def drop(self, length: int) -> None:
        self.ahead = self.ahead[length:]
        self._read(AHEAD)

    def __iter__(self) -> Iterator[Chunk]:
        if not self._environment["incomplete"]:
            self._environment["references"].clear()  # the parser finds them all, and only those that are none of code
            if self.ahead:
                yield Chunk(self.ahead, blocks(self.parser, self.ahead, self._environment), self._environment)
            return
        size = _PART
        while self.ahead:
            end = self.ahead.find("\n", size) + 1 or len(self.ahead)
            tokens = blocks(self.parser, self.ahead[:end], self._environment)
            if end == len(self.ahead) and not self._environment["incomplete"]:
                yield Chunk(self.ahead, tokens, self._known())
                return
            starts = [0, *(found.end() for found in LINE_END.finditer(self.ahead, 0, end))]
            line = self._last_block(tokens, starts)
            if line == 0:  # one block, and it goes on: look at twice as much
                size = 2 * end
                self._read(2 * size)
                continue
            length = starts[line]
            complete = [token for token in tokens if token.map is None or token.map[0] < line]
            yield Chunk(self.ahead[:length], complete, self._known())
            self.drop(length)
            size = _PART

    def _known(self) -> Environment:
        """The environment as it is now; more definitions may come before the chunk's translation does."""
        references = self._environment["references"]
        if len(references) != len(self._snapshot["references"]) or "incomplete" not in self._snapshot:
            self._snapshot = {"references": dict(references), "incomplete": True}
        return self._snapshot

    def _last_block(self, tokens: list[Token], starts: list[int]) -> int:
        """The line at which the last block begins, or the last item of a list: what stands before it is complete."""
        last = 0
        for token in tokens:
            item = token.type == "list_item_open" and token.level == 1
            # Without what stands above it, an item that is set in would be code.
            if token.map and (token.level == 0 or (item and self.ahead[starts[token.map[0]]] not in " \t")):
                last = max(last, token.map[0])
        return last
