"""The help: every command under a heading, quickly, in one layout, with what was probably meant."""

import subprocess
import sys

import pytest
import typer

from dhyan.cli.app import app, main
from dhyan.cli.command_table import COMMANDS, GROUPS

# Whatever takes long to import, and the commands themselves.
LATER = ["numpy", "pydantic", "tokenizers", "ctranslate2", "rich", "dhyan.cli.translate", "dhyan.cli.train"]


def said(capsys, *arguments, expect=0):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == expect
    printed = capsys.readouterr()
    return printed.out if expect == 0 else printed.err


def test_all_commands_stand_under_headings(capsys):
    lines = said(capsys, "--help").splitlines()
    assert [line.rstrip(":") for line in lines if line.rstrip(":") in GROUPS] == list(GROUPS)
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line.split()[0] in COMMANDS]
    assert listed == list(COMMANDS)


def test_the_table_names_real_commands():
    assert dict(typer.main.get_command(app).commands).keys() == COMMANDS.keys()


def test_help_imports_no_command():
    code = f"""
import sys
from dhyan.cli.app import main
try:
    main(["--help"])
except SystemExit:
    sys.exit(str(set({LATER!r}) & set(sys.modules) or ""))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert "translate" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_names_what_it_takes_in_plain_words(command, capsys):
    text = said(capsys, command, "--help")
    assert not [mark for mark in ("<", "RANGE", "INTEGER", "FLOAT", "BOOLEAN", "[default", "[[") if mark in text]
    assert command in ("keys", "packs") or ("-q, --quiet " in text and "-v, --verbose " in text)


def test_defaults_and_bounds_are_said(capsys):
    text = " ".join(said(capsys, "translate", "--help").split())
    assert "with their log-probability per token (default 0; 0 to 32)" in text
    assert "--wrapped / --per-line" in text
    assert "float32 exact (default int8; with --word float32)" in " ".join(said(capsys, "embed", "--help").split())


def test_dhyan_alone_is_a_short_start(capsys):
    text = said(capsys)
    assert len(text.splitlines()) < 15
    for line in (line.strip() for line in text.splitlines() if line.startswith("  dhyan ")):
        assert line.split()[1] in COMMANDS


@pytest.mark.parametrize(
    ("mistake", "meant"),
    [(["transalte"], "'translate'"), (["translate", "--modle", "x"], "'--model'"), (["keys", "ad"], "'add'")],
)
def test_what_was_probably_meant(mistake, meant, capsys):
    assert meant in said(capsys, *mistake, expect=2)
