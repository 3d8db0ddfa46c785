"""Standard output that is closed, full or of a small alphabet, and Ctrl-C: one sentence and the right exit code."""

import os
import signal
import subprocess
import sys
import time

import pytest

from support.commands import ENVIRONMENT, start

DHYAN = f"{sys.executable} -m dhyan.cli"


@pytest.fixture
def shell(beside_packs):
    """A command line as a shell runs it, with its redirections."""

    def run(command, **environment):
        variables = ENVIRONMENT | {name: os.environ[name] for name in ("DHYAN_CACHE", "DHYAN_HOME")} | environment
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=beside_packs,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr.splitlines()

    return run


def one_sentence(result, words):
    code, told = result
    assert code == 2
    assert len(told) == 1
    assert told[0].startswith("dhyan: ")
    assert words in told[0]


@pytest.mark.parametrize("command", ["--help", "models", "write --model decoder a --max-length 3"])
def test_a_closed_output_loses_nothing_silently(shell, command):
    one_sentence(shell(f"{DHYAN} {command} >&-"), "standard output is closed")


def test_a_command_that_prints_nothing_needs_no_output(shell, beside_packs):
    (beside_packs / "a.txt").write_text("the bank\n")
    assert shell(f"{DHYAN} translate --model encoder-decoder a.txt -o b.txt >&-")[0] == 0
    assert (beside_packs / "b.txt").exists()


@pytest.mark.parametrize("command", ["--help", "write --model decoder 'नदी' --max-length 3"])
def test_letters_that_the_output_cannot_hold(shell, command):
    one_sentence(shell(f"{DHYAN} {command}", PYTHONIOENCODING="latin-1"), "set PYTHONIOENCODING=utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_a_full_disk(shell):
    one_sentence(shell(f"{DHYAN} write --model decoder a --max-length 3 > /dev/full"), "the disk is full")


def test_a_reader_that_has_seen_enough_gets_no_message(shell, beside_packs):
    (beside_packs / "a.txt").write_text("bank\n" * 20_000)
    assert shell(f"{DHYAN} classify --model encoder --file a.txt | head -1") == (1, [])


def test_ctrl_c_says_how_to_continue(beside_packs, monkeypatch):
    for name in ("DHYAN_CACHE", "DHYAN_HOME"):
        monkeypatch.setitem(ENVIRONMENT, name, os.environ[name])
    lines = (f"the river bank {n} flows and the money bank {n * 7} grows\n" for n in range(100_000))
    (beside_packs / "a.txt").write_text(
        "".join(lines)
    )  # no two alike: what is translated once is not translated again
    command = ["translate", "--model", "encoder-decoder", "a.txt", "-o", "b.txt"]
    process = start(*command, folder=beside_packs)
    begun = [beside_packs / "a.txt", *beside_packs.iterdir()]
    deadline = time.monotonic() + 60
    while not any(file.stat().st_size for file in beside_packs.iterdir() if file not in begun):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.splitlines() == ["dhyan: stopped; give the same command again to continue where it stopped."]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("dhyan translate --model my-", ["my-decoder"]),
        ("dhyan evaluate my-", ["my-decoder"]),
        ("dhyan embed --model tf", ["tf-idf"]),
        ("dhyan serve --model my-", ["my-decoder"]),
    ],
)
def test_the_shell_completes_the_names_of_packs(shell, packs, words, completed):
    home = packs / "home" / "packs"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "my-decoder").exists():
        (home / "my-decoder").symlink_to(packs / "decoder")
    asked = f"COMP_WORDS='{words}' COMP_CWORD={len(words.split()) - 1} _DHYAN_COMPLETE=complete_bash"
    assert shell(f"[ \"$({asked} {DHYAN})\" = '{' '.join(completed)}' ]") == (0, [])
