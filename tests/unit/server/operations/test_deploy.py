"""What an operator copies: the image's commands, the unit, the examples. All that they name exists."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import typer
import uvicorn

from dhyan.cli.app import app as commands
from dhyan.cli.serve import server_settings
from dhyan.server.app import create_app
from dhyan.server.serve import check_host
from dhyan.server.served_packs import ServedPacks

ROOT = Path(__file__).parents[4]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
DEPLOY = ROOT / "deploy"
INSTRUCTIONS = re.findall(r"^([A-Z]+) (.*)$", DOCKERFILE, re.MULTILINE)
LAST_STAGE = INSTRUCTIONS[max(n for n, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM") :]
ENVIRONMENT = dict(pair.split("=", 1) for name, value in LAST_STAGE if name == "ENV" for pair in shlex.split(value))


def last(name):
    return next(value for found, value in reversed(LAST_STAGE) if found == name)


def test_what_the_image_copies_is_there_and_goes_to_the_builder():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [
        part
        for name, value in INSTRUCTIONS
        if name == "COPY" and "--from" not in value
        for part in value.split()[:-1]
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{name.removeprefix('./')}" in ignored


def test_the_image_runs_as_nobody_in_particular():
    assert int(last("USER")) > 999
    assert f"--uid {last('USER')}" in DOCKERFILE
    assert last("STOPSIGNAL") == "SIGTERM"


def test_the_image_starts_with_settings_that_exist():
    settings = server_settings(None, ENVIRONMENT, {})
    check_host(settings)
    assert (settings.host, settings.port, settings.allow_host) == ("0.0.0.0", int(last("EXPOSE")), ("localhost",))
    known = {f"DHYAN_{name.upper()}" for name in type(settings).model_fields} | {"DHYAN_HOME", "DHYAN_CACHE"}
    assert {name for name in ENVIRONMENT if name.startswith("DHYAN_")} <= known
    program, *words = json.loads(last("ENTRYPOINT")) + json.loads(last("CMD"))
    assert program == "dhyan"
    parsed(words)


def parsed(words):
    """The command, taken as Dhyan takes it; a flag that is not there is an error."""
    name, *rest = words
    return typer.main.get_command(commands).commands[name].make_context(name, rest)


def test_the_health_check_sees_whether_it_answers():
    words = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert words[:2] == ["python", "-c"]
    held = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(ServedPacks({})), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [held]})
    thread.start()
    environment = {"DHYAN_PORT": str(held.getsockname()[1])}

    def check():
        return subprocess.run([sys.executable, *words[1:]], env=environment, check=False, capture_output=True)

    assert check().returncode == 0
    server.should_exit = True
    thread.join()
    assert check().returncode != 0


def test_the_configuration_is_taken():
    settings = server_settings(DEPLOY / "server.toml", {}, {})
    check_host(settings)
    assert settings.trust_proxy
    assert not settings.is_private
    unit = (DEPLOY / "dhyan.service").read_text(encoding="utf-8")
    assert int(re.search(r"TimeoutStopSec=(\d+)", unit)[1]) > settings.grace_seconds
    for path in (settings.keys, Path(settings.access_log)):
        assert path.parts[1] in ("etc", "var")


@pytest.mark.parametrize("file", sorted(DEPLOY.iterdir()), ids=lambda path: path.name)
def test_every_command_in_the_examples_exists(file):
    found = re.findall(r"\bdhyan ((?:serve|keys) [^`\n:]*)", file.read_text(encoding="utf-8"))
    for words in map(shlex.split, found):
        parsed(words)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here to read the unit")
def test_the_unit_is_read_by_systemd(tmp_path):
    unit = (DEPLOY / "dhyan.service").read_text(encoding="utf-8")
    (tmp_path / "dhyan.service").write_text(unit.replace("/opt/dhyan/bin/dhyan", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / "dhyan.service"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "dhyan.service" not in done.stderr
