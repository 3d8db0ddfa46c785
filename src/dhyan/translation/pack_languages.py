"""Which language a pack reads and which it writes: as its manifest says, or by its name or its scripts."""

import re

from dhyan.pack.pack import Pack
from dhyan.text.imported_tokenizer import ImportedTokenizer
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
    if _is_imported(pack):
        return None  # such a vocabulary may be that of both languages, or of a hundred
    scripts = (WritingSystem.of(pack.tokenizers[side]).script for side in ("source", "target"))
    source, target = (_BY_SCRIPT.get(script or "") for script in scripts)
    return (source, target) if source and target and source != target else None


def stated_languages(pack: Pack) -> tuple[str, str] | None:
    """Of a model that another program trained; empty if unknown. None for our own, whose vocabularies tell."""
    return (pack_languages(pack) or ("", "")) if _is_imported(pack) else None


def _is_imported(pack: Pack) -> bool:
    return any(isinstance(tokenizer, ImportedTokenizer) for tokenizer in pack.tokenizers.values())
