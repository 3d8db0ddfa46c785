"""Dhyan (ध्यान, attention): the Transformer as a tool.

Train one on your own text, run it fast on any machine, and open it up to the last number. Importing this
package stays light: PyTorch is only loaded by the rooms that train.
"""

from dhyan._version import __version__
from dhyan.errors import DhyanError

__all__ = ["DhyanError", "__version__"]
