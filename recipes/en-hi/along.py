"""A pack on the way from one pack to another: part of it, all of it, or further in the same direction.

python recipes/en-hi/along.py student-4 last 0.5 student

Of 1 comes the second pack, of 0.5 one that has changed half as much, of 1.5 one that has changed half as much again.
"""

import sys
from pathlib import Path

import numpy as np

from dhyan.pack.pack import read_pack, write_pack


def along(begin: Path, end: Path, share: float, out: Path) -> None:
    first, last = read_pack(begin), read_pack(end)
    weights = {}
    for name, weight in last.weights.items():
        before = np.asarray(first.weights[name], dtype=np.float32)
        weights[name] = before + np.float32(share) * (np.asarray(weight, dtype=np.float32) - before)
    extra = {file: (end / file).read_text(encoding="utf-8") for file in ("recipe.toml", "curve.svg")}
    # The scores are those of the other weights.
    told = {"metrics": {}, "training": last.manifest.training | {"share of the change taken": share}}
    write_pack(out, last.manifest.model_copy(update=told), weights, last.tokenizers, extra)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    along(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
