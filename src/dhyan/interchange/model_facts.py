"""What stands beside a model's weights: its licence, its languages, and what it is called."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dhyan.core.errors import shortened
from dhyan.core.json_object import read_bounded_text, read_json_object
from dhyan.interchange.families.imported_model import Languages
from dhyan.interchange.marian_file import parse_plain_yaml
from dhyan.pack.repack import EXPORTED
from dhyan.text.language_codes import two_letters

MAX_BYTES = 2_000_000
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#\s+(\S.*?)\s*$", re.MULTILINE)
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
# opus-mt-en-hi and opus-mt-tc-big-en-pt; en-pt-tiny; enpt-1693087644 and model.enpt.intgemm.bin, as Firefox has them.
_OPUS = re.compile(r"opus-mt-(?:[a-z0-9]+-)*?([a-z]{2,3})-([a-z]{2,3})$")
_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})(?![a-zA-Z])")
_TOGETHER = re.compile(r"(?:model\.|vocab\.)?([a-z]{2})([a-z]{2})(?:[.-].*)?$")


@dataclass(frozen=True)
class ModelFacts:
    name: str  # as its makers call it; the folder's name where they do not say
    licence: str = ""  # empty: unknown


def folder_facts(folder: Path, config: dict[str, Any]) -> ModelFacts:
    readme = _text(folder / "README.md")
    told = _read_json(folder / EXPORTED)  # it was a pack before
    licence = told.get("licence") or _front_matter(readme).get("license")
    heading = _HEADING.search(readme)
    named = str(config.get("_name_or_path") or "")  # often that of the model which this one was trained from
    name = (heading and heading[1]) or (named if _HUB_NAME.fullmatch(named) else folder.resolve().name)
    return ModelFacts(shortened(name), shortened(licence) if isinstance(licence, str) else "")


def stated_languages(folder: Path, *names: str) -> Languages:
    """As the tokenizer's settings say, or as the model's names do."""
    told = _read_json(folder / EXPORTED)
    if told.get("source_language") and told.get("target_language"):
        return Languages(str(told["source_language"]), str(told["target_language"]))
    settings = _read_json(folder / "tokenizer_config.json")
    stated = settings.get("source_lang"), settings.get("target_lang")
    if all(isinstance(code, str) and re.fullmatch("[a-z]{2,3}", code) for code in stated):
        return Languages(*(two_letters(str(code)) for code in stated))
    return languages_of_names(*names, folder.resolve().name)


def languages_of_names(*names: str) -> Languages:
    for name in names:
        last = name.rpartition("/")[2]
        for pattern in (_OPUS, _PAIR, _TOGETHER):
            found = pattern.match(last)
            if found and (pattern is not _TOGETHER or found[1] != found[2]):
                return Languages(two_letters(found[1]), two_letters(found[2]))
    return Languages()


def _text(path: Path) -> str:
    try:
        return read_bounded_text(path, MAX_BYTES)
    except (OSError, ValueError):  # whatever cannot be read tells nothing
        return ""


def _front_matter(readme: str) -> dict[str, Any]:
    """What hubs read: YAML between two lines of dashes, at the top."""
    found = _FRONT_MATTER.match(readme)
    try:
        return parse_plain_yaml(found[1]) if found else {}
    except Exception:  # YAML fails in a dozen ways
        return {}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return read_json_object(path, MAX_BYTES)
    except (OSError, ValueError):
        return {}
