"""The light experiments: right numbers, quick, and wrong knobs refused."""

import time

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.lab.experiments import autoregressive_numpy as stepwise
from dhyan.lab.experiments import norms_numpy as padded
from dhyan.lab.experiments import positions_numpy
from dhyan.lab.experiments import sqrt_dk_numpy as scores
from dhyan.lab.framework.live import LIVE, run_live
from dhyan.lab.framework.plot_svg import plot_svg
from dhyan.lab.framework.terminal import plotted


@pytest.mark.parametrize("name", LIVE)
def test_each_is_quick_and_can_be_drawn(name):
    run_live(name)  # imports and caches aside
    started = time.process_time()
    live = run_live(name)
    assert time.process_time() - started < 0.5
    assert live == run_live(name)
    assert live.tables
    for plot in live.plots:
        assert plot_svg(plot).startswith("<svg")
        assert plot.title in plotted(plot)


def test_wrong_knobs_and_names_are_refused():
    with pytest.raises(DhyanError, match=r"'key' is not a setting .did you mean 'keys'"):
        run_live("sqrt-dk", {"key": 3})
    with pytest.raises(DhyanError, match="make one of them smaller"):
        run_live("sqrt-dk", {"sizes": [100_000], "queries": 800})
    with pytest.raises(DhyanError, match=r"'norm' is not live .did you mean 'norms'"):
        run_live("norm")


def test_the_law_of_the_dot_products_variance():
    found = scores.by_size(scores.ScoreKnobs(sizes=[16, 256], queries=500, variance=2.0), seed=3)
    for size, (plain, divided) in found.items():
        assert plain.variance == pytest.approx(4 * size, rel=0.15)  # Var(q)·Var(k) = 4 for each of the products
        assert divided.variance == pytest.approx(4, rel=0.15)


def test_the_jacobians_norm_is_that_of_the_matrix():
    draw = np.random.default_rng(0)
    row = draw.normal(size=(1, 7))
    weights = np.exp(row[0]) / np.exp(row[0]).sum()
    matrix = np.diag(weights) - np.outer(weights, weights)
    assert scores.facts(row).gradient == pytest.approx(np.linalg.norm(matrix))


def test_without_positions_order_is_invisible():
    words = ["Nithish", "killed", "lion"]
    changes = {scheme: positions_numpy.word_order(scheme, words, 32) for scheme in positions_numpy.SCHEMES}
    assert changes.pop("none") < 1e-12
    assert min(changes.values()) > 0.01


def test_what_positions_are_like():
    assert positions_numpy.size("counting", 1000, 64) == pytest.approx(999)
    assert positions_numpy.size("sinusoidal", 1000, 64) == pytest.approx(np.sqrt(32))  # sin² + cos² = 1, 32 times
    assert positions_numpy.nearest("one-sine", 50, 64) < 0.05 < positions_numpy.nearest("sinusoidal", 50, 64)
    assert positions_numpy.unevenness("sinusoidal", 50, 64) < 1e-9
    assert positions_numpy.unevenness("rotary", 50, 64) < 1e-9
    assert positions_numpy.unevenness("counting", 50, 64) > 0.1


def test_the_counter_and_the_sines_go_from_fast_to_slow():
    bits, sines = (
        positions_numpy.turns(positions_numpy.counter(50)),
        positions_numpy.turns(positions_numpy.table("sinusoidal", 50, 128)[:, ::2]),
    )
    assert bits == sorted(bits, reverse=True)
    assert sines[0] > 10 > sines[-1]


def test_padding_moves_batch_norm_alone():
    knobs = padded.PaddedKnobs()
    layer, batch, without = (padded.changes(knobs, way, seed=1) for way in padded.WAYS)
    assert max(layer) == 0
    assert batch == sorted(batch)
    assert batch[-1] > 5 * without[-1] > 0


def test_a_decoder_says_the_same_word_by_word():
    found = stepwise.differences(stepwise.StepKnobs(length=9), seed=2)
    assert found["with a cache"] < 1e-12
    assert found["without a cache"] < 1e-12
    assert found["unmasked"] > 0.01


def test_the_work_is_counted_right():
    # One layer, d = 2, d_ff = 8: a word costs 4·4 + 2·2·8 = 48, looking at n keys 2·2·n.
    assert stepwise.multiplications(1, 2, 1, cached=False) == 52
    assert stepwise.multiplications(2, 2, 1, cached=True) == 52 + 56
    assert stepwise.multiplications(2, 2, 1, cached=False) == 52 + 2 * 56
