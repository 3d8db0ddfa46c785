"""Run the notebooks anew and store what they show: `python notebooks/run.py`, or with the names of some of them.

Stored outputs have nothing of the machine: no times, no paths, no versions.
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
SECONDS = 300  # per cell


def run(path: Path, folder: str | Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs; it works in a folder. Raises where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    kept = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    notebook.metadata = nbformat.from_dict(kept)
    return notebook


def main() -> None:
    for path in sorted(map(Path, sys.argv[1:]) if sys.argv[1:] else HERE.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(path, folder), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
