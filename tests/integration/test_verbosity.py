"""-q and -v mean the same in every command, before its name and after it."""

import os
import subprocess
import sys

import pytest

from dhyan.cli.app import INTERNAL_ERROR
from support.commands import ENVIRONMENT, dhyan

TRANSLATE = ["translate", "--model", "encoder-decoder", "the bank"]


def told(folder, *arguments):
    done = dhyan(*arguments, folder=folder)
    return done.stdout, done.stderr


def test_quiet_leaves_results_alone(beside_packs):
    (beside_packs / "in.txt").write_text("the bank\n")
    work = ["translate", "--model", "encoder-decoder", "in.txt", "--overwrite", "-o"]
    assert "1 texts in" in told(beside_packs, *work, "a.txt")[1]
    assert told(beside_packs, *work, "b.txt", "-q") == ("", "")
    assert told(beside_packs, "-q", *work, "c.txt") == ("", "")
    assert (beside_packs / "b.txt").read_bytes() == (beside_packs / "a.txt").read_bytes()
    assert told(beside_packs, "--quiet", *TRANSLATE) == (told(beside_packs, *TRANSLATE)[0], "")


def test_quiet_keeps_errors(beside_packs):
    said = dhyan("-q", "translate", "--model", "encoder-decodr", "x", folder=beside_packs, expect=2).stderr
    assert "there is no pack 'encoder-decodr'" in said


@pytest.mark.parametrize("arguments", [["-v", *TRANSLATE], [*TRANSLATE, "--verbose"]])
def test_verbose_says_what_is_loaded_and_how_long_it_took(arguments, beside_packs):
    printed, said = told(beside_packs, *arguments)
    assert printed == told(beside_packs, *TRANSLATE)[0]
    assert all(line.startswith("[") and " s] " in line for line in said.splitlines())
    for words in ("for translate: ", "encoder-decoder", "int8 on cpu", "ready in", "done"):
        assert words in said


def test_one_or_the_other(beside_packs):
    assert "choose one" in dhyan("-q", *TRANSLATE, "-v", folder=beside_packs, expect=2).stderr


def test_a_mistake_of_ours_is_one_line_and_with_v_a_traceback(tmp_path):
    broken = "import dhyan.cli.detect as d; d.detect_language = lambda text: 1 / 0"
    (tmp_path / "sitecustomize.py").write_text(broken)  # Python runs it when it starts
    path = os.pathsep.join([str(tmp_path), *sys.path])

    def run(*arguments):
        command = [sys.executable, "-m", "dhyan.cli", "detect", "x", *arguments]
        return subprocess.run(
            command, env=ENVIRONMENT | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
        )

    short, long = run(), run("-v")
    assert (short.returncode, long.returncode) == (INTERNAL_ERROR, INTERNAL_ERROR)
    assert len(short.stderr.splitlines()) == 1
    assert "a mistake in Dhyan, not yours: ZeroDivisionError" in short.stderr
    assert "Traceback" in long.stderr
