"""Dhyan (ध्यान, attention): the Transformer as a tool.

Train one on your own text, run it fast on any machine, and open it up to the last number. Importing this
package stays light: PyTorch is only loaded by the rooms that train.
"""

from typing import TYPE_CHECKING, Any

from dhyan._version import __version__
from dhyan.core.errors import DhyanError

if TYPE_CHECKING:
    from dhyan.loading import load

__all__ = ["DhyanError", "__version__", "load"]


def __getattr__(name: str) -> Any:
    """`dhyan.load` brings its engine only when it is asked for, so that importing stays quick."""
    if name == "load":
        from dhyan.loading import load

        return load
    raise AttributeError(f"module 'dhyan' has no attribute '{name}'")
