"""What an experiment rests on besides its own file: other modules' code, a pack's content."""

import hashlib
import inspect
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from dhyan.pack.locate import find_pack
from dhyan.pack.pack import MANIFEST, WEIGHTS


def code_of(*modules: ModuleType) -> str:
    """A digest of the modules' source: when one of them changes, what was measured with it no longer counts."""
    return _digest(*(inspect.getsource(module).encode() for module in modules))


@lru_cache
def content_of(pack: str) -> str:
    """A digest of a pack's weights and description; the name alone may come to mean another."""
    folder: Path = find_pack(pack)
    return _digest(*((folder / file).read_bytes() for file in (MANIFEST, WEIGHTS)))


def _digest(*parts: bytes) -> str:
    content = hashlib.blake2b(digest_size=8)
    for part in parts:
        content.update(part)
    return content.hexdigest()
