"""The folder of a finished pack, as `dhyan.train` gives it: a path that shows its training's curve in a notebook."""

from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.core.shown import Svg

CURVE = "curve.svg"

if TYPE_CHECKING:
    SystemPath = Path
else:
    SystemPath = type(Path())  # Python 3.11 lets nobody subclass Path itself


class TrainedPack(SystemPath):
    """A `Path` in everything."""

    @property
    def curve(self) -> Svg:
        """Training and validation loss by step, and the metric that decides which checkpoint is best."""
        return Svg((self / CURVE).read_text(encoding="utf-8"))

    def _repr_svg_(self) -> str | None:
        """None where there is no curve, so that the path is shown: `pack / "README.md"` is such a path too."""
        return self.curve if (self / CURVE).is_file() else None
