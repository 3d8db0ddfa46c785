"""What an experiment rests on besides its own file: a pack, other modules' code; and digests of them."""

import hashlib
import inspect
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from dhyan.core.errors import DhyanError
from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import MANIFEST, WEIGHTS, find_pack, open_pack


@lru_cache(maxsize=1)
def open_translator(name: str) -> Explainer:
    """A pack by name or folder; it must be an encoder–decoder. No PyTorch is needed."""
    explainer = Explainer(open_pack(find_pack(name)))
    if not explainer.architecture.has_cross:
        raise DhyanError(f"'{name}' is no translator; this experiment needs one that `dhyan train translate` made.")
    return explainer


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
