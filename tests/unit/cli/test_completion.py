"""What a shell offers when Tab is pressed: commands, options, and packs wherever a pack is named."""

import os
import shutil
import subprocess
import sys

import pytest

PACKS = ["en-hi", "english", "hi-en", "sentiment", "writer"]
SHELLS = {
    "bash": ("complete_bash", lambda words: {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}),
    "zsh": ("complete_zsh", lambda words: {"_TYPER_COMPLETE_ARGS": words}),
    "fish": (
        "complete_fish",
        lambda words: {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    ),
}
# Prints what was offered, and on the error stream what of this was imported.
COMPLETE = """
import sys
from dhyan.cli.app import main
try:
    main()
except SystemExit:
    heavy = {"numpy", "tokenizers", "ctranslate2", "dhyan.pack.pack", "dhyan.documents.formats"}
    print(heavy & set(sys.modules), file=sys.stderr)
"""


def offered(words, shell, home):
    how, variables = SHELLS[shell]
    environment = os.environ | {"_DHYAN_COMPLETE": how, "DHYAN_HOME": str(home)} | variables(words)
    return subprocess.run(
        [sys.executable, "-c", COMPLETE], env=environment, capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize(
    ("words", "shell", "expected"),
    [
        ("dhyan tr", "bash", ["translate", "train"]),
        ("dhyan translate --model ", "bash", [*PACKS[:3], "mine", *PACKS[3:]]),
        ("dhyan translate --model e", "zsh", PACKS[:2]),
        ("dhyan -q write --model w", "fish", ["writer"]),
        ("dhyan evaluate t", "bash", ["tf-idf"]),
        ("dhyan interpolate hi-en e", "bash", PACKS[:2]),
        ("dhyan keys ", "fish", ["add", "list", "remove"]),
    ],
)
def test_what_is_offered(words, shell, expected, tmp_path):
    mine = tmp_path / "packs" / "mine"
    mine.mkdir(parents=True)
    (mine / "pack.json").write_text("{}")
    done = offered(words, shell, tmp_path)
    answer = done.stdout.replace("_arguments '*: :((", "").replace("))'", "")
    found = [line.partition("\t")[0].partition(":")[0].strip('"') for line in answer.splitlines()]
    assert found == expected
    assert "--model" not in words or done.stderr.strip() == "set()"  # while somebody waits


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_in_a_real_shell(tmp_path):
    program = tmp_path / "dhyan"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dhyan.cli "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(dhyan --show-completion bash)"; COMP_WORDS=(dhyan export sen); COMP_CWORD=2;'
        ' "$(complete -p dhyan | sed "s/.*-F \\([^ ]*\\).*/\\1/")" dhyan; echo "${COMPREPLY[@]}"'
    )
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "sentiment"
