"""What Windows and macOS have otherwise, as far as it can be seen on this machine."""

import ast
import errno
import io
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import dhyan
from dhyan.core.atomic import atomic_folder
from dhyan.core.standard_streams import use_utf8
from dhyan.server.serve import take_port
from dhyan.training.distributed.launcher import _forwarding_signals
from support.hostile_files import STORED

ROOT = Path(__file__).parents[2]
SOURCE = Path(dhyan.__file__).parent
NOT_ON_WINDOWS = {  # module → what it does not have there
    "os": """chown fork forkpty getegid geteuid getgid getloadavg getpgid getuid killpg lchown mkfifo nice pathconf
        register_at_fork sched_getaffinity setpriority setsid statvfs uname wait wait4 PRIO_PROCESS O_NONBLOCK""",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm setitimer sigwait",
    "socket": "AF_UNIX SO_REUSEPORT",
}
NO_MODULES = ["fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"]


@pytest.mark.slow
def test_nothing_of_unix_is_needed(tmp_path):
    """Every light module is imported, and a text written, where what Windows lacks is not there."""
    rooms = [
        "core",
        "text",
        "data",
        "pack",
        "explain",
        "engines",
        "translation",
        "documents",
        "vectors",
        "server",
        "cli",
    ]
    modules = [
        ".".join(["dhyan", *file.relative_to(SOURCE).with_suffix("").parts])
        for room in rooms
        for file in sorted((SOURCE / room).rglob("*.py"))
        if not file.name.startswith("__") and file.name not in ("ray_cluster.py", "ray_serve.py", "torch.py")
    ]
    code = f"""
import importlib, sys
import asyncio, filelock, multiprocessing.connection, select, ssl, subprocess, tempfile, uvicorn, ctranslate2, fastapi
import concurrent.futures.process, importlib.metadata, mmap, platform, platformdirs, shutil, tarfile, typer
import urllib.request, webbrowser  # others' modules know by themselves where they are
sys.platform = "win32"
for module, names in {NOT_ON_WINDOWS!r}.items():
    for name in names.split():
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
sys.modules.update(dict.fromkeys({NO_MODULES!r}))
for name in {[name for name in modules if name != "dhyan.vectors.word2vec_training"]!r}:
    importlib.import_module(name)
from dhyan.cli.app import main
main(["write", "the", "--model", {str(STORED / "writer")!r}, "--max-length", "3"])
"""
    environment = os.environ | {"DHYAN_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the")


def test_windows_syncs_only_what_may_be_written(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    synced, sync = [], os.fsync

    def windows(handle):
        if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        synced.append(handle)
        sync(handle)

    monkeypatch.setattr(os, "fsync", windows)
    with atomic_folder(tmp_path / "a") as part:
        (part / "x").write_bytes(b"x")
    assert (tmp_path / "a" / "x").read_bytes() == b"x"
    assert len(synced) == 1  # the folder itself cannot be


def test_on_windows_a_pipe_gets_utf8(monkeypatch):
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.setitem(sys.modules, "colorama", None)  # is for consoles
    for platform, encoding in (("linux", "cp1252"), ("win32", "utf-8")):
        pipe = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
        with monkeypatch.context() as there:
            there.setattr(sys, "platform", platform)
            there.setattr(sys, "stdout", pipe)
            use_utf8()
        assert pipe.encoding == encoding
    pipe.write("नमस्ते")


class WindowsProcess:
    """A child there: Ctrl-C reaches it by its console, and `send_signal` knows no other but SIGTERM."""

    def __init__(self):
        self.told = []

    def poll(self):
        return None

    def send_signal(self, number):
        if number != signal.SIGTERM:
            raise ValueError(f"Unsupported signal: {number}")
        self.told.append(number)


def test_on_windows_ctrl_c_is_not_sent_on(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    child = WindowsProcess()
    with _forwarding_signals([child]):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert child.told == [signal.SIGTERM]


def test_on_windows_a_port_is_had_by_one_server(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_KEEPALIVE, raising=False)  # one that can be set here
    with take_port(0) as held:
        assert held.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert not held.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)


def test_files_are_read_and_written_in_a_said_encoding():
    """Else it is the system's, which on Windows is none that has Hindi."""
    wrong = []
    for file in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name) and unsaid(call):
                wrong.append(f"{file.relative_to(SOURCE)}:{call.lineno}")
    assert not wrong


def unsaid(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    given = len(call.args)
    if any(keyword.arg in ("encoding", None) for keyword in call.keywords):
        return False
    if name == "open" and ast.unparse(call.func) not in ("open", "tarfile.open"):
        mode = call.args[0].value if given and isinstance(call.args[0], ast.Constant) else None
        return given == 0 or (isinstance(mode, str) and re.fullmatch(r"[rwax]\+?t?", mode) is not None)
    return (name == "read_text" and not given) or (name == "write_text" and given < 2)


def test_every_file_can_be_checked_out_everywhere():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout")
    names = [name for name in listed.stdout.split("\0") if name]
    assert len({name.lower() for name in names}) == len(names) > 1000
    assert not [name for name in names if not re.fullmatch(r"[\w./+-]{1,150}", name, re.ASCII)]
    assert not [
        name for name in names if re.search(r"(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.|/|$)", name, re.IGNORECASE)
    ]
