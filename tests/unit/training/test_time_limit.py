"""A training in a given time."""

import time

import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.training.checkpoint import State
from dhyan.training.recipe import Recipe, TrainingSettings
from dhyan.training.time_limit import (
    LEAST_FOR_TRAINING,
    PROBE_SECONDS,
    Probe,
    TimeLimit,
    probe,
    seconds_of,
    thread_counts,
)


@pytest.mark.parametrize(("text", "seconds"), [("5m", 300), ("90s", 90), ("1.5h", 5400), ("none", None)])
def test_times_as_people_write_them(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["5", "m", "five minutes", "-5m", "5 m"])
def test_other_times_are_refused_in_a_sentence(text):
    values = {"task": "classify", "out": "new", "training": {"objective": "classification", "time": text}}
    with pytest.raises(DhyanError, match=r"time = .*: it should be .*such as 5m, 90s or 2h"):
        Recipe.checked(values, "here")


def test_the_faster_number_of_threads_is_taken(monkeypatch):
    monkeypatch.setattr("dhyan.training.time_limit.thread_counts", lambda: [1, 2])
    threads = []
    monkeypatch.setattr(torch, "set_num_threads", threads.append)

    def steps():
        while True:
            yield lambda: time.sleep(0.01 if threads and threads[-1] == 2 else 0.08)

    found = probe(steps(), torch.device("cpu"), seconds=0.2)
    assert found.threads == 2
    assert 0.01 <= found.seconds_per_step < 0.08


def test_who_sets_threads_has_decided(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_counts() == [torch.get_num_threads()]


def test_steps_leave_time_for_validation():
    assert Probe(1, 0.1).steps_within(100) == 820


@pytest.mark.parametrize(("text", "seconds"), [("8m", PROBE_SECONDS), ("7s", 0.7)])
def test_a_short_training_is_tried_for_a_part_of_its_time_only(text, seconds):
    settings = TrainingSettings(objective="classification", time=text)
    assert TimeLimit(settings, State()).probe_seconds == pytest.approx(seconds)


def test_the_schedule_follows_the_pace():
    settings = TrainingSettings(objective="classification", time="100s", steps=2000, validate_every=100)
    state = State(step=100, seconds=20.0, validations=1, validation_seconds=2.0, steps=500)
    limit = TimeLimit(settings, state)
    limit.adapt()  # 0.2 s per step, where 0.16 had been hoped for
    assert 400 < limit.last_step < 500
    state.seconds = 5.0
    limit.adapt()
    assert limit.last_step > 1000
    state.step, state.seconds = 800, 200.0
    limit.adapt()  # too late for more than one
    assert limit.last_step == 801


def test_what_is_not_training_is_taken_off_the_time():
    settings, state = TrainingSettings(objective="classification", time="100s"), State()
    limit = TimeLimit(settings, state)
    limit.reserve(30)
    assert limit.limit == 100 - 30 - PROBE_SECONDS
    limit.fit(Probe(1, 0.1))
    assert limit.last_step == int(0.82 * limit.limit / 0.1)
    state.step = 1
    limit.reserve(60)  # resumed: as it was planned
    assert limit.limit == 100 - 30 - PROBE_SECONDS
    state.step = 0
    limit.reserve(1000)
    assert limit.limit == 100 * LEAST_FOR_TRAINING
