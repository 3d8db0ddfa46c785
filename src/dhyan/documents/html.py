"""HTML: the inside of each paragraph, heading or cell is a text, with the tags that stand within the line.

Tags, attributes, comments, scripts, code and whatever says `translate="no"` stay byte for byte; an entity that
survives translation is written as before.
"""

import re
from collections.abc import Iterator
from html import unescape

from dhyan.documents.html_tokens import Token, html_tokens
from dhyan.documents.inline_tags import InlineTags
from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_INLINE = _names(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math q s samp script small "
    "span strike strong sub sup svg time tt u var wbr"
)
_OPAQUE = _names("script style textarea xmp pre code kbd samp var svg math template object iframe")
_VOID = _names("area base br col embed hr img input link meta source track wbr")
_LEAVE_ALONE = re.compile(r"\stranslate\s*=\s*(?:\"no\"|'no'|no\b)", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_SPACE = " \t\r\n\f"  # a no-break space is not white space to HTML
_LONGEST_RUN = 1000  # tokens; a page without paragraphs is cut somewhere


def read_html(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    run: list[Token] = []  # texts and tags within the line, not yet ended by a paragraph's edge
    kept_name, kept_depth = "", 0  # the element that is being left alone, and how deep we are in it
    for token in html_tokens(source):
        if kept_depth:
            kept_depth += _depth_change(token, kept_name)
            token = Token("kept", token.raw, kept_name, token.line)
        elif token.kind == "start" and (token.name in _OPAQUE or _LEAVE_ALONE.search(token.raw)):
            kept_name, kept_depth = token.name, _depth_change(token, token.name)
            token = Token("kept", token.raw, token.name, token.line)
        within_line = token.name in _INLINE or not token.name
        if not within_line or len(run) == _LONGEST_RUN:
            yield from _paragraph(run)
            run = []
        if within_line:
            run.append(token)
        else:
            yield Fixed(token.raw)
    yield from _paragraph(run)


def _depth_change(token: Token, name: str) -> int:
    if token.name != name or token.name in _VOID or token.closes_itself:
        return 0
    return {"start": 1, "end": -1}.get(token.kind, 0)


def _paragraph(run: list[Token]) -> Iterator[Unit]:
    """Hand over what has words in it; tags and white space around the words stay outside."""
    first, last = _peeled(run)
    before, tokens, after = run[:first], run[first:last], run[last:]
    if not any(token.kind == "text" and has_letters(unescape(token.raw)) for token in tokens):
        if run:
            yield Fixed(_raw(run))
        return
    raw = _raw(tokens)
    core = raw.strip(_SPACE)
    start = raw.index(core)
    tags = InlineTags(raw)
    spellings: dict[str, str] = {}
    prepared = re.sub(f"[{_SPACE}]+", " ", _prepared(tokens, tags, spellings)).strip(_SPACE)
    yield Fixed(_raw(before) + raw[:start])
    yield Text(
        prepared,
        tokens[0].line + raw[:start].count("\n"),
        core,
        lambda translation: tags.restore(translation, prepared, lambda text: _spelt(text, spellings)),
    )
    yield Fixed(raw[start + len(core) :] + _raw(after))


def _raw(tokens: list[Token]) -> str:
    return "".join(token.raw for token in tokens)


def _peeled(run: list[Token]) -> tuple[int, int]:
    """Where the words begin and end once the tags around all of them are taken off."""
    first, last = 0, len(run)
    while first < last:
        if _stands_alone(run[first]):
            first += 1
        elif _stands_alone(run[last - 1]):
            last -= 1
        elif _encloses(run[first:last]):
            first, last = first + 1, last - 1
        else:
            break
    return first, last


def _stands_alone(token: Token) -> bool:
    return token.kind == "kept" or token.name in _VOID or (token.kind == "text" and not token.raw.strip(_SPACE))


def _encloses(tokens: list[Token]) -> bool:
    """Whether the first token opens an element that the last one closes."""
    opening, closing = tokens[0], tokens[-1]
    if opening.kind != "start" or closing.kind != "end" or opening.name != closing.name:
        return False
    depth = 0
    for token in tokens[:-1]:
        depth += _depth_change(token, opening.name)
        if depth <= 0:
            return False
    return depth == 1


def _prepared(tokens: list[Token], tags: InlineTags, spellings: dict[str, str]) -> str:
    prepared: list[str] = []
    kept = ""
    for token in [*tokens, Token("text", "", "", 0)]:
        if token.kind == "kept":
            kept += token.raw
            continue
        if kept:
            prepared.append(tags.piece(kept))
            kept = ""
        prepared.append(_plain(token.raw, spellings) if token.kind == "text" else tags.tag(token.raw))
    return "".join(prepared)


def _plain(text: str, spellings: dict[str, str]) -> str:
    """Characters instead of entities, as translators expect them; `&lt;` and `&gt;` would look like tags."""

    def character(entity: re.Match[str]) -> str:
        found = unescape(entity[0])
        ambiguous = found == "&" and re.match(r"[\w#]", text[entity.end() :])
        if len(found) != 1 or found in "<>" or found in _SPACE or ambiguous:
            return entity[0]
        if not found.isascii() or found in "&\"'":
            spellings[found] = entity[0]
        return found

    return _ENTITY.sub(character, text)


def _spelt(text: str, spellings: dict[str, str]) -> str:
    text = re.sub(rf"&(?!{_ENTITY.pattern[1:]})", spellings.get("&", "&amp;"), text).replace("<", "&lt;")
    return "".join(character if character == "&" else spellings.get(character, character) for character in text)
