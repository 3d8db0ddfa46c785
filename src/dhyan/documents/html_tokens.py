"""HTML cut into tags, texts and parts to be kept; joined, the tokens are the document again.

Unlike the standard library's parser, this one keeps every character as it was written.
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
        offset = 0
        while offset < len(buffer):
            token = _kept(buffer, offset, number, until) if until else _token(buffer, offset, number)
            if token is None:
                break  # a tag that goes on in the next line
            if until is None:
                until = _opened(token)
            elif until.search(token.raw) or until.match(buffer, offset + len(token.raw)):
                until = None
            offset += len(token.raw)
            number += token.raw.count("\n")
            if token.raw:
                yield token
        buffer = buffer[offset:]
    if buffer:
        yield Token("kept", buffer, "", number)


def _kept(buffer: str, offset: int, number: int, until: re.Pattern[str]) -> Token:
    found = until.search(buffer, offset)
    return Token("kept", buffer[offset : found.end() if found else len(buffer)], "", number)


def _token(buffer: str, offset: int, number: int) -> Token | None:
    if buffer[offset] != "<":
        end = buffer.find("<", offset)
        return Token("text", buffer[offset : end if end >= 0 else len(buffer)], "", number)
    for opening, _ in _KEPT:
        if buffer.startswith(opening, offset):
            return Token("kept", opening, "", number)
    name = _NAME.match(buffer, offset)
    if name is None:
        return Token("text", "<", "", number)
    end = _tag_end(buffer, name.end())
    if end < 0:
        return None if len(buffer) - offset < _LONGEST_TAG else Token("text", "<", "", number)
    kind: Literal["start", "end"] = "end" if buffer[offset + 1] == "/" else "start"
    return Token(kind, buffer[offset:end], name[1].lower(), number)


def _tag_end(buffer: str, offset: int) -> int:
    """Where a tag ends: at a `>` outside quoted attributes; -1 if that has not been read yet."""
    if (
        buffer.find(">", offset, offset + _LONGEST_TAG) < 0
    ):  # what has no end at all is not searched for quotes, again and again
        return -1
    while mark := _TAG_MARK.search(buffer, offset):
        if not mark[1]:
            return mark.end()
        closing = buffer.find(mark[1], mark.end())
        if closing < 0:
            return -1
        offset = closing + 1
    return -1


def _opened(token: Token) -> re.Pattern[str] | None:
    """The pattern that ends what this token opens (a comment, a script); None if it opens nothing."""
    if token.kind == "kept":
        return re.compile(re.escape(dict(_KEPT)[token.raw]))
    if token.kind == "start" and token.name in _RAW_TEXT and not token.closes_itself:
        return re.compile(rf"(?=</{token.name}\b)", re.IGNORECASE)
    return None
