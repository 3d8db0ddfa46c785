"""All that the browser's modules must know of Python's: patterns, constants and tables, as one object for JSON.

What a rule is stands once, in Python or in a table beside it. `js/rules.js` reads this object.
"""

import importlib
import pkgutil
import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Set
from dataclasses import asdict
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import dhyan
from dhyan.browser.javascript_regex import javascript_regex
from dhyan.explain.views.code_lines import code_lines
from dhyan.explain.views.stages import CODE
from dhyan.text.tokenizer_file import _forms

# Rooms whose modules are all exported, and single modules; all below dhyan.
ROOMS = ("text", "text.languages", "translation", "translation.checks")
MODULES = (
    "browser.javascript_regex",
    "browser.runnable",
    "core.label_kind",
    "core.special_tokens",
    "explain.address",
    "explain.views.notation",
)
TABLES = ("text/*.toml", "text/*.tsv", "text/languages/*.toml", "translation/*/*.toml", "translation/*/*.tsv")

_ROOT = Path(dhyan.__file__).parent
_PLAIN = (str, int, float, type(None))


@cache
def rules() -> dict[str, Any]:
    """Module → name → value, table's path → table, and what Unicode says of characters.

    A pattern is {"regex", "flags"}, a set {"set": […]}, a dictionary {"map": [[key, value], …]}.
    """
    found: dict[str, Any] = {name: _constants(_module(name)) for name in _names()}
    for glob in TABLES:
        for path in sorted(_ROOT.glob(glob)):
            found[path.relative_to(_ROOT).as_posix()] = _table(path)
    found["translation.rewrites"]["PATTERNS"] = _encoded(_rewrites(found))
    found["explain.views.stages"] = {"CODE_LINES": _encoded(_code_lines())}
    found["text/tokenizer_forms"] = _forms()
    found["unicodedata"] = {"NAMES": _first_words_of_names(), "CASEFOLD": _encoded(_other_casefolds())}
    return found


def _names() -> Iterator[str]:
    for room in ROOMS:
        package = _module(room)
        yield room
        yield from (f"{room}.{one.name}" for one in pkgutil.iter_modules(package.__path__) if not one.ispkg)
    yield from MODULES


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"dhyan.{name}")


def _constants(module: ModuleType) -> dict[str, Any]:
    """The constants of a module by their names, those that it imports too; all that is no plain value is left out."""
    found = {}
    for name, value in vars(module).items():
        if name.lstrip("_").isupper() and not name.startswith("__"):
            try:
                found[name] = _encoded(value)
            except TypeError:
                continue
    return found


def _encoded(value: Any) -> Any:
    """TypeError for what no JSON can say."""
    if isinstance(value, _PLAIN) and type(value) in (*_PLAIN, bool):
        return value
    if isinstance(value, re.Pattern):
        return javascript_regex(value)
    if isinstance(value, Mapping):
        return {"map": [[_encoded(key), _encoded(one)] for key, one in value.items()]}
    if isinstance(value, Set):
        return {"set": sorted(map(_encoded, value))}
    if type(value) in (tuple, list):
        return list(map(_encoded, value))
    raise TypeError(type(value).__name__)


def _table(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else text


def _rewrites(found: Mapping[str, Any]) -> dict[str, re.Pattern[str]]:
    """The patterns of other wordings, which stand in the tables of the checks, made ready as Python does."""
    tables = [table for path, table in found.items() if path.startswith("translation/checks/")]
    rewrites = [one for table in tables for one in table.get("rewrites", ())]
    for forms in (table.get("short_forms", {}) for table in tables):
        rewrites += [*forms.get("rewrites", ()), *forms.get("spelling", {}).get("rewrites", ())]
    written = (one["pattern"] for one in rewrites)
    return {pattern: re.compile(pattern, re.IGNORECASE) for pattern in written}


def _code_lines() -> dict[str, dict[str, Any]]:
    """The lines that compute each stage of the walk: a tab has no Python to read them from."""
    return {name: asdict(code_lines(function)) for name, function in CODE.items()}


def _first_words_of_names() -> list[list[Any]]:
    """[first code point, word]: how names of letters, marks and digits begin from there on (LATIN, CJK)."""
    named = (
        (code, unicodedata.name(chr(code), "Unknown").split()[0])
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code))[0] in "LMN"
    )
    return [[next(run)[0], word] for word, run in groupby(named, key=lambda pair: pair[1])]


def _other_casefolds() -> dict[str, str]:
    """Characters that fold to something else than their lower case."""
    every = map(chr, range(sys.maxunicode + 1))
    return {one: one.casefold() for one in every if one.casefold() != one.lower()}
