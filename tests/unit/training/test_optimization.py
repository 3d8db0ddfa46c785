import math

import pytest

from dhyan.training.optimization import learning_rate
from dhyan.training.recipe import TrainingSettings


def rate(step, **settings):
    return learning_rate(TrainingSettings(learning_rate=1.0, warmup=100, steps=1000, **settings), step)


@pytest.mark.parametrize("schedule", ["cosine", "inverse-sqrt", "constant"])
def test_the_rate_rises_in_a_line_to_its_peak(schedule):
    assert rate(1, schedule=schedule) == pytest.approx(0.01)
    assert rate(50, schedule=schedule) == pytest.approx(0.5)
    assert rate(100, schedule=schedule) == pytest.approx(1.0)


def test_inverse_sqrt_halves_when_the_steps_are_four_times_as_many():
    assert rate(400, schedule="inverse-sqrt") == pytest.approx(0.5)


def test_cosine_is_half_way_down_at_half_time_and_ends_near_zero():
    assert rate(550, schedule="cosine") == pytest.approx(0.505, abs=0.001)
    assert rate(1000, schedule="cosine") == pytest.approx(0.01)
    assert all(rate(step + 1, schedule="cosine") < rate(step, schedule="cosine") for step in range(100, 999))


def test_no_warm_up_starts_at_the_peak():
    settings = TrainingSettings(learning_rate=0.5, warmup=0, schedule="inverse-sqrt")
    assert learning_rate(settings, 1) == 0.5
    assert learning_rate(settings, 4) == pytest.approx(0.5 / math.sqrt(4))
