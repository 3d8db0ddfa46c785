"""The loop's own promises: micro-batches add up, running out of memory halves them, averages average."""

import errno
from dataclasses import replace

import numpy as np
import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.pack.pack import read_pack
from dhyan.training.batching import BatchRows, DataPosition, Sampler
from dhyan.training.checkpoint import read_state
from dhyan.training.dataset import Reservoir, corpus_stats
from dhyan.training.ema import WeightAverage
from dhyan.training.execution import Execution
from dhyan.training.prepare import corpora, open_prepared, prepare
from dhyan.training.recipe import merge
from dhyan.training.signals import resumable
from dhyan.training.train import plan, prepare_only, train
from dhyan.training.trainer import Trainer
from dhyan.training.vocabularies import train_tokenizers
from support.tiny import reversed_digits

pytestmark = pytest.mark.slow

SIZES = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1}


class Listener(Progress):
    def __init__(self):
        self.heard = []

    def say(self, text):
        self.heard.append(text)


@pytest.fixture
def trainer(tmp_path):
    def make(task="translate", rows=None, progress=None, **training):
        path = tmp_path / "rows.tsv"
        rows = rows or list(reversed_digits(200, seed=2))
        path.write_text("".join(f"{first}\t{second}\n" for first, second in rows), encoding="utf-8")
        values = {"task": task, "out": tmp_path / "pack", "data": {"train": [path]}, "model": SIZES}
        values = merge(values, {"training": {"dropout": 0.0, "batch_tokens": 512, **training}})
        planned = plan(values)
        prepare(planned, Progress())
        return Trainer(open_prepared(planned.recipe.folder, planned.recipe), progress or Listener())

    return make


def first_batch(trainer):
    sampler = Sampler(trainer.objective.lengths(trainer.prepared.train), trainer.settings.batch_tokens, seed=1)
    return trainer.make_batch(next(sampler.batches(DataPosition())))


def gradients(trainer, batch):
    loss = trainer.accumulate_gradients(batch)
    return float(loss), [parameter.grad.clone() for parameter in trainer.model.parameters()]


