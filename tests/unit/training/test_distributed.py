"""Several processes train what one would: the same but for rounding, however they share the work."""

import json
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.pack.weights_file import load_weights
from dhyan.training import train as run
from dhyan.training.distributed.group import split_by_tokens
from support.processes import dies_in_the_second, fails_in_the_first, together
from support.tiny import reversed_digits

pytestmark = pytest.mark.long

SIZES = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 2, "max_positions": 32}
STEPS = 12


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(1, 9))
def test_shares_cover_all_rows_and_none_is_empty_while_there_are_enough(tokens, count):
    shares = split_by_tokens(np.array(tokens), count)
    assert len(shares) == count
    assert [row for share in shares for row in range(share.start, share.stop)] == list(range(len(tokens)))
    assert sum(share.stop > share.start for share in shares) == min(count, len(tokens))


def test_shares_are_equal_by_tokens_not_by_rows():
    tokens = np.array([90, 10, 10, 10, 10, 10, 10, 10, 10, 10])
    first, second = split_by_tokens(tokens, 2)
    assert tokens[first].sum() == tokens[second].sum() == 90


def settings(task, corpus, out, **training):
    values = {
        "batch_tokens": 256,
        "steps": STEPS,
        "validate_every": 6,
        "save_every": 6,
        "valid_rows": 4,
        "dropout": 0,
    }
    training = values | {"ema": 0.9, "warmup": 4, "schedule": "constant"} | training
    return {
        "task": task,
        "out": str(out),
        "data": {"train": [str(corpus)], "held_out": 0.1},
        "model": SIZES,
        "training": training,
    }


def train(count, values):
    codes, messages = together(count, run.train, values)
    assert codes == [0] * count, messages


def assert_same(one, other):
    """Weights and validations agree. A key's bias is left out: softmax does not see it, so its gradient is noise."""
    weights, others = (load_weights(folder / "model.safetensors") for folder in (one, other))
    assert weights.keys() == others.keys()
    for name, weight in weights.items():
        if not name.endswith("b_K"):
            np.testing.assert_allclose(others[name], weight, atol=2e-4, err_msg=name)
    logs = [validations(folder) for folder in (one, other)]
    assert [entry["step"] for entry in logs[0]] == [entry["step"] for entry in logs[1]]
    np.testing.assert_allclose([e["loss"] for e in logs[0]], [e["loss"] for e in logs[1]], rtol=1e-4)
    assert tokens_seen(one) == tokens_seen(other)


def validations(pack):
    lines = (pack.with_name(pack.name + ".training") / "log.jsonl").read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry["kind"] == "valid"]


def tokens_seen(pack):
    return json.loads((pack / "pack.json").read_text())["training"]["tokens seen"]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Task → what it is trained on."""
    folder = tmp_path_factory.mktemp("corpora")
    pairs = list(reversed_digits(300, seed=1))
    files = {
        "digits.tsv": "".join(f"{source}\t{target}\n" for source, target in pairs),
        "lines.txt": "".join(f"{source} = {target}\n" for source, target in pairs),
        "labelled.tsv": "".join(f"{'even' if int(row[-1]) % 2 == 0 else 'odd'}\t{row}\n" for row, _ in pairs),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    names = {"translate": "digits.tsv", "write": "lines.txt", "embed": "lines.txt", "classify": "labelled.tsv"}
    return {task: folder / name for task, name in names.items()}


@pytest.fixture(scope="module")
def trained_by_one(corpora, tmp_path_factory):
    """Task → the pack that one process trains: once for all that is compared with it."""
    folder = tmp_path_factory.mktemp("one")

    @lru_cache
    def pack(task):
        train(1, settings(task, corpora[task], folder / task))
        return folder / task

    return pack


@pytest.mark.parametrize("task", ["translate", "write", "embed", "classify"])
def test_the_number_of_processes_changes_nothing_but_rounding(task, corpora, trained_by_one, tmp_path):
    train(2, settings(task, corpora[task], tmp_path / "two"))
    assert_same(trained_by_one(task), tmp_path / "two")


@pytest.mark.parametrize("task", ["translate", "write"])
def test_weights_cut_up_and_parts_of_unequal_number_change_nothing_either(task, corpora, trained_by_one, tmp_path):
    train(3, settings(task, corpora[task], tmp_path / "three", parallel="fsdp", micro_batch_tokens=40))
    assert_same(trained_by_one(task), tmp_path / "three")


def test_a_batch_with_fewer_rows_than_processes_leaves_some_idle(digits, tmp_path):
    some = tmp_path / "some.tsv"
    some.write_text("".join(digits.read_text().splitlines(keepends=True)[:40]))
    for count, parallel in ((1, "auto"), (4, "ddp"), (4, "fsdp")):
        train(count, settings("translate", some, tmp_path / f"{parallel}", batch_tokens=60, parallel=parallel))
    assert_same(tmp_path / "auto", tmp_path / "ddp")
    assert_same(tmp_path / "auto", tmp_path / "fsdp")


@pytest.mark.parametrize("parallel", ["ddp", "fsdp"])
def test_a_checkpoint_goes_on_with_any_number_of_processes(parallel, digits, trained_by_one, tmp_path):
    train(3, settings("translate", digits, tmp_path / "changed", steps=STEPS // 2, parallel=parallel))
    (tmp_path / "changed").rename(tmp_path / "half")
    more = {"training": {"steps": STEPS}}
    codes, messages = together(2, run.resume, tmp_path / "changed.training", more)
    assert codes == [0, 0], messages
    assert_same(trained_by_one("translate"), tmp_path / "changed")


def test_dropout_is_each_process_own_and_resumes_exactly(digits, tmp_path):
    values = {"dropout": 0.2, "save_every": 4}
    train(2, settings("translate", digits, tmp_path / "straight", **values))
    train(2, settings("translate", digits, tmp_path / "broken", **values, steps=STEPS // 2))
    (tmp_path / "broken").rename(tmp_path / "half")
    together(2, run.resume, tmp_path / "broken.training", {"training": {"steps": STEPS}})
    straight, broken = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("straight", "broken"))
    assert straight == broken


@pytest.mark.parametrize(
    ("task", "values", "message"),
    [
        ("translate", {"batch_tokens": 32}, "too few for 4 processes; start at most"),
        ("translate", {"precision": "bfloat16"}, "needs a GPU"),
        ("translate", {"parallel": "fsdp", "compile": True}, "--compile does not go with --parallel fsdp"),
        ("embed", {"objective": "contrastive"}, "cannot be trained by several processes"),
    ],
)
def test_what_does_not_fit_is_said_once(task, values, message, digits, tmp_path):
    codes, messages = together(4, run.train, settings(task, digits, tmp_path / "out", **values))
    assert codes == [2] * 4
    assert len(messages) == 1
    assert message in messages[0]


def test_what_the_first_one_cannot_prepare_stops_all_with_one_message(tmp_path):
    codes, messages = together(3, run.train, settings("translate", tmp_path / "none.tsv", tmp_path / "out"))
    assert codes == [2] * 3
    assert len(messages) == 1
    assert "none.tsv" in messages[0]


def test_an_error_that_speaks_of_connections_is_not_taken_for_a_lost_process():
    codes, messages = together(2, fails_in_the_first)
    assert codes == [2, 2]
    assert messages == ["told as it is: the connection to the data server timed out (socket closed)"]


def test_a_process_that_dies_is_named_by_another():
    codes, messages = together(2, dies_in_the_second)
    assert codes == [2, 9]
    assert len(messages) == 1
    assert messages[0].startswith("process 1 of 2 (counted from 0) has died")
