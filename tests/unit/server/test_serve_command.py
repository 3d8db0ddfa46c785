"""`dhyan serve` as a user starts it."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from types import SimpleNamespace

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.serve import _Server
from support.packs import random_pack

pytestmark = pytest.mark.slow

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}
COMMAND = [sys.executable, "-m", "dhyan.cli", "serve"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "to-hindi"
    random_pack(folder, "encoder-decoder")
    return folder


def refused(*arguments, cwd, **environment):
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_it_serves_and_ends_quietly(folder, tmp_path):
    server = subprocess.Popen(
        [*COMMAND, "--model", str(folder), "--port", "0"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    line = server.stderr.readline()
    address = re.search(r"http://127\.0\.0\.1:(\d+)", line)
    assert address, line
    assert "to-hindi" in line
    with urllib.request.urlopen(address[0], timeout=10) as page:
        assert b"<title>Dhyan</title>" in page.read()
    port = address[1]
    said = refused("--model", folder, "--port", port, cwd=tmp_path)
    assert f"port {port} is in use" in said
    server.send_signal(signal.SIGINT)
    assert server.wait(10) == 0
    assert "Traceback" not in server.stderr.read()


def test_the_page_is_there_in_two_seconds(folder):
    """By the faster of two starts, for the first may read from a cold disk; a busy machine gets more time."""
    took = []
    for _ in range(2):
        started = time.monotonic()
        server = subprocess.Popen(
            [*COMMAND, "--model", str(folder), "--port", "0"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        try:
            address = re.search(r"http://\S+", server.stderr.readline())[0]
            with urllib.request.urlopen(address, timeout=10) as page:
                page.read()
            took.append(time.monotonic() - started)
        finally:
            server.terminate()
            server.wait(10)
    assert min(took) < 2 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_mistakes_are_one_line(folder, tmp_path):
    assert "did you mean 'to-hindi'" in refused("--model", folder.parent / "to-hinid", cwd=tmp_path)
    assert "there is no pack 'nothing'" in refused("--model", "nothing", cwd=tmp_path)
    assert "port = '99999'" in refused("--model", folder, "--port", "99999", cwd=tmp_path)
    assert "same name" in refused("--model", folder, "--model", f"{folder}/", cwd=tmp_path)
    assert "nothing.tsv" in refused("--model", folder, "--dev", "nothing.tsv", cwd=tmp_path)


def test_serving_brings_no_torch():
    code = "import sys, dhyan.server.app, dhyan.server.serve; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, env=ENVIRONMENT).returncode == 0


def test_what_comes_while_it_drains_does_not_hold_it():
    server = _Server(uvicorn.Config(None), lambda: None, Lifecycle(), grace=60, report=print)

    def running():
        connection = object.__new__(H11Protocol)
        connection.cycle = SimpleNamespace(response_complete=False, disconnected=False)
        server.server_state.connections.add(connection)
        return connection.cycle

    first = running()
    server.handle_exit(signal.SIGTERM, None)
    assert not asyncio.run(server.on_tick(1))
    running()
    assert not asyncio.run(server.on_tick(2))
    first.response_complete = True
    assert asyncio.run(server.on_tick(3))
