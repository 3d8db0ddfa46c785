"""Each experiment at its smallest: the effect points the way that the notes say, for reasons that were measured."""

import pytest
import torch

from dhyan.core.progress import Progress
from dhyan.lab.experiments.parallel_training import ParallelKnobs, _model, _words, one_by_one, together
from dhyan.lab.experiments.positions import PositionKnobs
from dhyan.lab.experiments.positions_numpy import SCHEMES
from dhyan.lab.experiments.sqrt_dk import unscaled
from dhyan.lab.framework import registry, results
from dhyan.model.attention import attention

pytestmark = pytest.mark.long


def measured(name, folder, seeds=(0,), **knobs):
    found = registry.experiment(name)
    chosen = results.knobs_of(found, True, knobs, name)
    return results.run(registry.about(name), found, chosen, list(seeds), folder)


def test_sqrt_dk(tmp_path):
    kept = measured("sqrt-dk", tmp_path, steps=120, rates=[3e-3])
    divided, undivided = (kept.measured[case][0]["rates"][0] for case in ("scaled", "unscaled"))
    assert divided["losses"][0] == pytest.approx(undivided["losses"][0], rel=0.2)  # the same weights, the same words
    assert divided["accuracy"] > 0.9 > 0.6 > undivided["accuracy"]
    assert kept.verdict == "held"


def test_unscaled_attention_is_attention_without_the_division():
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 1, 2, 5, 16)
    context = unscaled(query, key, value, None, 0.0)
    expected = (query @ key.transpose(-2, -1)).softmax(-1) @ value
    assert torch.allclose(context, expected, atol=1e-5)
    assert not torch.allclose(context, attention(query, key, value).context, atol=1e-2)


def test_positions():
    one = registry.experiment("positions")
    knobs, hardly = (PositionKnobs(steps=steps, size=64, test_lengths=[8, 32]) for steps in (200, 1))
    untrained = ("counting", "one-sine")  # what is asserted of them needs no training
    found = {case: one.measure(hardly if case in untrained else knobs, case, 0, Progress()) for case in SCHEMES}
    at_home, beyond = ({case: numbers["before"][index] for case, numbers in found.items()} for index in (0, 1))
    assert at_home["none"] < 0.4
    assert min(at_home[case] for case in ("sinusoidal", "learned", "rotary")) > 0.7
    assert beyond["rotary"] > beyond["none"] + 0.2
    assert found["none"]["who"] < 0.75 < 0.95 < found["sinusoidal"]["who"]
    assert found["learned"]["parameters"] > found["none"]["parameters"]
    assert found["counting"]["size"] > 100 * found["sinusoidal"]["size"]
    assert found["one-sine"]["nearest"] < 0.1 * found["sinusoidal"]["nearest"]
    assert one.conclude(knobs, {case: [numbers] for case, numbers in found.items()}).verdict == "held"


def test_norms(tmp_path):
    kept = measured("norms", tmp_path, steps=60)
    layer, batch = kept.measured["layer"][0], kept.measured["batch"][0]
    assert max(layer["changes"]) == 0 < batch["changes"][-1]
    assert layer["moved"] < 1e-4 < 0.01 < batch["moved"]
    assert layer["losses"][-1] < layer["losses"][0]
    assert batch["losses"][-1] < batch["losses"][0]
    assert kept.tables[0].rows[0] == ["7, 5, 4", "1.1859, 1.1667, −0.2041", "1.3363, −0.2673, −1.0690"]


def test_parallel_training(tmp_path):
    kept = measured("parallel-training", tmp_path, lengths=[4, 40], compared_up_to=4, rows=4)
    numbers = kept.measured["all"][0]
    assert numbers["differences"][0] < 1e-12
    assert numbers["differences"][1] is None
    assert numbers["seconds"]["step by step"][1] > 5 * numbers["seconds"]["parallel"][1]


def test_the_two_gradients_are_of_the_same_loss_but_not_without_the_mask():
    torch.manual_seed(0)
    knobs = ParallelKnobs(d_model=16)
    draw = torch.Generator().manual_seed(0)
    source, target = _words(3, 5, draw), _words(3, 6, draw)
    model = _model(knobs).double()
    for one, other in zip(together(model, source, target), one_by_one(model, source, target), strict=True):
        assert torch.allclose(one, other, atol=1e-12)
    model.decoder.is_causal = False
    pairs = zip(together(model, source, target), one_by_one(model, source, target), strict=True)
    assert any(not torch.allclose(one, other, atol=1e-4) for one, other in pairs)


def test_leak(tmp_path):
    kept = measured("leak", tmp_path, steps=200, d_model=32, digits=3, rate=8e-3)
    honest, leaking = kept.measured["masked"][0], kept.measured["unmasked"][0]
    assert leaking["loss"] < 0.1 * honest["loss"]
    assert honest["digits"] > 0.9 > 0.3 > leaking["digits"]
    assert honest["parameters"] == leaking["parameters"]
    assert kept.verdict == "held"


def test_autoregressive(tmp_path):
    kept = measured("autoregressive", tmp_path, lengths=[8, 128], size=32)
    numbers = kept.measured["all"][0]
    assert max(numbers["differences"][way] for way in ("with a cache", "without a cache")) < 1e-12
    assert numbers["seconds"]["all at once"][1] < numbers["seconds"]["with a cache"][1]
    assert kept.verdict == "held"
