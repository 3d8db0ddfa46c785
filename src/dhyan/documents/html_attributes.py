"""Attributes of HTML tags that people read or hear (alt, title, placeholder …), and those that name the language."""

import re
from collections.abc import Iterator
from html import escape, unescape
from typing import NamedTuple

from dhyan.documents.html_tokens import Token
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters, one_line

_ATTRIBUTE = re.compile(r"[\s/]([^\s\"'<>/=]+)(?:\s*+=\s*+(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")
_ANYWHERE = ("title", "alt", "placeholder", "aria-label", "aria-description", "aria-placeholder", "aria-valuetext")
_BY_ELEMENT = {"option": "label", "optgroup": "label", "track": "label", "table": "summary", "th": "abbr"}
_BUTTONS = ("submit", "button", "reset")
# <meta name="description" content="…">, and what other pages show of this one.
_META = re.compile(
    r"(?:dc\.|dcterms\.|og:|twitter:)?(?:title|description)|(?:og:|twitter:)image:alt|og:site_name|subject|abstract"
    r"|application-name|apple-mobile-web-app-title",
    re.IGNORECASE,
)


class Attribute(NamedTuple):
    """A value to translate: where it stands in the tag, without its quotes, if it has any."""

    start: int
    end: int
    quote: str
    text: str

    def written(self, translation: str) -> str:
        quote = self.quote or '"'
        value = escape(one_line(translation), quote=False)
        value = value.replace(quote, "&quot;" if quote == '"' else "&#39;")
        return value if self.quote else f'"{value}"'


def attributes(token: Token) -> list[Attribute]:
    """The values of a start tag that are texts."""
    if token.kind != "start":
        return []
    found = list(_attributes(token.raw))
    values = {name: unescape(value.text) for name, value in reversed(found)}
    return [value for name, value in found if has_letters(value.text) and _is_text(token.name, name, values)]


def _attributes(tag: str) -> Iterator[tuple[str, Attribute]]:
    for found in _ATTRIBUTE.finditer(tag):
        if found[2] is None:
            continue
        quote = found[2][0] if found[2][0] in "\"'" else ""
        start, end = found.start(2) + len(quote), found.end(2) - len(quote)
        if not quote and tag.endswith("/>") and end == len(tag) - 1:
            end -= 1  # <br title=x/>
        yield found[1].lower(), Attribute(start, end, quote, " ".join(unescape(tag[start:end]).split()))


def _is_text(element: str, name: str, values: dict[str, str]) -> bool:
    if element == "meta":
        kind = values.get("name") or values.get("property") or values.get("itemprop") or ""
        return name == "content" and bool(_META.fullmatch(kind.strip()))
    if element == "input" and name == "value":
        return values.get("type", "").lower() in _BUTTONS
    if element == "link" and name == "title":
        return "stylesheet" not in values.get("rel", "")  # there it is a name
    return name in _ANYWHERE or name == _BY_ELEMENT.get(element)


def tag_units(token: Token, options: DocumentOptions) -> Iterator[Unit]:
    """A tag as it stands, but for the texts in it and the language that it names."""
    token = token._replace(raw=with_language(token, options))
    raw, at = token.raw, 0
    found = attributes(token)
    for value in found:
        yield Fixed(raw[at : value.start])
        line = token.line + raw.count("\n", 0, value.start)
        yield Text(value.text, line, raw[value.start : value.end], value.written)
        at = value.end
    yield Fixed(raw[at:])


def with_language(token: Token, options: DocumentOptions) -> str:
    """The tag with the target language where it named the source language; <html> always names it."""
    target = options.target_language
    if not target or token.kind != "start":
        return token.raw
    raw, named = token.raw, False
    places = [(name, value) for name, value in _attributes(raw) if name in ("lang", "xml:lang")]
    if token.name == "meta" and re.search(r"http-equiv\s*=\s*[\"']?content-language", raw, re.IGNORECASE):
        places += [(name, value) for name, value in _attributes(raw) if name == "content"]
    for _, value in reversed(places):
        is_source = re.split("[-_]", value.text)[0].lower() == (options.source_language or "en").lower()
        if is_source or (token.name == "html" and options.source_language is None):
            raw = raw[: value.start] + target + raw[value.end :]
        named = True
    if token.name == "html" and not named:
        end = len("<html")
        raw = f'{raw[:end]} lang="{target}"{raw[end:]}'
    return raw
