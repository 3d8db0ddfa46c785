"""`dhyan train` in several processes: killed, stopped, resumed with another number; by itself and by torchrun."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dhyan.pack.weights_file import load_weights
from support.commands import ENVIRONMENT, dhyan, start, wait_for_step
from support.tiny import TINY

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc"),
]

SETTINGS = [*TINY, "--steps", 80, "--batch-tokens", 256, "--dropout", "0", "--learning-rate", "0.001"]
SETTINGS += ["--validate-every", "40", "--save-every", "5", "--valid-rows", "5", "--held-out", "0.1"]


def process_of(rank, parent):
    """The id of one of the processes that `parent` has started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            of_parent = f"PPid:\t{parent.pid}\n" in (folder / "status").read_text()
            if of_parent and f"RANK={rank}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                return int(folder.name)
        except OSError:
            continue  # it has ended
    pytest.fail(f"there is no process {rank}")


def assert_same(one, other):
    """But for rounding. A key's bias is left out: softmax does not see it, so its gradient is noise."""
    weights, others = (load_weights(folder / "model.safetensors") for folder in (one, other))
    for name, weight in weights.items():
        if not name.endswith("b_K"):
            np.testing.assert_allclose(others[name], weight, atol=2e-3, err_msg=name)


@pytest.fixture
def straight(digits, tmp_path):
    """What one process makes of it, undisturbed."""
    dhyan("train", "translate", "--train", digits, "--out", "straight", *SETTINGS, folder=tmp_path)
    return tmp_path / "straight"


def test_one_killed_stops_all_and_another_number_goes_on(straight, digits, tmp_path):
    process = start(
        "train", "translate", "--train", digits, "--out", "out", "--processes", 3, *SETTINGS, folder=tmp_path
    )
    wait_for_step(tmp_path / "out.training", 10, process)
    os.kill(process_of(1, process), signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert said.count("dhyan: ") == 1
    assert "process 1 of 3 (counted from 0) was killed (SIGKILL" in said
    assert "dhyan train --resume out.training" in said
    assert "Traceback" not in said

    process = start("train", "--resume", "out.training", "--processes", 2, folder=tmp_path)
    wait_for_step(tmp_path / "out.training", 40, process)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert said.count("Go on with: dhyan train --resume out.training") == 1
    assert "Traceback" not in said

    dhyan("train", "--resume", "out.training", folder=tmp_path)
    assert_same(straight, tmp_path / "out")


def test_torchrun_starts_it_and_the_living_name_the_dead(digits, tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "dhyan.cli", "train"]
    command += ["translate", "--train", digits, "--out", "out", "--parallel", "fsdp", *SETTINGS, "--steps", 5000]
    process = subprocess.Popen(
        list(map(str, command)), cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    wait_for_step(tmp_path / "out.training", 10, process)
    os.kill(process_of(1, process), signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert said.count("dhyan: ") == 1
    assert "process 1 of 2 (counted from 0) has died" in said
    assert "dhyan train --resume out.training" in said
    done = dhyan("train", "--resume", "out.training", "--steps", 1, folder=tmp_path)  # the checkpoint is whole
    assert "Going on from step" in done.stderr


def test_processes_end_when_the_one_that_started_them_is_killed(digits, tmp_path):
    process = start(
        "train", "translate", "--train", digits, "--out", "out", "--processes", 2, *SETTINGS, "--steps", 50_000,
        folder=tmp_path,
    )  # fmt: skip
    wait_for_step(tmp_path / "out.training", 5, process)
    children = [process_of(rank, process) for rank in range(2)]
    process.kill()
    process.wait()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "they go on without it"
        time.sleep(0.1)
