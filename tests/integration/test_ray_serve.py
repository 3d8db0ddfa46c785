"""`dhyan serve --executor ray`: replicas of the same application, of which one dies under load."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from support.packs import random_pack

pytest.importorskip("ray.serve", reason="Ray Serve is not installed: pip install 'ray[serve]'", exc_type=ImportError)
pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0", "--executor", "ray", "--replicas", "2"]
CLIENTS, REQUESTS = 6, 60  # requests of each client
TRIES = 40
OURS = uuid.uuid4().hex


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "to-hindi"
    random_pack(folder, "encoder-decoder")
    server = subprocess.Popen(
        [*COMMAND, "--model", folder.name],  # its folder, as seen from here
        cwd=folder.parent,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"STARTED_BY": OURS},
    )
    line = server.stderr.readline()
    assert "to-hindi" in line, line + server.stderr.read()
    yield re.search(r"http://127\.0\.0\.1:\d+", line)[0]
    server.send_signal(signal.SIGINT)
    assert server.wait(60) == 0
    assert "Traceback" not in server.stderr.read()


def translate(address, text):
    asked = urllib.request.Request(
        f"{address}/api/v1/translate", json.dumps({"text": text}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)["text"]


def replica_processes():
    """The pids of our replicas: another server may run on this machine."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            is_replica = (folder / "cmdline").read_bytes().startswith(b"ray::ServeReplica:dhyan:dhyan")
            if is_replica and OURS.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def test_a_replica_dies_under_load_and_no_request_is_lost(address):
    expected = translate(address, "the river")
    before = replica_processes()
    assert len(before) == 2
    answers, again = [], []

    def client():
        for _ in range(REQUESTS):
            for _ in range(TRIES):
                try:
                    answers.append(translate(address, "the river"))
                    break
                except (urllib.error.URLError, ConnectionError, http.client.HTTPException):  # or half an answer
                    again.append(1)
                    time.sleep(0.25)

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    while len(answers) < CLIENTS * 4:
        time.sleep(0.01)
    os.kill(before[0], signal.SIGKILL)
    for one in clients:
        one.join(120)
    assert len(answers) == CLIENTS * REQUESTS
    assert set(answers) == {expected}
    assert len(again) <= CLIENTS * TRIES // 4  # those that it had in hand, while the others were found out
    deadline = time.monotonic() + 60
    while len(replica_processes()) < 2 or before[0] in replica_processes():
        assert time.monotonic() < deadline, "the replica was not replaced"
        time.sleep(0.2)


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/api/v1/explain?text=the", None, "opening packs up is off"),
        ("/api/v1/space", None, "opening packs up is off"),
        ("/api/v1/labs", None, "the lab is off"),
        ("/api/v1/trainings", None, "watching trainings is off"),
        ("/translate_file", b"file=a", "files are not translated by this server"),
    ],
)
def test_what_one_process_keeps_is_off_there(address, path, body, told):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address + path, body, timeout=60)
    assert refused.value.code == 403
    assert told in json.load(refused.value)["error"]
