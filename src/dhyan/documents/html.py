"""HTML: the inside of each paragraph, heading or cell is a text, with the tags that stand within the line.

So are the attributes that people read (alt, title …); those of a tag within the line are handed over with its text,
which says what they are about. All else in tags, comments, scripts, code, mentions and hashtags, and whatever says
`translate="no"`, has the class `notranslate` or names another language within a line stays byte for byte; an entity
that survives translation is written as before.
"""

import re
from collections.abc import Iterator
from html import unescape

from dhyan.documents.html_attributes import Attribute, attributes, tag_units, with_language
from dhyan.documents.html_tokens import Token, html_tokens
from dhyan.documents.inline_tags import SEPARATOR, TAG, InlineTags
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
_NO_WORD = _names("script img") | {""}  # of what is kept within the line: a comment, a script, a handle
_LEAVE_ALONE = re.compile(
    r"""\s(?:translate\s*=\s*(?:"no"|'no'|no\b)|class\s*=\s*(?:"[^"]*\bnotranslate\b|'[^']*\bnotranslate\b|notranslate\b))""",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"""\slang\s*=\s*["']?([A-Za-z]+)""", re.IGNORECASE)
_HANDLE = re.compile(r"[@#]\w[\w.-]*(?:@\w[\w.-]*)?")  # as social networks link people and topics
_LONGEST_HANDLE = 8  # tokens
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_SPACE = " \t\r\n\f"  # a no-break space is not white space to HTML
_VALUE = re.compile("\0([0-9]+)\0")  # where the text of an attribute goes
_LONGEST_RUN = 1000  # tokens; a page without paragraphs is cut somewhere


