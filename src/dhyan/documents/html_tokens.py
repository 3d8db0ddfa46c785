"""HTML cut into tags, texts and stretches to be kept; put together again, the tokens are the document.

The standard library's parser tells what it understood; here it matters how it was spelt.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from dhyan.documents.line_reader import Line

_KEPT = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">")]
_NAME = re.compile(r"</?([A-Za-z][^\s/>]*)")
_TAG_MARK = re.compile(r"=\s*([\"'])|>")
_RAW_TEXT = {"script", "style", "textarea", "xmp"}  # no tags inside these, whatever it looks like
_LONGEST_TAG = 1 << 18  # characters over several lines; beyond that a `<` was no tag


class Token(NamedTuple):
    kind: Literal["text", "start", "end", "kept"]
    raw: str
    name: str
    line: int

    @property
    def closes_itself(self) -> bool:
        return self.raw.endswith("/>")


def html_tokens(lines: Iterable[Line]) -> Iterator[Token]:
    buffer = ""
    number = 1
    until: re.Pattern[str] | None = None  # the end of the comment or script that we are in
    for line in lines:
        buffer += line.raw
        place = 0
        while place < len(buffer):
            token = _kept(buffer, place, number, until) if until else _token(buffer, place, number)
            if token is None:
                break  # a tag that goes on in the next line
            if until is None:
                until = _opened(token)
            elif until.search(token.raw) or until.match(buffer, place + len(token.raw)):
                until = None
            place += len(token.raw)
            number += token.raw.count("\n")
            if token.raw:
                yield token
        buffer = buffer[place:]
    if buffer:
        yield Token("kept", buffer, "", number)


def _kept(buffer: str, place: int, number: int, until: re.Pattern[str]) -> Token:
    found = until.search(buffer, place)
    return Token("kept", buffer[place : found.end() if found else len(buffer)], "", number)


def _token(buffer: str, place: int, number: int) -> Token | None:
    if buffer[place] != "<":
        end = buffer.find("<", place)
        return Token("text", buffer[place : end if end >= 0 else len(buffer)], "", number)
    for opening, _ in _KEPT:
        if buffer.startswith(opening, place):
            return Token("kept", opening, "", number)
    name = _NAME.match(buffer, place)
    if name is None:
        return Token("text", "<", "", number)
    end = _tag_end(buffer, name.end())
    if end < 0:
        return None if len(buffer) - place < _LONGEST_TAG else Token("text", "<", "", number)
    kind: Literal["start", "end"] = "end" if buffer[place + 1] == "/" else "start"
    return Token(kind, buffer[place:end], name[1].lower(), number)


def _tag_end(buffer: str, place: int) -> int:
    """Where a tag is over: at a `>` that no quoted attribute holds; -1 if that is yet to come."""
    while mark := _TAG_MARK.search(buffer, place):
        if not mark[1]:
            return mark.end()
        closing = buffer.find(mark[1], mark.end())
        if closing < 0:
            return -1
        place = closing + 1
    return -1


def _opened(token: Token) -> re.Pattern[str] | None:
    """What ends the stretch that this token opens, if it opens one."""
    if token.kind == "kept":
        return re.compile(re.escape(dict(_KEPT)[token.raw]))
    if token.kind == "start" and token.name in _RAW_TEXT and not token.closes_itself:
        return re.compile(rf"(?=</{token.name}\b)", re.IGNORECASE)
    return None
