"""Stopped at any step, by any signal, a training goes on as if it never had been: to the last bit."""

import json
import signal

import pytest

from support.commands import ReadyMade, dhyan, wait_for_step
from support.tiny import TINY

STEPS = 80
SETTINGS = [*TINY, "--steps", STEPS, "--batch-tokens", 256, "--dropout", "0.2", "--ema", "0.9"]
SETTINGS += ["--validate-every", "20", "--save-every", "5", "--valid-rows", "5", "--held-out", "0.1"]


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture(params=["translate", "embed"])
def task(request, tmp_path, digits):
    """A translation, and an encoder that learns from masked tokens (whose masks are random too)."""
    if request.param == "translate":
        return ["translate", "--train", digits]
    text = tmp_path / "lines.txt"
    text.write_text(digits.read_text().replace("\t", " = "))
    return ["embed", "--train", text]


def test_killed_twice_and_resumed_ends_with_the_same_weights(task, tmp_path):
    dhyan("train", *task, "--out", "straight", *SETTINGS, folder=tmp_path)

    process = ReadyMade("train", *task, "--out", "broken", *SETTINGS, folder=tmp_path)
    training = tmp_path / "broken.training"
    wait_for_step(training, 15, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "broken").exists()

    process = ReadyMade("train", "--resume", "broken.training", folder=tmp_path)
    wait_for_step(training, 45, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()

    done = dhyan("train", "--resume", "broken.training", folder=tmp_path)
    assert "Going on from step" in done.stderr
    assert weights(tmp_path / "broken") == weights(tmp_path / "straight")
    metrics = [json.loads((tmp_path / name / "pack.json").read_text())["metrics"] for name in ("broken", "straight")]
    assert metrics[0] == metrics[1]
    steps = [json.loads(line)["step"] for line in (training / "log.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)  # what came after the checkpoint was forgotten, not logged twice


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_polite_stop_saves_and_says_how_to_go_on(number, code, digits, tmp_path):
    dhyan("train", "translate", "--train", digits, "--out", "straight", *SETTINGS, folder=tmp_path)
    process = ReadyMade("train", "translate", "--train", digits, "--out", "stopped", *SETTINGS, folder=tmp_path)
    wait_for_step(tmp_path / "stopped.training", 10, process)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Go on with: dhyan train --resume stopped.training" in said
    assert "Traceback" not in said
    dhyan("train", "--resume", "stopped.training", folder=tmp_path)
    assert weights(tmp_path / "stopped") == weights(tmp_path / "straight")


def test_a_resumed_training_needs_its_data_no_more_and_may_go_on_longer(digits, tmp_path):
    short = [*SETTINGS, "--schedule", "constant"]
    dhyan("train", "translate", "--train", digits, "--out", "first", *short, folder=tmp_path)
    digits.unlink()
    (tmp_path / "first").rename(tmp_path / "kept")
    done = dhyan("train", "--resume", "first.training", "--steps", STEPS + 20, folder=tmp_path)
    assert f"Going on from step {STEPS} of {STEPS + 20}" in done.stderr
    manifest = json.loads((tmp_path / "first" / "pack.json").read_text())
    assert manifest["training"]["steps"] == STEPS + 20
