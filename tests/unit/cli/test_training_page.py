"""The page beside a training may fail as it likes: the training goes on."""

import sys

import pytest

from dhyan.cli.training_page import TrainingPage
from dhyan.core.progress import Progress


@pytest.fixture
def progress():
    progress = Progress()
    progress.heard = []
    progress.say = progress.heard.append
    return progress


def test_a_page_that_cannot_start_is_told(progress, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with TrainingPage(tmp_path / "x.training", 0, progress):
        progress.say("trained")
    assert "there is no page" in progress.heard[0]
    assert progress.heard[1:] == ["trained"]


def test_what_goes_wrong_in_the_training_is_what_is_told(progress, tmp_path):
    with (
        pytest.raises(ValueError, match="the training's own"),
        TrainingPage(tmp_path / "x.training", 0, progress) as page,
    ):
        raise ValueError("the training's own")
    assert page is None
