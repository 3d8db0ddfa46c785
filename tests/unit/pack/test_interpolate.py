"""A pack between two others, or beyond the second; refused where the two do not belong together."""

import numpy as np
import pytest

from dhyan.cli.app import main
from dhyan.core.errors import DhyanError
from dhyan.pack.pack import read_pack, write_pack
from dhyan.pack.repack import interpolate
from support.packs import random_pack

SIZES = {"d_model": 8, "heads": 2, "d_ff": 12, "encoder_layers": 1, "decoder_layers": 1}


@pytest.fixture
def packs(tmp_path):
    """One pack, and another that was trained on from it."""
    first = random_pack(tmp_path / "first", "encoder-decoder", **SIZES)
    draw = np.random.default_rng(1)
    weights = {name: array + draw.normal(size=array.shape).astype("f4") for name, array in first.weights.items()}
    manifest = first.manifest.model_copy(update={"name": "second", "metrics": {"test": {"bleu": 1.0}}})
    write_pack(tmp_path / "second", manifest, weights, first.tokenizers, {"recipe.toml": "task = 'translate'\n"})
    return first, read_pack(tmp_path / "second")


@pytest.mark.parametrize("share", [0, 0.5, 1, 1.5])
def test_a_share_of_the_change_is_taken(packs, tmp_path, share):
    first, second = packs
    interpolate(first, second, share, tmp_path / "between")
    between = read_pack(tmp_path / "between")
    for name, before in first.weights.items():
        expected = before + np.float32(share) * (second.weights[name] - before)
        np.testing.assert_allclose(between.weights[name], expected, atol=1e-6)
    assert between.manifest.name == "between"
    assert between.manifest.training["interpolated"] == f"{share:g} of the way from random-encoder-decoder to second"
    assert not between.manifest.metrics  # they were measured with other weights
    assert (tmp_path / "between" / "recipe.toml").read_text() == "task = 'translate'\n"


def test_other_architectures_are_refused(packs, tmp_path):
    larger = random_pack(tmp_path / "larger", "encoder-decoder", **SIZES | {"d_ff": 16})
    with pytest.raises(DhyanError, match=r"different architectures \(d_ff 12 and 16\); interpolate between"):
        interpolate(packs[0], larger, 0.5, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_other_vocabularies_are_refused(packs, tmp_path):
    first, second = packs
    file = second.folder / "text.tokenizer.json"
    file.write_text(
        file.read_text(encoding="utf-8").replace('"q":', '"Ω":').replace('"r":', '"Ж":'), encoding="utf-8"
    )
    with pytest.raises(DhyanError, match="different source vocabularies; interpolate between"):
        interpolate(first, read_pack(second.folder), 0.5, tmp_path / "out")


def test_the_command(packs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    codes = []
    for arguments in (
        ["first", "second", "0.5", "out"],
        ["first", "second", "0.5", "out"],
        ["first", "en-hi", "1", "x"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(["interpolate", *arguments])
        codes.append(ended.value.code)
    written, taken, different = capsys.readouterr().err.splitlines()
    assert codes == [0, 2, 2]
    assert written == "out is written, 0.5 of the way from first to second."
    assert "out exists already" in taken
    assert "different architectures (d_model 8 and 384" in different
