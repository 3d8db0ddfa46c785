"""Packed sequences must give exactly the loss and gradients of padded ones."""

import numpy as np
import pytest
import torch

from dhyan.core.special_tokens import END, SpecialTokens
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from dhyan.training.batching import ROW_LENGTH, DataPosition, Sampler, cut_evenly
from dhyan.training.compile import FirstShapes, compile_layers, run_eagerly
from dhyan.training.distributed.group import split_by_tokens
from dhyan.training.objectives.translation import Translation
from dhyan.training.packing import ROUND_TO, assign_rows
from dhyan.training.precision import Bf16Worker
from dhyan.training.recipe import TrainingSettings
from support.models import LIKE_OTHERS, POSITIONS


@pytest.fixture
def store(tmp_path):
    random = np.random.default_rng(3)
    with IdStoreWriter(tmp_path / "ids", ["source", "target"], [tmp_path / "none"], [40, 50]) as writer:
        for line in range(60):
            sides = [[*random.integers(5, 40, random.integers(1, 12)).tolist(), END] for _ in range(2)]
            writer.append([[side] for side in sides], [(tmp_path / "none", line + 1)])
    return IdStore(tmp_path / "ids")


@pytest.fixture
def objective():
    made = Translation.__new__(Translation)  # only what makes batches and losses is needed
    made.settings, made.special = TrainingSettings(), SpecialTokens()
    return made


def model(positions="sinusoidal", **options):
    torch.manual_seed(1)
    sizes = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 2, "decoder_layers": 2, "positions": positions}
    return Transformer(
        Architecture(
            **{**sizes, **options},
            shape="encoder-decoder",
            source_vocabulary=50,
            target_vocabulary=50,
            max_positions=16,
        ),
        Dropout(),
    )


MODELS = [{"positions": positions} for positions in POSITIONS]
MODELS += [LIKE_OTHERS[family] for family in ("bert", "gpt2", "llama", "marian")]


@pytest.mark.parametrize("options", MODELS)
@pytest.mark.parametrize("parts", [1, 3])
def test_packed_loss_and_gradients_equal_padded_ones(store, objective, options, parts):
    rows = np.arange(5, 40)
    padded, packed = model(**options), model(**options)
    expected = objective.loss(padded, objective.batch(store, rows, DataPosition()).tensors, smoothing=0.1)
    expected.backward()
    batch = objective.packed_batch(store, rows)
    assert batch.tensors["source"].shape == (ROUND_TO // ROW_LENGTH, ROW_LENGTH)
    assert batch.tokens == store.lengths("source", rows).sum() + store.lengths("target", rows).sum()
    total = 0.0
    for part in batch.micro_batches(parts):
        loss = objective.loss(packed, part.tensors, smoothing=0.1)
        loss.backward()
        total += loss.item()
    assert total == pytest.approx(expected.item(), rel=1e-5)
    for (name, one), (_, other) in zip(padded.named_parameters(), packed.named_parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, atol=2e-4, rtol=1e-3), name


def test_compiled_layers_give_the_same_loss_and_gradients(store, objective):
    plain, compiled = model(), model()
    # all of compiling but the kernels, which take a minute to build
    compile_layers(compiled, any_shape=False, backend="aot_eager")
    for rows in (np.arange(5, 40), np.arange(12)):  # another number of packed rows
        tensors = objective.packed_batch(store, rows).tensors
        losses = [objective.loss(one, tensors, smoothing=0.1) for one in (plain, compiled)]
        for loss in losses:
            loss.backward()
        assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-5)
    with torch.inference_mode(), run_eagerly():
        source, target = (torch.randint(8, 40, (3, length)) for length in (5, 4))
        assert torch.equal(plain.eval()(target, source), compiled.eval()(target, source))
    assert list(plain.state_dict()) == list(compiled.state_dict())
    for (name, one), (_, other) in zip(plain.named_parameters(), compiled.named_parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, atol=2e-4, rtol=1e-3), name


@pytest.mark.parametrize("parts", [1, 3])
def test_a_teacher_says_the_same_of_packed_rows_as_of_padded_ones(store, objective, parts):
    objective.settings = TrainingSettings(teacher_weight=0.7, label_smoothing=0.1)
    torch.manual_seed(5)
    objective.teacher = Transformer(model().architecture, Dropout()).requires_grad_(False).eval()
    rows = np.arange(5, 40)
    padded, packed = model(), model()
    expected = objective.training_loss(padded, objective.batch(store, rows, DataPosition()).tensors)
    expected.backward()
    assert expected.item() != pytest.approx(
        objective.loss(padded, objective.batch(store, rows, DataPosition()).tensors).item()
    )
    total = 0.0
    for part in objective.packed_batch(store, rows).micro_batches(parts):
        loss = objective.training_loss(packed, part.tensors)
        loss.backward()
        total += loss.item()
    assert total == pytest.approx(expected.item(), rel=1e-5)
    for (name, one), (_, other) in zip(padded.named_parameters(), packed.named_parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, atol=2e-4, rtol=1e-3), name


