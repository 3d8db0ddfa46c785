"""The page beside a training may fail as it likes: the training goes on."""

import subprocess
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


class Served:
    """A page that runs until it is killed."""

    stdout = ()
    waited = killed = False

    def __init__(self, *given, **options):
        pass

    def poll(self):
        return None

    def wait(self):
        if not self.killed:
            Served.waited = True
            raise KeyboardInterrupt

    def kill(self):
        self.killed = True


@pytest.mark.parametrize("somebody_is_there", [True, False])
def test_it_stays_until_ctrl_c_only_where_somebody_can_press_it(progress, tmp_path, monkeypatch, somebody_is_there):
    monkeypatch.setattr(subprocess, "Popen", Served)
    monkeypatch.setattr(Served, "waited", False)
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: somebody_is_there, raising=False)
    with TrainingPage(tmp_path / "x.training", 0, progress):
        pass
    assert Served.waited == somebody_is_there
    assert ("The page stays until Ctrl-C." in progress.heard) == somebody_is_there


def test_what_goes_wrong_in_the_training_is_what_is_told(progress, tmp_path):
    with (
        pytest.raises(ValueError, match="the training's own"),
        TrainingPage(tmp_path / "x.training", 0, progress) as page,
    ):
        raise ValueError("the training's own")
    assert page is None
