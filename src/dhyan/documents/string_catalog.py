"""Xcode's string catalogs (.xcstrings): every text that has no translation into the target language gets one.

The file is written as Xcode lays it out. What is new has the state `needs_review`.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

from dhyan.core.errors import DhyanError
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import has_words, message_text
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit

_UNIT = "stringUnit"
_NEW, _WRITTEN = "new", "needs_review"  # states
_GAP = "\ue000gap\ue000"  # where a translation goes, in characters that no text has


class _Gap(NamedTuple):
    value: str
    key: str
    context: str


def read_string_catalog(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    text = "".join(line.raw for line in source)
    if not text.strip():
        yield Fixed(text)
        return
    try:
        catalog = json.loads(text)
        gaps = list(_fill(catalog, options.target_language or ""))
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise DhyanError(f"{source.name} is not as string catalogs of Xcode are: {error}.") from None
    if not gaps:
        yield Fixed(text)
        return
    if options.target_language is None:
        raise DhyanError(f"{source.name} needs the code of its new language: name it with --target-language.")
    written = json.dumps(catalog, ensure_ascii=False, indent=2, separators=(",", " : "))
    written = written.replace("\n", "\r\n") if "\r\n" in text else written
    first, *between = written.split(_GAP)
    yield Fixed(first)
    line, at = 1, 0
    for gap, after in zip(gaps, between, strict=True):
        found = message_text(gap.value)
        begin = max(at, text.find(f'"{_inside(gap.key)}"', at))
        line, at = line + text.count("\n", at, begin), begin
        yield Text(found.text, line, _inside(gap.value), partial(_spelt, found.written), True, gap.context)
        yield Fixed(after)
    yield Fixed(text[len(text.rstrip()) :])


def _fill(catalog: dict[str, Any], target: str) -> Iterator[_Gap]:
    """Put gaps where translations are missing; gives the texts that belong there, in order."""
    for key, entry in catalog["strings"].items():
        found = entry.get("localizations", {})
        if not entry.get("shouldTranslate", True) or (target in found and not _is_new(found[target])):
            continue
        meant = found.get(catalog.get("sourceLanguage", "en"))
        filled = deepcopy(meant) if meant else {_UNIT: {"state": _NEW, "value": key}}
        units = [unit for unit in _units(filled) if has_words(unit["value"])]
        for unit in units:
            yield _Gap(unit["value"], key, "; ".join(part for part in (key, entry.get("comment")) if part))
            unit |= {"state": _WRITTEN, "value": _GAP}
        if units:
            entry["localizations"] = dict(sorted({**found, target: filled}.items()))


def _is_new(localization: dict[str, Any]) -> bool:
    return any(unit.get("state") == _NEW for unit in _units(localization))


def _units(localization: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The texts of one language: one alone, or one for each number, device and substitution."""
    for key, value in localization.items():
        if key == _UNIT:
            yield value
        elif isinstance(value, dict):
            yield from _units(value)


def _spelt(written: Any, translation: str) -> str:
    return _inside(written(translation))


def _inside(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