def test_batches_without_padding_hold_every_row_once_and_are_nearly_equal():
    tokens = np.random.default_rng(0).integers(2, 40, 1000)
    batches = cut_evenly(np.arange(1000), tokens, 500)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    sums = [tokens[batch].sum() for batch in batches]
    assert max(sums) - min(sums) <= 80
    assert 480 < np.mean(sums) <= 500
    assert [batch.tolist() for batch in cut_evenly(np.arange(3), np.array([900, 900, 900]), 500)] == [[0], [1], [2]]


def test_every_sequence_fits_into_its_packed_row_on_both_sides():
    lengths = np.random.default_rng(0).lognormal(2.8, 0.6, (2000, 2)).clip(1, 128).astype(np.int64)
    row = assign_rows(lengths, 128)
    filled = np.zeros((row.max() + 1, 2), dtype=np.int64)
    np.add.at(filled, row, lengths)
    assert filled.max() <= 128
    assert filled.sum() / filled.size > 0.85


def test_a_packed_sampler_goes_on_from_any_place():
    lengths = np.random.default_rng(0).integers(2, 40, (300, 2)).astype(np.int32)
    sampler = Sampler(lengths, 400, seed=5, packed=True)
    draws = sampler.batches(DataPosition())
    seen = [next(draws) for _ in range(60)]
    again = next(sampler.batches(seen[41].after))
    assert again.position == seen[42].position
    assert (again.rows == seen[42].rows).all()


def test_long_rows_share_batches_that_come_at_any_time():
    random = np.random.default_rng(0)
    lengths = random.integers(2, 40, (3000, 2)).astype(np.int32)
    lengths[random.choice(3000, 60, replace=False)] = 200
    batches = list(Sampler(lengths, 2000, seed=5, packed=True).epoch(0))
    assert sorted(np.concatenate(batches)) == list(range(3000))
    wide = [number for number, rows in enumerate(batches) if lengths[rows].max() == 200]
    assert len(wide) <= 60 * 400 / 2000 + 2  # scattered, they would widen most batches
    assert len(batches) > 50
    assert wide[0] < len(batches) / 2 < wide[-1]
    assert wide != list(range(wide[0], wide[-1] + 1))  # not one after another, which is a lesson of its own


def test_a_bf16_worker_copies_gradients_to_the_master_and_weights_back():
    master = model()
    bf16 = Bf16Worker(master)
    assert {p.dtype for p in bf16.model.parameters()} == {torch.bfloat16}
    for number, parameter in enumerate(bf16.model.parameters()):
        parameter.grad = torch.full_like(parameter, number)
    bf16.copy_gradients()
    for number, parameter in enumerate(master.parameters()):
        assert parameter.grad.dtype == torch.float32
        assert (parameter.grad == torch.tensor(float(number)).bfloat16().float()).all()
    with torch.no_grad():
        master.enc.E.add_(1.0)
    bf16.copy_weights()
    assert torch.equal(bf16.model.enc.E, master.enc.E.bfloat16())


def test_shares_of_a_packed_batch_add_up_to_the_whole(store, objective):
    rows = np.arange(5, 40)
    one = model()
    whole = objective.packed_batch(store, rows)
    total = 0.0
    for share in split_by_tokens(store.lengths("source", rows) + store.lengths("target", rows), 3):
        part = objective.packed_batch(store, rows, share)
        assert (part.tokens, part.units, part.weight) == (whole.tokens, whole.units, 1.0)
        total += objective.loss(one, part.tensors).item()
    assert total == pytest.approx(objective.loss(one, whole.tensors).item(), rel=1e-5)
    assert objective.packed_batch(store, rows, slice(35, 35)).weight == 0.0  # it only keeps step with the others


def test_only_the_first_shapes_are_compiled_for():
    shapes = FirstShapes(most=2)
    calls = []
    work = torch.compile(lambda x: x + 1, dynamic=False, backend=lambda graph, _: (calls.append(1), graph.forward)[1])
    for size in (3, 4, 5, 3, 6):
        with shapes.compiled(torch.Size([size])):
            assert torch.equal(work(torch.zeros(size)), torch.ones(size))
    assert len(calls) == 2
