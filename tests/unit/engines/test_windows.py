"""A document longer than the window is read whole: its vector and label are the mean over all of its windows."""

import json

import numpy as np
import pytest

from dhyan.cli.app import main
from dhyan.core.special_tokens import END
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.loading import load
from support.packs import random_pack

LONG = "the river bank flows and the money bank grows " * 12
WINDOW = 32


@pytest.fixture
def pack(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return random_pack(tmp_path / "pack", "encoder", max_positions=WINDOW)


@pytest.fixture
def expected(pack):
    """The mean over all tokens of all windows, each window read by the reference."""
    ids = pack.tokenizer.encode(LONG)
    assert len(ids) > 10 * WINDOW
    reference = NumpyTransformer(pack.manifest.architecture, pack.weights)
    windows = [ids[begin : begin + WINDOW - 1] for begin in range(0, len(ids), WINDOW - 1)]
    return np.concatenate([reference.trace(source=[*window, END])["enc.output"] for window in windows]).mean(axis=0)


def test_embedding_and_labels_count_every_window(pack, expected):
    vector = load(pack.folder, task="embed", compute="float32", threads=1)(LONG)
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-4)
    logits = expected @ pack.weights["cls.W"].T + pack.weights["cls.b"]
    shares = np.exp(logits - logits.max())
    found = load(pack.folder, task="classify", compute="float32", threads=1).classify(LONG)
    assert [found.probabilities[label] for label in pack.manifest.labels] == pytest.approx(
        list(shares / shares.sum()), abs=1e-3
    )


def test_evaluating_reads_them_the_same_way(pack, expected, tmp_path, capsys):
    logits = expected @ pack.weights["cls.W"].T + pack.weights["cls.b"]
    (tmp_path / "test.tsv").write_text(f"{pack.manifest.labels[int(logits.argmax())]}\t{LONG}\n")
    with pytest.raises(SystemExit):
        main(["evaluate", "pack", "--test", "test.tsv", "--device", "cpu", "--json"])
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