def test_a_batch_in_parts_gives_the_gradients_of_the_whole(trainer):
    one = trainer()
    batch = first_batch(one)
    one.state.micro_batch_tokens = 10**6
    whole = gradients(one, batch)
    one.state.micro_batch_tokens = 64
    assert one.micro_batch_count(batch) > 5
    parts = gradients(one, batch)
    assert parts[0] == pytest.approx(whole[0], rel=1e-5)
    for found, expected in zip(parts[1], whole[1], strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_splitting_keeps_every_row_in_order(trainer):
    batch = first_batch(trainer())
    parts = list(batch.micro_batches(4))
    assert torch.equal(torch.cat([part.tensors["source"] for part in parts]), batch.tensors["source"])


def small_memory(trainer, most_rows):
    """Make the model run out of memory, as a GPU would, whenever more than so many rows come at once."""
    whole = trainer.loss

    def loss(model, tensors):
        if len(tensors["source"]) > most_rows:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return whole(model, tensors)

    trainer.loss = loss


def test_running_out_of_memory_halves_the_micro_batches_and_changes_nothing_else(trainer, tmp_path):
    progress = Listener()
    one = trainer(progress=progress)
    batch = first_batch(one)
    rows = len(batch.tensors["source"])
    before = one.model.weights()
    expected = float(one.step(batch))
    moved = one.model.weights()

    one.model.load_weights(before)
    one.optimizer.state.clear()
    one.state.micro_batch_tokens = one.settings.batch_tokens
    small_memory(one, most_rows=rows // 3)
    assert float(one.step(batch)) == pytest.approx(expected, rel=1e-5)
    assert one.state.micro_batch_tokens < one.settings.batch_tokens
    assert any("out of memory: going on with" in line for line in progress.heard)
    for name, weight in one.model.weights().items():
        assert weight == pytest.approx(moved[name], abs=2e-4)


def test_memory_for_not_even_one_row_is_told(trainer):
    one = trainer()
    small_memory(one, most_rows=0)
    with pytest.raises(DhyanError, match="out of memory with a batch that cannot be split"):
        one.step(first_batch(one))


def test_an_average_forgets_slowly_and_gives_the_weights_back():
    layer = torch.nn.Linear(2, 1)
    average = WeightAverage(layer, decay=0.9)
    start = layer.weight.detach().clone()
    with torch.no_grad():
        layer.weight.add_(1.0)
    average.update(step=1000)
    live = layer.weight.detach().clone()
    with average.swapped_in():
        torch.testing.assert_close(layer.weight.detach(), start + 0.1)
    torch.testing.assert_close(layer.weight.detach(), live)


def test_validation_leaves_weights_and_random_state_alone(trainer):
    one = trainer(ema=0.9)
    before, random = one.model.weights(), torch.get_rng_state()
    with one.evaluated_model() as model:
        scores = one.validate(model)
    assert set(scores) == {"loss", "bleu", "chrf"}
    assert torch.equal(torch.get_rng_state(), random)
    assert one.model.training
    assert all((weight == before[name]).all() for name, weight in one.model.weights().items())


def test_contrastive_batches_are_never_split(trainer):
    pairs = [(f"{first} cat", f"{first} kitten") for first, _ in reversed_digits(120, seed=4)]
    one = trainer(task="embed", rows=pairs, batch_tokens=2048)
    batch = first_batch(one)
    one.state.micro_batch_tokens = 16
    assert one.micro_batch_count(batch) == 1


def test_statistics_and_encoding_see_the_same_rows(trainer):
    prepared = trainer().prepared
    stats = corpus_stats(corpora(prepared.recipe)[0])
    assert stats.rows == len(prepared.train) + len(prepared.valid)
    trained = train_tokenizers(prepared.recipe, stats, requested=None)
    assert trained["source"].size == prepared.tokenizers["source"].size


def test_early_stopping_ends_a_training_that_no_longer_gets_better(trainer):
    progress = Listener()
    one = trainer(progress=progress, steps=50, validate_every=1, learning_rate=1e-30, patience=3, metric="loss")
    one.run()
    assert one.state.step == 4  # the first validation is the best, three more were not better
    assert one.state.best_step == 1
    assert any("stopping early" in line for line in progress.heard)


@pytest.mark.parametrize("positions", ["rotary", "sinusoidal"])
def test_training_goes_on_after_a_validation_that_needed_longer_tables(trainer, positions, monkeypatch):
    monkeypatch.setitem(SIZES, "positions", positions)
    monkeypatch.setitem(SIZES, "max_positions", 8)
    one = trainer(rows=list(reversed_digits(100, seed=3, longest=4)), steps=4, validate_every=2)
    one.run()  # translations may run to twice the source and some, far beyond 8 positions
    assert one.state.step == 4


def test_the_best_weights_are_the_ones_the_state_speaks_of(trainer):
    one = trainer(steps=6, validate_every=2, save_every=3)
    one.run()
    assert [path.name for path in one.last_checkpoint.parent.glob("best-*")] == [
        f"best-{one.state.best_step}.safetensors"
    ]


def test_a_gradient_that_is_not_finite_is_noticed_without_clipping(trainer):
    one = trainer(clip=0.0)
    with torch.no_grad():
        one.model.enc.E.fill_(float("inf"))
    batch = first_batch(one)
    assert not torch.isfinite(one.step(batch))


def test_a_reservoir_is_fair_and_bounded():
    sample = Reservoir(most_rows=100, most_characters=10_000)
    for number in range(5000):
        sample.add([f"{number:04d}"])
    assert len(sample.rows) == 100
    numbers = [int(row[0]) for row in sample.rows]
    assert 1800 < sum(numbers) / 100 < 3200  # from all of it, not from its beginning
    for number in range(200):
        sample.add([f"{number:01000d}"])
    assert sum(len(text) for row in sample.rows for text in row) <= 10_000
    assert len(sample.rows) >= 5


def test_two_pairs_are_enough_for_an_automatic_vocabulary(trainer):
    """A little Hindi brings all of Devanagari into the vocabulary, more than the text itself has letters."""
    one = trainer(rows=[("How are you?", "आप कैसे हैं"), ("Thank you", "धन्यवाद")])
    assert one.prepared.tokenizers["target"].decode(one.prepared.tokenizers["target"].encode("ॐ ॠ")) == "ॐ ॠ"


def test_only_matrices_are_pulled_towards_zero(trainer):
    one = trainer()
    pulled = {id(parameter) for parameter in one.optimizer.param_groups[0]["params"]}
    assert one.optimizer.param_groups[0]["weight_decay"] > 0 == one.optimizer.param_groups[1]["weight_decay"]
    for name, parameter in one.model.named_parameters():
        is_bias_or_norm = ".b_" in name or name.endswith((".b", ".gamma", ".beta"))
        assert (id(parameter) in pulled) != is_bias_or_norm, name


def test_a_warm_up_longer_than_the_training_is_noticed(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text(
        "".join(f"{first}\t{second}\n" for first, second in reversed_digits(60, seed=2)), encoding="utf-8"
    )

    def heard(name, **training):
        progress = Listener()
        values = {"task": "translate", "out": tmp_path / name, "data": {"train": [path]}, "model": SIZES}
        prepare_only(merge(values, {"training": training}), progress)
        return [line for line in progress.heard if "never reaches its peak" in line]

    assert len(heard("long", steps=100, warmup=4000)) == 1
    assert not heard("short", steps=100, warmup=10)


def test_a_checkpoint_of_an_earlier_version_says_place_for_its_position(tmp_path):
    (tmp_path / "last").mkdir()
    (tmp_path / "last" / "state.json").write_text('{"step": 7, "place": {"epoch": 2, "batch": 5}, "tokens": 90}')
    state = read_state(tmp_path / "last")
    assert (state.step, state.position, state.tokens) == (7, DataPosition(2, 5), 90)


def test_each_pack_is_read_once(tmp_path, trainer, monkeypatch):
    trainer(steps=2, validate_every=2).run()
    first = tmp_path / "first"
    values = {"task": "translate", "data": {"train": [tmp_path / "rows.tsv"]}, "training": {"steps": 2}}
    train(merge(values, {"out": first, "model": SIZES}))
    read = []
    monkeypatch.setattr("dhyan.training.train.read_pack", lambda folder: (read.append(folder), read_pack(folder))[1])
    train(merge(values, {"out": tmp_path / "second", "start_from": first, "teacher": first}))
    assert read == [first, first]  # one as the weights to start from, one as the teacher


def test_packed_training_with_master_weights_steps_as_plain_training_does(trainer, monkeypatch):
    """What a GPU does, here in float32: a copy computes the gradients of packed rows, the master takes the step."""
    plain = trainer(rows=list(reversed_digits(60, seed=2)))
    choose = Execution.choose
    monkeypatch.setattr(Execution, "choose", lambda *given: replace(choose(*given), packed=True))
    monkeypatch.setattr("dhyan.training.precision.torch.bfloat16", torch.float32)
    packed = Trainer(plain.prepared, Listener())
    assert packed.worker is not packed.model
    rows = BatchRows(np.arange(20), DataPosition(), DataPosition(0, 1))
    for _ in range(3):
        losses = [float(one.step(one.make_batch(rows))) for one in (plain, packed)]
        assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    for (name, one), (_, other) in zip(plain.model.named_parameters(), packed.model.named_parameters(), strict=True):
        torch.testing.assert_close(other, one, atol=2e-3, rtol=1e-2, msg=name)
    for master, worker in zip(packed.model.parameters(), packed.worker.parameters(), strict=True):
        assert torch.equal(master, worker)


@pytest.mark.parametrize(
    ("stop", "said", "code"),
    [(KeyboardInterrupt(), "stopped", 130), (OSError(errno.ENOSPC, "No space left"), "the disk is full: free", 2)],
)
def test_what_stops_a_training_says_how_to_go_on(tmp_path, stop, said, code):
    told = pytest.raises(DhyanError, match=rf"{said}.*Go on with: dhyan train --resume .*new\.training")
    with told as stopped, resumable(tmp_path / "new.training"):
        raise stop
    assert stopped.value.exit_code == code
