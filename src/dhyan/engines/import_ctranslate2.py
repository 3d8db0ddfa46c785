"""CTranslate2 without PyTorch, which it would import where that is installed: nothing here needs it.

It saves more than a second at every start. PyTorch is hidden from the importing thread alone, so that another thread
can import it at the same time.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec


class _HideTorch:
    """An import hook that answers one thread that there is no PyTorch."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] == "torch" and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None


@contextmanager
def torch_hidden() -> Iterator[None]:
    """Imports of PyTorch by this thread fail, unless it is there already."""
    hook = _HideTorch()
    sys.meta_path.insert(0, hook)
    try:
        yield
    finally:
        sys.meta_path.remove(hook)


with torch_hidden():
    import ctranslate2
    from ctranslate2.specs import common_spec, model_spec, transformer_spec

__all__ = ["common_spec", "ctranslate2", "model_spec", "transformer_spec"]
