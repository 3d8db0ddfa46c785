"""Marks that say which language a text is in: set to the target language where they said the source language.

Hindi is a complex script to office programs: Word and LibreOffice take bold, italics, size and font of its letters
from properties of their own (`w:bCs`, `style:font-weight-complex`). These are set to what the Latin letters had. The
font itself is left to the program, which has one for every script; theme fonts follow the language.
"""

import re

from dhyan.documents.options import DocumentOptions
from dhyan.documents.zipped.elements import Element, tag_name, with_attribute
from dhyan.documents.zipped.xml_tokens import XmlToken

_COUNTRIES = {
    "hi": "IN",
    "en": "US",
    "mr": "IN",
    "ne": "NP",
    "bn": "IN",
    "ta": "IN",
    "te": "IN",
    "gu": "IN",
    "ur": "PK",
}
_COMPLEX = {
    "hi",
    "mr",
    "ne",
    "bn",
    "ta",
    "te",
    "gu",
    "kn",
    "ml",
    "pa",
    "or",
    "as",
    "sa",
    "ur",
    "ar",
    "fa",
    "he",
    "th",
}


def with_country(language: str) -> str:
    """`hi-IN`: office programs want a country too."""
    return f"{language}-{_COUNTRIES[language]}" if language in _COUNTRIES else language


def is_source(mark: str | None, options: DocumentOptions) -> bool:
    """Whether a mark such as `en-GB` says the source language."""
    return bool(mark and options.target_language) and re.split("[-_]", mark or "")[0] == options.source_language


def _is_complex(options: DocumentOptions) -> bool:
    return options.target_language in _COMPLEX


def drawing_properties(raw: str, options: DocumentOptions) -> str:
    """`<a:rPr lang="en-US">` → `<a:rPr lang="hi-IN">`; complex scripts need nothing else here."""
    found = re.match(r"""<[^<>]*?\slang\s*=\s*["']([^"']*)["']""", raw)
    if not found or not options.target_language or not is_source(found[1], options):
        return raw
    opening = raw[: raw.index(">") + 1]
    return with_attribute(opening, "lang", with_country(options.target_language)) + raw[len(opening) :]


def word_language(element: Element, options: DocumentOptions) -> str:
    """`w:lang` and `w:themeFontLang`."""
    opening = element.opening
    if not options.target_language:
        return element.raw
    prefix = tag_name(opening).rpartition(":")[0]
    here = f"{prefix}:" if prefix else ""
    code = with_country(options.target_language)
    marked = element.attributes.get("w:val")
    if is_source(marked, options):
        opening = with_attribute(opening, f"{here}val", code)
    if _is_complex(options):
        opening = with_attribute(opening, f"{here}bidi", code)
    return opening + element.inner + element.closing


def word_properties(properties: Element, options: DocumentOptions) -> str:
    """A `w:rPr` for words of the target language."""
    if not options.target_language:
        return properties.raw
    there = {one.name for one in properties.elements}
    written = [properties.opening]
    for child in properties.children:
        if not isinstance(child, Element) or child.name not in ("w:lang", "w:b", "w:i", "w:sz"):
            written.append(child.raw)
        elif child.name == "w:lang":
            written.append(word_language(child, options))
        else:
            written.append(child.raw)
            if _is_complex(options) and f"{child.name}Cs" not in there:
                name = tag_name(child.opening)
                written.append(f"<{name}Cs{child.opening[len(name) + 1 :]}{child.closing and f'</{name}Cs>'}")
    return "".join([*written, properties.closing])


def open_document_properties(token: XmlToken, options: DocumentOptions) -> str:
    """A `style:text-properties` for words of the target language."""
    target = options.target_language
    if not target:
        return token.raw
    written = token.raw
    if is_source(token.attributes.get("fo:language"), options):
        written = with_attribute(written, _prefixed(written, "language"), target)
        country = _COUNTRIES.get(target, "none")
        written = with_attribute(written, _prefixed(written, "country"), country, only_if_there=True)
    return _with_complex(token, written, target) if _is_complex(options) else written


def _with_complex(token: XmlToken, written: str, target: str) -> str:
    style = tag_name(token.raw).rpartition(":")[0]
    for name in ("font-weight", "font-style", "font-size"):
        value = token.attributes.get(f"fo:{name}")
        if value is not None and f"style:{name}-complex" not in token.attributes:
            written = with_attribute(written, f"{style}:{name}-complex", value)
    if "fo:language" in token.attributes or "style:language-complex" in token.attributes:
        written = with_attribute(written, f"{style}:language-complex", target)
        written = with_attribute(written, f"{style}:country-complex", _COUNTRIES.get(target, "none"))
    return written


def _prefixed(raw: str, name: str) -> str:
    """`fo:language` as the document writes it."""
    found = re.search(rf"\s([^\s=:]+:{name})\s*=", raw)
    return found[1] if found else f"fo:{name}"
