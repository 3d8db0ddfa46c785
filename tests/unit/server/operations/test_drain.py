"""A real `dhyan serve` that is told to end, or to look at its packs again."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from support.packs import random_pack

pytestmark = pytest.mark.slow

BODY = json.dumps({"text": "the river bank"}).encode()
HEAD = (
    b"POST /api/v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(BODY)
)


@pytest.fixture
def serve(tmp_path):
    random_pack(tmp_path / "packs" / "one", "encoder-decoder")
    running = []

    def started(*arguments, **environment):
        command = [sys.executable, "-m", "dhyan.cli", "serve", *arguments]
        environment = {"DHYAN_MODEL": str(tmp_path / "packs" / "one"), "DHYAN_PORT": "0", **environment}
        server = subprocess.Popen(
            command, env=os.environ | environment | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE, text=True
        )
        running.append(server)
        server.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", server.stderr.readline())[1])
        wait_for(lambda: ask(server, "/ready")[0] == 200)
        return server

    yield started
    for server in running:
        server.kill()
        server.wait()
        server.stderr.close()


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def ask(server, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_pack_is_loaded_again_when_told_and_what_runs_is_finished_at_the_end(serve, tmp_path):
    server = serve("--reload-seconds", "0", "--grace", "20")
    folder = tmp_path / "packs" / "one"
    random_pack(tmp_path / "other", "encoder-decoder", norm="post")

    def norm():
        return ask(server, "/api/v1/models")[1]["models"][0]["architecture"]["norm"]

    assert norm() == "pre"
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "other", folder)
    server.send_signal(signal.SIGHUP)
    wait_for(lambda: norm() == "post")
    (folder / "pack.json").write_text("{}")
    server.send_signal(signal.SIGHUP)
    assert "loaded again" in server.stderr.readline()
    assert "the one that was served goes on" in server.stderr.readline()
    assert norm() == "post"

    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + BODY[:5])  # a request that is under way
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        wait_for(lambda: ask(server, "/ready") == (503, {"status": "draining"}))
        assert ask(server, "/health") == (200, {"status": "ok"})
        status, said = ask(server, "/api/v1/models")
        assert (status, "about to end" in said["error"]) == (503, True)
        assert server.poll() is None
        client.sendall(BODY[5:])
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200")
    assert server.wait(15) == 0
    assert server.stderr.read() == ""


def test_the_grace_is_an_end(serve):
    server = serve(DHYAN_GRACE_SECONDS="0.5")
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + BODY[:5])
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1" in answer
    assert b"about to end" in answer
    assert server.wait(15) == 0
    assert server.stderr.read() == "Cut off after 0.5 seconds: 1 request.\n"


def test_nobody_waits_for_work_that_nobody_wants(serve):
    server = serve("--grace", "60", "--explain-seconds", "600")
    asked = f"/api/v1/alignment?beam=16&max_length=256&text={'the+river+' * 40}"
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(f"GET {asked} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.5)
    server.send_signal(signal.SIGTERM)
    assert server.wait(20) == 0
