"""Which language a pack reads and which it writes: as its manifest says, or by its name or its scripts."""

import re

from dhyan.pack.pack import Pack
from dhyan.translation.writing_system import WritingSystem

_NAMED = re.compile(r"([a-z]{2,3})-([a-z]{2,3})(?![a-z])")
_BY_SCRIPT = {"Latin": "en", "Devanagari": "hi"}


def pack_languages(pack: Pack) -> tuple[str, str] | None:
    """The codes of the source and the target language of a translator; None if unknown."""
    manifest = pack.manifest
    if manifest.task != "translate":
        return None
    if manifest.source_language and manifest.target_language:
        return manifest.source_language, manifest.target_language
    if named := _NAMED.match(manifest.name):
        return named[1], named[2]
    scripts = (WritingSystem.of(pack.tokenizers[side]).script for side in ("source", "target"))
    source, target = (_BY_SCRIPT.get(script or "") for script in scripts)
    return (source, target) if source and target and source != target else None
