"""The translator that experiments open up, as `dhyan explain` does."""

from functools import lru_cache

from dhyan.core.errors import DhyanError
from dhyan.explain.explainer import Explainer
from dhyan.pack.locate import find_pack
from dhyan.pack.pack import open_pack


@lru_cache(maxsize=1)
def open_translator(name: str) -> Explainer:
    """A pack by name or folder; it must be an encoder–decoder. No PyTorch is needed."""
    explainer = Explainer(open_pack(find_pack(name)))
    if not explainer.architecture.has_cross:
        raise DhyanError(f"'{name}' is no translator; this experiment needs one that `dhyan train translate` made.")
    return explainer
