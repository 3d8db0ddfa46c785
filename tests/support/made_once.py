"""What takes long to make, made once for all test processes of a run."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, worker: str, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` fills; who comes second waits, and finds it full.

    worker: pytest-xdist's `worker_id`.
    """
    base = factory.getbasetemp()
    folder = (base if worker == "master" else base.parent) / name
    with FileLock(folder.with_suffix(".lock")):
        if not folder.with_suffix(".done").exists():
            shutil.rmtree(folder, ignore_errors=True)  # what an earlier try left
            folder.mkdir()
            make(folder)
            folder.with_suffix(".done").touch()
    return folder
