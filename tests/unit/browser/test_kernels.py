"""The binary of the kernels is what its readable source says."""

from runpy import run_path

from support.javascript import ROOT
from support.npm import node_folder

RECIPE = run_path(str(ROOT.parents[3] / "recipes" / "browser" / "build_kernels.py"))


def test_the_binary_is_built_of_the_source_beside_it(tmp_path):
    wat2wasm = node_folder((RECIPE["WABT"],)) / "node_modules" / ".bin" / "wat2wasm"
    RECIPE["build"](RECIPE["SOURCE"], tmp_path / "kernels.wasm", [wat2wasm])
    assert (tmp_path / "kernels.wasm").read_bytes() == RECIPE["BINARY"].read_bytes()
