"""`dhyan.train` and `dhyan.evaluate`: the commands of the same names, from Python."""

import pickle

import pytest

import dhyan
from support.tiny import PAIRS

TINY = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1}


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS.items()), encoding="utf-8")
    return file


def test_train_evaluate_and_use(pairs, tmp_path):
    said = []
    pack = dhyan.train(
        task="translate", train=pairs, valid=[pairs], out=tmp_path / "pack", steps=3, report=said.append, **TINY
    )
    assert pack == tmp_path / "pack"
    assert any("Prepared 4 rows" in line for line in said)
    scores = dhyan.evaluate(pack, test=pairs)
    assert scores["rows"] == 4
    assert "outputs" not in scores
    assert isinstance(dhyan.load(pack), dhyan.Translator)
    assert pack._repr_svg_() == (pack / "curve.svg").read_text(encoding="utf-8")  # a notebook shows the curve
    assert "<svg" in pack.curve
    assert (pack / "pack.json")._repr_svg_() is None
    assert pickle.loads(pickle.dumps(pack)) == pack


def test_settings_win_over_the_recipe(pairs, tmp_path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'task = "translate"\nout = "{tmp_path / "one"}"\n[data]\ntrain = ["{pairs}"]\n')
    with pytest.raises(dhyan.DhyanError, match=r"recipe\.toml: model: heads = 5 does not divide"):
        dhyan.train(recipe, d_model=16, heads=5)
    assert dhyan.train(recipe, out=tmp_path / "two", steps=2, **TINY) == tmp_path / "two"
    assert not (tmp_path / "one").exists()


def test_test_data_that_is_not_named(pairs):
    with pytest.raises(dhyan.DhyanError, match="name the test data: test, or source and reference"):
        dhyan.evaluate("en-hi", source=pairs)
