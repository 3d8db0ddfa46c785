"""Two hundred packs, tokenizers and recipes that lie: each is one sentence, at once, in little memory."""

import json
import os
import subprocess
import sys

import pytest

from support import hostile_files
from support.hostile_files import hostile_packs, hostile_recipes

resource = pytest.importorskip("resource")  # the limits of Unix

PACKS, RECIPES = 150, 50


def outcomes(folder, names):
    """Name → what was said. A file that kills the process is named, and the next process goes on behind it."""
    said = {}
    while left := [name for name in names if name not in said]:
        command = [sys.executable, hostile_files.__file__, str(folder), *left]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said |= dict(map(json.loads, done.stdout.splitlines()))
        if done.returncode:
            at = next((name for name in names if name not in said), "none")
            said[at] = f"RAISED exit code {done.returncode}: {done.stderr[-300:]}"
    return said


@pytest.mark.parametrize(("make", "count"), [(hostile_packs, PACKS), (hostile_recipes, RECIPES)])
def test_every_lie_is_one_sentence(tmp_path, make, count):
    names = make(tmp_path, count)
    said = outcomes(tmp_path, names)
    assert len(said) == count
    assert {name: sentence for name, sentence in said.items() if sentence.startswith("RAISED")} == {}
    refused = [sentence for sentence in said.values() if sentence != "ok"]
    assert len(refused) > count / 2
    for sentence in refused:
        assert str(tmp_path) in sentence
        assert sentence.isprintable()
        assert len(sentence) < 5000


def test_they_do_not_keep_the_list_of_models_from_being_shown(tmp_path):
    names = hostile_packs(tmp_path / "packs", 80)
    done = subprocess.run(
        [sys.executable, "-m", "dhyan.cli", "models", "--json"],
        env=os.environ | {"DHYAN_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == 0, done.stderr[-1000:]
    shown = {one["name"]: one["task"] for one in json.loads(done.stdout)}
    assert set(names) <= shown.keys()
    assert shown["en-hi"] == "translate"  # the others are well all the same
