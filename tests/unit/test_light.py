"""Light to use: no room but training needs PyTorch, and what vectors and evaluation do needs no scikit-learn."""

import subprocess
import sys
from pathlib import Path

import pytest

import dhyan

pytestmark = pytest.mark.slow

SOURCE = Path(dhyan.__file__).parent
LIGHT = ["core", "text", "data", "pack", "explain", "engines", "translation", "documents", "bulk", "vectors"]
LIGHT += ["evaluation", "lab/framework", "server", "cli"]
# Imported late, by those who ask for them: the GPU's engine, and two small trainings.
NEED_TORCH = {"dhyan.engines.torch", "dhyan.vectors.word2vec_training", "dhyan.lab.framework.fit"}
NEED_MORE = {"dhyan.bulk.ray_executor", "dhyan.core.ray_cluster", "dhyan.server.ray_serve"}  # Ray
NEED_MORE |= {"dhyan.cli.__main__"}  # a program
LIGHT_MODULES = [
    "dhyan.model.architecture",
    "dhyan.model.generation.settings",
    "dhyan.training.recipe",
    "dhyan.loading",
]


def modules_of(room):
    for file in sorted((SOURCE / room).rglob("*.py")):
        name = ".".join(["dhyan", *file.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")
        if name not in NEED_TORCH | NEED_MORE:
            yield name


@pytest.mark.parametrize("room", [*LIGHT, "others"])
def test_importing_brings_no_torch(room):
    """One process per room; it names the first module that brings something heavy."""
    modules = LIGHT_MODULES if room == "others" else list(modules_of(room))
    assert modules
    code = f"""
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
    heavy = {{"torch", "sklearn", "scipy", "pandas"}} & set(sys.modules)
    if heavy:
        sys.exit(f"{{name}} brings {{heavy}}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
