"""Packs for the commands: four small ones that were trained, once for all test processes, and random ones."""

import io
import shutil
import sys

import pytest

from dhyan.cli.app import main
from support.commands import ENVIRONMENT, dhyan
from support.made_once import made_once
from support.packs import random_pack
from support.tiny import PAIRS, TINY

SHAPES = ("encoder", "encoder-decoder", "decoder")


@pytest.fixture(scope="session")
def trained(tmp_path_factory, worker_id):
    """A folder with the packs en-hi, writer, sentiment and english, and what they were trained on."""
    return made_once(tmp_path_factory, worker_id, "trained", train_all)


def train_all(folder):
    (folder / "packs").mkdir()
    files = {
        "pairs.tsv": "".join(f"{a}\t{b}\n" for a, b in PAIRS.items()),
        "book.txt": "to be or not to be, that is the question. " * 50,
        "labelled.tsv": "good\ta warm film\nbad\ta dull film\ngood\twarm and kind\nbad\tdull and cold\n",
        "alike.tsv": "a dog runs\tthe dog is running\na cat sleeps\tthe cat is sleeping\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    dhyan("train", "translate", "--train", "pairs.tsv", "--out", "packs/en-hi", folder=folder)
    short = [*TINY, "--steps", "20"]
    characters = ["--pieces", "characters", "--max-positions", "64"]
    dhyan("train", "write", "--train", "book.txt", "--out", "packs/writer", *short, *characters, folder=folder)
    dhyan("train", "classify", "--train", "labelled.tsv", "--out", "packs/sentiment", *short, folder=folder)
    dhyan("train", "embed", "--train", "alike.tsv", "--out", "packs/english", *short, folder=folder)


@pytest.fixture(scope="module")
def home(trained, tmp_path_factory):
    """A home of one's own: the packs to call by name, and a cache."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(trained, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def at_home(home, monkeypatch):
    for name, value in (("DHYAN_HOME", home), ("DHYAN_CACHE", home / "cache")):
        monkeypatch.setenv(name, str(value))
        monkeypatch.setitem(ENVIRONMENT, name, str(value))


# -- random packs, whose manners can be tested without a training -----------------------------------------------


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    """A folder with a random pack of each shape, and a cache of its own."""
    folder = tmp_path_factory.mktemp("packs")
    for shape in SHAPES:
        random_pack(folder / shape, shape)
    return folder


@pytest.fixture
def beside_packs(packs, tmp_path, monkeypatch):
    """An empty folder to work in, with the packs in reach."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DHYAN_CACHE", str(packs / "cache"))
    monkeypatch.setenv("DHYAN_HOME", str(packs / "home"))
    for shape in SHAPES:
        (tmp_path / shape).symlink_to(packs / shape)
    return tmp_path


@pytest.fixture
def run(here, capsys, monkeypatch):
    """Run a command in this process, in the module's own folder `here`; its exit code is checked."""

    def running(*arguments, stdin=None, expect=0):
        data = (stdin or "").encode() if not isinstance(stdin, bytes) else stdin
        stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
        if stdin is None:
            stream.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert left.value.code == expect, said.err
        return said

    return running
