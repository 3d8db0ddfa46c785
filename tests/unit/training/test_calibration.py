"""Probabilities that mean what they say, and how sure a score is."""

from functools import partial

import numpy as np
import pytest

from dhyan.training.assessment.bootstrap import interval, intervals
from dhyan.training.assessment.calibration import (
    binary_cross_entropy,
    cross_entropy,
    expected_calibration_error,
    fit_scales,
    log_softmax,
    squared_error,
)
from dhyan.training.assessment.cross_validation import folds_of
from dhyan.training.assessment.label_errors import suspects
from dhyan.training.assessment.learning_curve import extrapolated, learning_curve


def drawn(rows, scale, seed=0):
    """Logits, and labels that are drawn from the probabilities which they stand for."""
    random = np.random.default_rng(seed)
    logits = random.normal(size=(rows, 4)) * 2
    probabilities = np.exp(log_softmax(logits))
    labels = np.array([random.choice(4, p=row) for row in probabilities])
    return scale * logits, labels


def test_temperature_scaling_finds_how_much_too_sure_the_logits_are():
    logits, labels = drawn(4000, scale=3.0)
    (scale,) = fit_scales([logits], partial(cross_entropy, labels=labels))
    assert scale == pytest.approx(1 / 3, rel=0.1)
    before, after = (expected_calibration_error(one, labels) for one in (logits, scale * logits))
    assert before > 0.1
    assert after < 0.03


def test_an_expert_that_knows_nothing_counts_nothing():
    logits, labels = drawn(2000, scale=1.0)
    noise = np.random.default_rng(5).normal(size=logits.shape)
    loss_of = partial(cross_entropy, labels=labels)
    good, useless = fit_scales([logits, noise], loss_of)
    assert good == pytest.approx(1, abs=0.15)
    assert useless < 0.1
    first, second = fit_scales([logits, logits + noise], loss_of)
    assert loss_of(first * logits + second * (logits + noise))[0] <= loss_of(logits)[0]


def test_logits_that_are_always_right_do_not_get_infinite():
    labels = np.arange(40) % 4
    (scale,) = fit_scales([10.0 * np.eye(4)[labels]], partial(cross_entropy, labels=labels))
    assert 0.1 < scale < 100


def test_a_number_is_scaled_by_least_squares():
    said = np.random.default_rng(2).normal(size=(500, 1))
    (scale,) = fit_scales([said], partial(squared_error, right=2.5 * said[:, 0]))
    assert scale == pytest.approx(2.5, rel=0.01)


@pytest.mark.parametrize("loss", ["one", "several", "number"])
def test_gradients_are_those_of_the_losses(loss):
    random = np.random.default_rng(3)
    logits = random.normal(size=(6, 1 if loss == "number" else 3))
    loss_of = {
        "one": partial(cross_entropy, labels=random.integers(3, size=6)),
        "several": partial(binary_cross_entropy, holds=random.random((6, 3)) < 0.4),
        "number": partial(squared_error, right=random.normal(size=6)),
    }[loss]
    _, gradient = loss_of(logits)
    for where in np.ndindex(*logits.shape):
        moved = np.zeros_like(logits)
        moved[where] = 1e-5
        slope = (loss_of(logits + moved)[0] - loss_of(logits - moved)[0]) / 2e-5
        assert gradient[where] / len(logits) == pytest.approx(slope, abs=1e-8)


def test_an_interval_is_as_wide_as_the_rows_make_it():
    right = np.random.default_rng(1).random(400) < 0.8
    found = interval(lambda rows: float(right[rows].mean()), len(right))
    expected = 1.96 * (0.8 * 0.2 / 400) ** 0.5
    assert found.high - found.low == pytest.approx(2 * expected, rel=0.2)
    assert found.low < right.mean() < found.high
    once, twice = intervals(lambda rows: (right[rows].mean(), 2 * right[rows].mean()), len(right), 1000)
    assert once == found
    assert twice.low == pytest.approx(2 * once.low)


def test_a_learning_curve_goes_on_as_a_power_law():
    rows = [250, 500, 1000]
    accuracy = [1 - 2 * n**-0.4 for n in rows]
    assert extrapolated(rows, accuracy) == pytest.approx(1 - 2 * 2000**-0.4, abs=1e-6)
    assert extrapolated(rows, [0.8, 0.8, 0.79]) == pytest.approx(0.79, abs=1e-9)  # more data does no harm
    curve = learning_curve(lambda some: 1 - 2 * len(some) ** -0.4, 1000)
    assert curve.rows == rows
    assert "more rows would help" in curve.said("{:.1%}".format)


def test_wrong_labels_are_found_and_right_ones_left():
    random = np.random.default_rng(0)
    right = random.integers(3, size=300)
    logits = 4.0 * np.eye(3)[right] + random.normal(size=(300, 3)) * 0.3
    labels = right.copy()
    labels[[10, 20, 30]] = (right[[10, 20, 30]] + 1) % 3
    found = suspects(log_softmax(logits), labels)
    assert {one.row for one in found} == {10, 20, 30}
    assert all(one.found == right[one.row] and one.said == labels[one.row] for one in found)


def test_folds_judge_every_row_once_and_spread_the_labels():
    labels = np.array([0] * 50 + [1] * 10 + [2] * 3)
    folds = folds_of(labels, 5)
    assert sorted(np.concatenate([judged for _, judged in folds])) == list(range(63))
    for learnt, judged in folds:
        assert not set(learnt) & set(judged)
        assert (labels[judged] == 1).sum() == 2
        assert set(labels[learnt]) == {0, 1, 2}