def read_html(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    run: list[Token] = []  # texts and tags within the line, not yet ended by a paragraph's edge
    left_alone = frozenset(name.lower() for name in options.kept_elements)
    inline, opaque = _INLINE | left_alone, _OPAQUE | left_alone
    kept_name, kept_depth = "", 0  # the element that is being left alone, and how deep we are in it
    for token in html_tokens(source):
        if kept_depth:
            kept_depth += _depth_change(token, kept_name)
            token = Token("kept", token.raw, kept_name, token.line)
        elif token.kind == "start" and (token.name in opaque or _is_left_alone(token, options)):
            kept_name, kept_depth = token.name, _depth_change(token, token.name)
            if _LEAVE_ALONE.search(token.raw) or token.name in inline:  # else its attributes are texts all the same
                token = Token("kept", token.raw, token.name, token.line)
        within_line = token.name in inline or not token.name
        if not within_line or len(run) == _LONGEST_RUN:
            yield from _paragraph(run, options)
            run = []
        if within_line:
            run.append(token)
        else:
            yield from tag_units(token, options)
    yield from _paragraph(run, options)


def _is_left_alone(token: Token, options: DocumentOptions) -> bool:
    """It says so, or it says of words within the line that they are in another language than the page."""
    language = _LANGUAGE.search(token.raw) if token.name in _INLINE else None
    is_foreign = language is not None and language[1].lower() != (options.source_language or language[1]).lower()
    return is_foreign or _LEAVE_ALONE.search(token.raw) is not None


def _depth_change(token: Token, name: str) -> int:
    if token.name != name or token.name in _VOID or token.closes_itself:
        return 0
    return {"start": 1, "end": -1}.get(token.kind, 0)


def _paragraph(run: list[Token], options: DocumentOptions) -> Iterator[Unit]:
    """Hand over what has words in it; tags and white space around the words stay outside."""
    run = _handles_kept(run)
    first, last = _peeled(run)
    before, tokens, after = run[:first], run[first:last], run[last:]
    if not any(token.kind == "text" and has_letters(unescape(token.raw)) for token in tokens):
        yield from _tags(run, options)
        return
    yield from _tags(before, options)
    raw = _raw(tokens)
    core = raw.strip(_SPACE)
    start = raw.index(core)
    if start:
        yield Fixed(raw[:start])
    text = _Paragraph(tokens, options)
    yield Text(text.prepared, tokens[0].line + raw[:start].count("\n"), core, text.written)
    if rest := raw[start + len(core) :]:
        yield Fixed(rest)
    yield from _tags(after, options)


def _handles_kept(run: list[Token]) -> list[Token]:
    """A link that reads @anna or #tea is a name, whatever tags are in it."""
    kept = list(run)
    for first, last in _pairs(run).items():
        link = run[first : last + 1]
        if link[0].name != "a" or len(link) > _LONGEST_HANDLE:
            continue
        if _HANDLE.fullmatch("".join(token.raw for token in link if token.kind == "text")):
            kept[first : last + 1] = [token._replace(kind="kept", name="") for token in link]
    return kept


def _tags(tokens: list[Token], options: DocumentOptions) -> Iterator[Unit]:
    """Tags and white space that stand around the words, or have none."""
    for token in tokens:
        if token.kind == "start":
            yield from tag_units(token, options)
        else:
            yield Fixed(token.raw)


class _Paragraph:
    """Words and the tags within the line; the texts of attributes follow the words, each after a separator."""

    def __init__(self, tokens: list[Token], options: DocumentOptions) -> None:
        self._options = options
        self._tags = InlineTags(_raw(tokens))
        self._spellings: dict[str, str] = {}
        self._attributes: list[Attribute] = []
        words = re.sub(f"[{_SPACE}]+", " ", self._prepared(tokens)).strip(_SPACE)
        texts = (self._tags.separator() + _safe(attribute.text) for attribute in self._attributes)
        self.prepared = "".join([words, *texts])

    def written(self, translation: str) -> str:
        self._tags.check(translation, self.prepared)
        # A page may have <p x1/> of its own, but none stands within a line.
        words, *values = SEPARATOR.split(translation)
        spelt = [
            attribute.written(unescape(TAG.sub("", value)).strip())
            for attribute, value in zip(self._attributes, values, strict=True)
        ]
        return _VALUE.sub(lambda found: spelt[int(found[1])], self._tags.restored(words, self._spelt))

    def _prepared(self, tokens: list[Token]) -> str:
        pairs = _pairs(tokens)
        prepared: list[str] = []
        closing: dict[int, str] = {}
        kept = ""
        for index, token in enumerate([*tokens, Token("text", "", "", 0)]):
            if token.kind == "kept":
                kept += token.raw
                continue
            if kept:
                prepared.append(self._tags.piece(kept))
                kept = ""
            if token.kind == "text":
                prepared.append(_plain(token.raw, self._spellings))
            elif index in closing:
                prepared.append(closing[index])
            else:
                raw = self._with_slots(token)
                if raw == token.raw:
                    prepared.append(self._tags.tag(raw))
                elif index in pairs:
                    opening, closing[pairs[index]] = self._tags.around(raw, tokens[pairs[index]].raw)
                    prepared.append(opening)
                else:
                    prepared.append(self._tags.piece(raw))
        return "".join(prepared)

    def _with_slots(self, token: Token) -> str:
        """A tag with marks where the texts of its attributes go."""
        raw = with_language(token, self._options)
        result, at = "", 0
        for attribute in attributes(token._replace(raw=raw)):
            result += f"{raw[at : attribute.start]}\0{len(self._attributes)}\0"
            at = attribute.end
            self._attributes.append(attribute)
        return result + raw[at:]

    def _spelt(self, text: str) -> str:
        text = re.sub(rf"&(?!{_ENTITY.pattern[1:]})", self._spellings.get("&", "&amp;"), text).replace("<", "&lt;")
        return "".join(
            character if character == "&" else self._spellings.get(character, character) for character in text
        )


def _pairs(tokens: list[Token]) -> dict[int, int]:
    """The index of each start tag's end tag, where there is one."""
    pairs: dict[int, int] = {}
    begun: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        if token.kind == "start" and token.name not in _VOID and not token.closes_itself:
            begun.append((token.name, index))
        elif token.kind == "end" and begun and begun[-1][0] == token.name:
            pairs[begun.pop()[1]] = index
    return pairs


def _safe(text: str) -> str:
    """An attribute's text, in which nothing may look like a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;") if "<" in text else text


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
    """Whether a sentence can do without it. It cannot do without code: `Press <kbd>Enter</kbd>`."""
    if token.kind == "kept":
        return token.name in _NO_WORD or token.name not in _INLINE
    return token.name in _VOID or (token.kind == "text" and not token.raw.strip(_SPACE))


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
