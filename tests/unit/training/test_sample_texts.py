"""What a training shows of itself: fixed texts at each validation, with the attention that the model really has."""

import json

import numpy as np
import pytest

from dhyan.core.progress import Progress
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.pack.pack import open_pack
from dhyan.pack.training_folder import read_attention, read_log, read_samples, sampled_steps
from dhyan.pack.weights_file import load_weights
from dhyan.training import sample_texts
from dhyan.training.sample_texts import KINDS, suitable_rows
from dhyan.training.train import train
from support.tiny import reversed_digits

pytestmark = pytest.mark.slow

SIZES = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 2, "positions": "alibi"}
PACE = {"steps": 6, "validate_every": 3, "save_every": 3, "batch_tokens": 512}
TASKS = {  # objective → task, and how a pair of digits is written in its data
    "translation": ("translate", "{0}\t{1}"),
    "classification": ("classify", "{2}\t{0}"),
    "contrastive": ("embed", "{0}\t{1}"),
    "masked": ("embed", "{0} = {1}"),
    "next-token": ("write", "{0} = {1}"),
}


@pytest.fixture
def trained(tmp_path):
    """A tiny training of an objective: its folder."""

    def run(objective, progress=None, **training):
        task, pattern = TASKS[objective]
        rows = [
            (one, other, "even" if int(one[-1]) % 2 == 0 else "odd") for one, other in reversed_digits(200, seed=1)
        ]
        path = tmp_path / ("rows.tsv" if "\t" in pattern else "text.txt")
        path.write_text("".join(pattern.format(*row) + "\n" for row in rows), encoding="utf-8")
        training = PACE | {"objective": objective} | training
        values = {"task": task, "out": tmp_path / "pack", "model": SIZES, "training": training}
        train(values | {"data": {"train": [path]}}, progress or Progress())
        return tmp_path / "pack.training"

    return run


@pytest.mark.parametrize("objective", KINDS)
def test_every_task_shows_four_texts_and_the_attention_of_its_weights(trained, objective):
    folder = trained(objective)
    assert sampled_steps(folder) == [0, 3, 6]
    at_first, at_last = read_samples(folder, 0), read_samples(folder, 6)
    assert len(at_last.results) == 4
    assert [one.text for one in at_first.results] == [one.text for one in at_last.results]
    assert all(one.reference for one in at_last.results)
    has_score = {"classification": "probability", "masked": "probability", "contrastive": "cosine"}
    for one in at_last.results:
        assert (one.probability is not None, one.cosine is not None) == tuple(
            has_score.get(objective) == name for name in ("probability", "cosine")
        )

    weights = load_weights(folder / "checkpoints" / f"best-{best_step(folder)}.safetensors")
    samples, attention = read_samples(folder, best_step(folder)), read_attention(folder, best_step(folder))
    model = NumpyTransformer(open_pack(folder.with_suffix("")).manifest.architecture, weights)
    trace = model.trace(samples.source or None, samples.target or None)
    assert set(attention) == {name for name in trace if name.endswith(".weights")}
    for name, found in attention.items():
        np.testing.assert_allclose(found, trace[name], atol=1e-5, err_msg=name)
    if samples.target:
        assert samples.target[1:] == samples.predicted[:-1]


def best_step(folder):
    return json.loads((folder / "checkpoints" / "last" / "state.json").read_text())["best_step"]


def test_texts_can_be_named_with_or_without_a_reference(trained):
    folder = trained("translation", sample_text=("1 2 3\t3 2 1", "7 7"))
    found = read_samples(folder, 6)
    assert [(one.text, one.reference) for one in found.results] == [("1 2 3", "3 2 1"), ("7 7", "")]


def test_a_text_without_a_reference_has_the_attention_of_what_the_model_says(trained):
    folder = trained("translation", sample_text=("7 7 8",))
    found = read_samples(folder, 6)
    assert found.results[0].reference == ""
    assert read_attention(folder, 6)["dec.1.cross.weights"].shape == (2, len(found.target), len(found.source))


def test_samples_that_fail_stop_no_training(trained, monkeypatch):
    progress, heard = Progress(), []
    progress.say = heard.append

    def fails(*given):
        raise RuntimeError("no disk")

    monkeypatch.setattr(sample_texts, "write_samples", fails)
    folder = trained("classification", progress)
    assert (folder.with_suffix("") / "pack.json").exists()
    assert any("no samples of step 3 (no disk); the training goes on" in line for line in heard)


def test_the_log_says_how_fast_how_steep_and_how_it_ended(trained):
    entries = read_log(trained("classification") / "log.jsonl")
    kinds = [entry["kind"] for entry in entries]
    assert (kinds[0], kinds[-1], kinds.count("valid")) == ("start", "end", 2)
    assert entries[0]["steps"] == 6
    assert entries[-1]["how"] == "finished"
    last = [entry for entry in entries if entry["kind"] == "train"][-1]
    assert last["step"] == 6
    assert last["gradient_norm"] > 0
    assert last["tokens_per_second"] > 0


def test_where_it_is_validated_often_only_some_take_samples(trained):
    texts = sample_texts.Labels.__new__(sample_texts.Labels)
    texts.settings = type("Settings", (), {"steps": 10_000, "validate_every": 10})
    due = [step for step in range(0, 10_001, 10) if texts.is_due(step)]
    assert len(due) == sample_texts.MOST_SAMPLES + 1
    assert due[:2] == [0, 50]


class Store:
    def __init__(self, rows):
        self.rows = rows

    def lengths(self, column):
        return np.array([len(row) for row in self.rows])

    def row(self, column, number):
        return np.array(self.rows[number])


def test_rows_of_the_wanted_lengths_are_found_and_none_twice():
    store = Store([[5] * 30, [6] * 8, [6] * 8, [7] * 12, [8]])
    assert suitable_rows(store, "text", (8, 8, 11)) == [1, 3, 4]
