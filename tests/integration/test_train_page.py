"""`dhyan train --page`: the page shows what the folder says, and changes nothing of the training."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest

from dhyan.pack.training_folder import read_samples
from dhyan.server.training_reader import TrainingReader
from support.commands import ENVIRONMENT, dhyan, start, wait_for_step
from support.tiny import TINY, reversed_digits

pytestmark = pytest.mark.slow

PACE = ["--steps", "60", "--validate-every", "20", "--save-every", "10", "--batch-tokens", "512"]


@pytest.fixture
def digits(tmp_path):
    path = tmp_path / "digits.tsv"
    path.write_text("".join(f"{one}\t{other}\n" for one, other in reversed_digits(300, seed=1)))
    return path


def get(address, path):
    with urllib.request.urlopen(f"{address}/api/v1/trainings{path}", timeout=10) as answer:
        return json.load(answer)


def address_in(process):
    for line in process.stderr:
        if found := re.search(r"Watch it: (http://127\.0\.0\.1:\d+)/#/watch", line):
            return found[1]
    pytest.fail("no page was started")


def test_a_running_training_is_shown_and_goes_on_after_a_kill(digits, tmp_path):
    pace = [*PACE, "--steps", "4000", "--schedule", "constant"]
    command = ["translate", "--train", digits, *TINY, *pace, "--out", "shown", "--page", "--page-port", 0]
    process = start("train", *command, folder=tmp_path)
    address, folder = address_in(process), tmp_path / "shown.training"
    wait_for_step(folder, 40, process)
    found = get(address, "/shown")
    assert (found["how"], found["steps"], found["checkpoints"][:3]) == ("running", 4000, [0, 20, 40])
    process.kill()
    process.communicate()
    for _ in range(100):
        with suppress(OSError):
            get(address, "")
            time.sleep(0.05)
            continue
        break
    else:
        pytest.fail("the page outlives the training")

    reader = TrainingReader(folder)
    assert reader.look()["how"] == "killed"
    saved = json.loads((folder / "checkpoints" / "last" / "state.json").read_text())["step"]
    dhyan("train", "--resume", "shown.training", "--steps", saved + 20, folder=tmp_path)
    found = reader.look()
    assert (found["how"], found["resumed"], found["step"]) == ("finished", [saved], saved + 20)
    assert found["train"]["step"] == sorted(set(found["train"]["step"]))
    assert found["checkpoints"] == sorted({*range(0, saved + 20, 20), saved + 20})


def test_the_weights_are_the_same_with_a_page_and_one_can_look_again_afterwards(digits, tmp_path):
    command = ["train", "translate", "--train", digits, *TINY, *PACE]
    dhyan(*command, "--out", "plain", folder=tmp_path)
    said = dhyan(*command, "--out", "shown", "--page", "--page-port", 0, folder=tmp_path).stderr
    assert "The pack is in shown" in said
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("plain", "shown")]
    assert weights[0] == weights[1]

    serve = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0", "--model", "plain"]
    folders = ["--training", "plain.training", "--training", "shown.training"]
    with subprocess.Popen(
        [*serve, *folders], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    ) as server:
        line = server.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
        found = get(address, "/shown")
        logged = [json.loads(line) for line in (tmp_path / "shown.training" / "log.jsonl").read_text().splitlines()]
        validated = [entry for entry in logged if entry["kind"] == "valid"]
        assert [(one["step"], one["metrics"]["loss"]) for one in found["validations"]] == [
            (entry["step"], entry["loss"]) for entry in validated
        ]
        assert (found["how"], found["step"], found["checkpoints"]) == ("finished", 60, [0, 20, 40, 60])
        sampled = read_samples(tmp_path / "shown.training", 40)
        assert get(address, "/shown/samples/40")["results"] == [one.model_dump() for one in sampled.results]
        assert get(address, "/plain/samples/40")["results"] == [one.model_dump() for one in sampled.results]
        assert get(address, "/plain")["pack"] == "plain"
        server.terminate()


def test_a_page_needs_a_training(digits, tmp_path):
    said = dhyan(
        "train", "translate", "--train", digits, "--out", "x", "--prepare", "--page", folder=tmp_path, expect=2
    )
    assert "leave it out" in said.stderr
