"""XLIFF 1.2 and 2.0: each source without a target gets one; translations that are there stay, as do inline codes."""

import re
from collections.abc import Iterator, Sequence

from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit
from dhyan.documents.xml_messages import InlineXml, XmlToken, element, read_xml

_CODE = frozenset({"ph", "it", "bpt", "ept"})  # inline elements whose content is code
_UNITS = ("trans-unit", "unit")
_UNTRANSLATED = re.compile(
    r"""(\sstate\s*=\s*["'])(?:new|needs-translation)(?=["'])"""
)  # its target may be the source
_NEW_STATE = "needs-review-translation"  # of XLIFF 1.2: somebody is to read it


def read_xliff(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    tokens = read_xml(source)
    outer: list[XmlToken] = []
    context: str | None = None
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "open" and token.name in _UNITS:
            context = _context(tokens[index : element(tokens, index) + 1], token)
        names = [one.name for one in outer]
        in_unit = any(name in _UNITS for name in names) and "alt-trans" not in names
        if token.kind == "open" and token.name == "source" and in_unit:
            end = element(tokens, index)
            before, after = "".join(one.raw for one in tokens[:index][-1:]), end + 1
            yield from (Fixed(one.raw) for one in tokens[index : end + 1])
            if not any(one.attributes.get("translate") == "no" for one in outer):
                inline = InlineXml(tokens[index + 1 : end], _CODE)
                units, after = _target(tokens, end + 1, inline, before, context, "trans-unit" in names)
                yield from units
            index = after
            continue
        yield Fixed(_with_language(token, options))
        if token.kind == "open":
            outer.append(token)
        elif token.kind == "close" and outer:
            outer.pop()
        index += 1


def _target(
    tokens: Sequence[XmlToken], start: int, inline: InlineXml, before: str, context: str | None, old: bool
) -> tuple[list[Unit], int]:
    """What comes of the target that follows a source, and the index of what comes after it."""
    units: list[Unit] = []
    index = first = start
    while index < len(tokens) and (tokens[index].name == "seg-source" or tokens[index].kind in ("text", "other")):
        end = element(tokens, index) if tokens[index].kind == "open" else index
        if tokens[end].name == "seg-source":
            start = end + 1  # a target stands behind it
        index = end + 1
    units += [Fixed(one.raw) for one in tokens[first:start]]
    found = tokens[index] if index < len(tokens) and tokens[index].name == "target" else None
    opening, raw = f'<target state="{_NEW_STATE}">' if old else "<target>", ""
    indent = re.sub(r"[^\n]*(?=\n)", "", before, count=1) if not before.strip() else ""
    after = start
    if found is not None and found.kind != "close":
        end = element(tokens, index) if found.kind == "open" else index
        content = tokens[index + 1 : end]
        if any(one.raw.strip() for one in content) and not _UNTRANSLATED.search(found.raw):
            return [*units, *(Fixed(one.raw) for one in tokens[start : end + 1])], end + 1
        units += [Fixed(one.raw) for one in tokens[start:index]]
        raw = "".join(one.raw for one in tokens[index : end + 1])
        opening = re.sub(r"\s*/>$", ">", _UNTRANSLATED.sub(rf"\g<1>{_NEW_STATE}", found.raw))
        if old and "state" not in found.attributes:
            opening = f'{opening[:-1]} state="{_NEW_STATE}">'
        indent, after = "", end + 1
    if not inline.has_words:
        return [*units, *([Fixed(raw)] if raw else [])], after
    closing = f"</{re.findall(r'[^<>/ ]+', opening)[0]}>"

    def write(translation: str) -> str:
        return indent + opening + inline.written(translation) + closing

    return [*units, Text(inline.text, tokens[start - 1].line, raw, write, fills=True, context=context)], after


def _context(unit: Sequence[XmlToken], first: XmlToken) -> str | None:
    """The name of a unit, and what its notes say."""
    notes = [unit[n + 1].raw.strip() for n, one in enumerate(unit[:-1]) if one.kind == "open" and one.name == "note"]
    name = first.attributes.get("resname") or first.attributes.get("name") or first.attributes.get("id")
    return "; ".join(part for part in (name, *notes) if part) or None


def _with_language(token: XmlToken, options: DocumentOptions) -> str:
    """The language of the targets is named where it is not."""
    version = token.attributes.get("version", "")
    missing = ""
    if token.kind == "open" and token.name == "file" and "source-language" in token.attributes:
        missing = "target-language"
    elif token.kind == "open" and token.name == "xliff" and version.startswith("2"):
        missing = "trgLang"
    if not missing or missing in token.attributes or options.target_language is None:
        return token.raw
    return f'{token.raw[:-1]} {missing}="{options.target_language}">'
