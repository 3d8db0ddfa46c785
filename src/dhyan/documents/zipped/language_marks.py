"""Marks that say which language a text is in: set to the target language where they said the source language.

Hindi is a complex script to office programs: Word and LibreOffice take bold, italics, size and font of its letters
from properties of their own (`w:bCs`, `style:font-weight-complex`). These are set to what the Latin letters had, and
the other way round. The font itself is left to the program, which has one for every script; theme fonts follow the
language.
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

_WORD_LOOKS = {"w:b": "w:bCs", "w:i": "w:iCs", "w:sz": "w:szCs"}


def with_country(language: str) -> str:
    """`hi-IN`: office programs want a country too."""
    return f"{language}-{_COUNTRIES[language]}" if language in _COUNTRIES else language


def is_source(mark: str | None, options: DocumentOptions) -> bool:
    """Whether a mark such as `en-GB` says the source language."""
    return bool(mark and options.target_language) and re.split("[-_]", mark or "")[0] == options.source_language


def is_complex(language: str | None) -> bool:
    """Whether office programs take the looks of its letters from properties for complex scripts."""
    return language in _COMPLEX


def _pairs(options: DocumentOptions) -> bool:
    """Whether the two languages take their looks from different properties."""
    return is_complex(options.source_language) != is_complex(options.target_language)


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
    if is_complex(options.target_language):
        opening = with_attribute(opening, f"{here}bidi", code)
    return opening + element.inner + element.closing


def word_properties(properties: Element, options: DocumentOptions) -> str:
    """A `w:rPr` for words of the target language."""
    if not options.target_language:
        return properties.raw
    there = {one.name for one in properties.elements}
    others = _WORD_LOOKS if is_complex(options.target_language) else {name: key for key, name in _WORD_LOOKS.items()}
    written = [properties.opening]
    for child in properties.children:
        if not isinstance(child, Element):
            written.append(child.raw)
            continue
        own = word_language(child, options) if child.name == "w:lang" else child.raw
        missing = others.get(child.name)
        if not missing or missing in there or not _pairs(options):
            written.append(own)
            continue
        prefix = tag_name(child.opening).rpartition(":")[0]
        name = f"{prefix}:{missing[2:]}" if prefix else missing[2:]
        rest = child.opening[len(tag_name(child.opening)) + 1 :]
        twin = f"<{name}{rest}{f'</{name}>' if child.closing else ''}"
        # The schema wants the Latin one first.
        written += [own, twin] if is_complex(options.target_language) else [twin, own]
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
    return _with_twins(token, written, options) if _pairs(options) else written


def _with_twins(token: XmlToken, written: str, options: DocumentOptions) -> str:
    """What is said of the letters of one script, said of those of the other too."""
    target = options.target_language or ""
    style = tag_name(token.raw).rpartition(":")[0]
    for name in ("font-weight", "font-style", "font-size"):
        both = (f"fo:{name}", f"style:{name}-complex")
        source, missing = both if is_complex(target) else both[::-1]
        if source in token.attributes and missing not in token.attributes:
            here = f"{style}:{name}-complex" if is_complex(target) else f"fo:{name}"
            written = with_attribute(written, here, token.attributes[source])
    if is_complex(target) and {"fo:language", "style:language-complex"} & token.attributes.keys():
        written = with_attribute(written, f"{style}:language-complex", target)
        written = with_attribute(written, f"{style}:country-complex", _COUNTRIES.get(target, "none"))
    return written


def _prefixed(raw: str, name: str) -> str:
    """`fo:language` as the document writes it."""
    found = re.search(rf"\s([^\s=:]+:{name})\s*=", raw)
    return found[1] if found else f"fo:{name}"
