"""A pack that goes further than training went: from one pack through another, and as far again as is asked for.

python recipes/en-hi/further.py student-3 last 1.5 student

Of 1 comes the second pack, of 1.5 one that has changed half as much again in the same direction.
"""

import sys
from pathlib import Path

import numpy as np

from dhyan.pack.pack import read_pack, write_pack


def further(begin: Path, end: Path, share: float, out: Path) -> None:
    first, last = read_pack(begin), read_pack(end)
    weights = {}
    for name, weight in last.weights.items():
        before = np.asarray(first.weights[name], dtype=np.float32)
        weights[name] = before + np.float32(share) * (np.asarray(weight, dtype=np.float32) - before)
    extra = {file: (end / file).read_text(encoding="utf-8") for file in ("recipe.toml", "curve.svg")}
    write_pack(out, last.manifest, weights, last.tokenizers, extra)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    further(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
