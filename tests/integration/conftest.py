"""Four small packs, trained by the real commands: once, however many test processes there are."""

import fcntl
import shutil

import pytest
from commands import ENVIRONMENT, dhyan

from tiny import PAIRS, TINY


@pytest.fixture(scope="session")
def trained(tmp_path_factory, worker_id):
    """A folder with the packs en-hi, writer, sentiment and english, and what they were trained on."""
    base = tmp_path_factory.getbasetemp()
    place = (base if worker_id == "master" else base.parent) / "trained"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # who comes second waits, and finds them there
        if not (place / "done").exists():
            train_all(place)
            (place / "done").touch()
    return place


def train_all(place):
    (place / "packs").mkdir(parents=True)
    files = {
        "pairs.tsv": "".join(f"{a}\t{b}\n" for a, b in PAIRS.items()),
        "book.txt": "to be or not to be, that is the question. " * 50,
        "labelled.tsv": "good\ta warm film\nbad\ta dull film\ngood\twarm and kind\nbad\tdull and cold\n",
        "alike.tsv": "a dog runs\tthe dog is running\na cat sleeps\tthe cat is sleeping\n",
    }
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    dhyan("train", "translate", "--train", "pairs.tsv", "--out", "packs/en-hi", folder=place)
    short = [*TINY, "--steps", "20"]
    characters = ["--pieces", "characters", "--max-positions", "64"]
    dhyan("train", "write", "--train", "book.txt", "--out", "packs/writer", *short, *characters, folder=place)
    dhyan("train", "classify", "--train", "labelled.tsv", "--out", "packs/sentiment", *short, folder=place)
    dhyan("train", "embed", "--train", "alike.tsv", "--out", "packs/english", *short, folder=place)


@pytest.fixture(scope="module")
def home(trained, tmp_path_factory):
    """A home of one's own: the packs to call by name, and a cache."""
    place = tmp_path_factory.mktemp("home")
    shutil.copytree(trained, place, dirs_exist_ok=True)
    return place


@pytest.fixture
def at_home(home, monkeypatch):
    for name, value in (("DHYAN_HOME", home), ("DHYAN_CACHE", home / "cache")):
        monkeypatch.setenv(name, str(value))
        monkeypatch.setitem(ENVIRONMENT, name, str(value))
