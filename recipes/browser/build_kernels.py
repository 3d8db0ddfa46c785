"""kernels.wat → kernels.wasm: the arithmetic of the model in a browser tab, from its readable source.

    python recipes/browser/build_kernels.py

The binary is kept beside its source, so that nobody who uses Dhyan needs a builder. A test builds it again and
compares the bytes. Needs Node; npm fetches wabt, the WebAssembly toolkit.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "src" / "dhyan" / "browser" / "js" / "kernels"
SOURCE, BINARY = FOLDER / "kernels.wat", FOLDER / "kernels.wasm"
WABT = "wabt@1.0.39"
FETCHED = ("npm", "exec", "--yes", f"--package={WABT}", "--", "wat2wasm")


def build(source: Path, binary: Path, wat2wasm: Sequence[str | Path] = FETCHED) -> None:
    subprocess.run([*wat2wasm, source, "-o", binary], check=True)


if __name__ == "__main__":
    build(SOURCE, BINARY)
    print(f"{BINARY.name}: {BINARY.stat().st_size:,} bytes")
