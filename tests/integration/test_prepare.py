"""`dhyan train --prepare`: all but the training, which `--resume` does, here or elsewhere, to the last bit."""

import json

import pytest

from support.commands import ENVIRONMENT, dhyan
from support.tiny import TINY

SETTINGS = [*TINY, "--steps", "30", "--batch-tokens", "256", "--dropout", "0.2", "--validate-every", "15"]
SETTINGS += ["--valid-rows", "5", "--held-out", "0.1"]


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture
def prepared(digits, tmp_path):
    """A folder that holds a prepared training and its data."""
    said = dhyan("train", "translate", "--train", digits, "--out", "mine", "--prepare", *SETTINGS, folder=tmp_path)
    assert "dhyan train --resume mine.training" in said.stderr
    return tmp_path


def test_prepared_here_and_trained_elsewhere_gives_the_same_weights(prepared, digits):
    assert not (prepared / "mine").exists()
    assert not (prepared / "mine.training" / "checkpoints").exists()
    dhyan("train", "translate", "--train", digits, "--out", "straight", *SETTINGS, folder=prepared)
    digits.unlink()
    elsewhere = prepared / "another-machine"
    elsewhere.mkdir()
    (prepared / "mine.training").rename(elsewhere / "moved.training")
    said = dhyan("train", "--resume", "moved.training", "--device", "cpu", folder=elsewhere).stderr
    assert "Going on from step 0 of 30" in said
    assert weights(elsewhere / "moved") == weights(prepared / "straight")
    metrics = [
        json.loads((pack / "pack.json").read_text())["metrics"]
        for pack in (elsewhere / "moved", prepared / "straight")
    ]
    assert metrics[0] == metrics[1]


def test_a_prepared_fine_tuning_starts_from_its_pack(digits, tmp_path, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "DHYAN_HOME", str(tmp_path / "home"))
    base = tmp_path / "home" / "packs" / "base"
    dhyan("train", "translate", "--train", digits, "--out", base, *SETTINGS, folder=tmp_path)
    tuning = ["--train", digits, "--steps", "6", "--validate-every", "3", "--valid-rows", "5"]
    dhyan("train", "translate", "--out", "straight", "--start-from", base, *tuning, folder=tmp_path)
    dhyan("train", "translate", "--out", "later", "--start-from", "base", "--prepare", *tuning, folder=tmp_path)
    dhyan("train", "--resume", "later.training", folder=tmp_path)
    assert weights(tmp_path / "later") == weights(tmp_path / "straight")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--resume mine.training --prepare", "leave out the task or recipe, --print-recipe and --prepare"),
        ("translate --train digits.tsv --out new --prepare --print-recipe", "choose one of the two"),
        ("translate --out new --prepare", "no training data"),
        ("translate --train digits.tsv --prepare", "no folder for the pack"),
        ("translate --train digits.tsv --out mine --prepare", "go on with `dhyan train --resume mine.training`"),
        ("translate --train digits.tsv --out mine", "go on with `dhyan train --resume mine.training`"),
        ("--resume mine.training --d-model 32", "d_model cannot change in a resumed training"),
        ("--prepare", "say what to train"),
    ],
)
def test_what_does_not_go_together_is_told_in_one_line_and_nothing_changes(prepared, arguments, message):
    before = {path: path.read_bytes() for path in prepared.rglob("*") if path.is_file()}
    said = dhyan("train", *arguments.split(), folder=prepared, expect=2).stderr
    assert message in said
    assert "Traceback" not in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in prepared.rglob("*") if path.is_file()} == before
