"""Light to use: nothing but training loads PyTorch."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "dhyan",
        "dhyan.text.tokenizer",
        "dhyan.data.corpus",
        "dhyan.pack.pack",
        "dhyan.explain.numpy_model",
        "dhyan.model.architecture",
        "dhyan.model.generation.settings",
        "dhyan.training.recipe",
        "dhyan.cli",
    ],
)
def test_importing_brings_no_torch(module):
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
