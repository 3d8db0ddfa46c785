"""The recipes of the English→Hindi pack: right, and a change of which a part is taken, or more than training took."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import dhyan

from dhyan.pack.pack import read_pack
from dhyan.training.recipe import read_recipe
from dhyan.training.sizing import draft

RECIPES = Path(__file__).parents[2] / "recipes" / "en-hi"
TRAININGS = [file for file in RECIPES.glob("*.toml") if not file.name.startswith("mix")]


@pytest.mark.parametrize("file", TRAININGS, ids=lambda file: file.stem)
def test_every_recipe_is_right(file):
    recipe = draft(read_recipe(file) | {"out": Path("pack")}, str(file))
    assert recipe.task == "translate"
    assert recipe.licence == "CC BY-NC-SA 4.0"
    assert not recipe.cleaning.drop_duplicates  # the mixes repeat what is good


def test_a_share_of_a_change_is_taken(trained, tmp_path):
    begin, end = trained / "packs" / "en-hi", tmp_path / "end"
    gentle = ["--steps", 3, "--learning-rate", 1e-3, "--storage", "float32", "--metric", "loss"]
    dhyan(
        "train",
        "translate",
        "--start-from",
        begin,
        "--train",
        trained / "pairs.tsv",
        *gentle,
        "--out",
        end,
        folder=tmp_path,
    )
    for share in ("0", "1", "1.5"):
        script = [sys.executable, RECIPES / "along.py", begin, end, share, tmp_path / share]
        subprocess.run(script, check=True)
    first, last = read_pack(begin).weights, read_pack(end).weights
    none, all_of_it, more = (read_pack(tmp_path / share).weights for share in ("0", "1", "1.5"))
    for name in last:
        np.testing.assert_allclose(none[name], first[name], atol=1e-6)
        np.testing.assert_allclose(all_of_it[name], last[name], atol=1e-6)
        np.testing.assert_allclose(more[name], first[name] + 1.5 * (last[name] - first[name]), atol=1e-6)
    assert any(np.abs(last[name] - first[name]).max() > 1e-5 for name in last)
    told = read_pack(tmp_path / "1.5").manifest
    assert told.training["share of the change taken"] == 1.5
    assert not told.metrics  # they were measured with other weights
    assert (tmp_path / "1.5" / "recipe.toml").read_text() == (end / "recipe.toml").read_text()
