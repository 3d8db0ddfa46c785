"""`--executor local|ray`: whole folders by several workers, one of them killed midway; and what is refused."""

import os
import signal
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dhyan.loading import load
from support.commands import ENVIRONMENT, dhyan, start
from support.packs import random_pack

FILES, LINES = 8, 40


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("home")
    random_pack(place / "pack", "encoder-decoder", bias_to_end=-9.0)  # writes on to the limit, so that it takes time
    random_pack(place / "moods", "encoder")
    (place / "in").mkdir()
    for number in range(FILES):
        lines = [f"the river {number} flows {line}" for line in range(LINES)]
        if number % 2:
            table = pa.table({"id": range(LINES), "text": lines})
            pq.write_table(table, place / "in" / f"{number}.parquet")
        else:
            (place / "in" / f"{number}.txt").write_text("".join(f"{line}\n" for line in lines))
    return place


@pytest.fixture(autouse=True)
def cache(home, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "DHYAN_CACHE", str(home / "cache"))
    monkeypatch.setenv("DHYAN_CACHE", str(home / "cache"))


def at_work(out):
    """A process that has a shard's unfinished file open."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            links = [str(link.readlink()) for link in (place / "fd").iterdir()]
        except OSError:
            continue  # it has ended, or is not ours
        if any(link.startswith(str(out)) and link.endswith(".part") for link in links):
            return int(place.name)
    return None


def wait_until(condition, process, seconds=60):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize(
    ("engine", "notice"),
    [("local", "its process was killed (SIGKILL); it will be tried again"), ("ray", "a worker died at it")],
)
def test_every_line_comes_out_once_though_a_worker_is_killed(engine, notice, home, tmp_path, monkeypatch):
    monkeypatch.delitem(ENVIRONMENT, "RAY_ADDRESS", raising=False)
    out = tmp_path / "out"
    command = ["translate", home / "in", "-o", out, "--model", home / "pack", "--executor", engine, "--workers", 2]
    process = start(*command, "--beam", 8, folder=tmp_path)
    wait_until(lambda: list(out.glob("*.parquet")), process)
    os.kill(wait_until(lambda: at_work(out), process), signal.SIGKILL)
    assert len(list(out.glob("*.parquet"))) < FILES  # it was midway
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    told = [line for line in said.splitlines() if " s left" not in line]  # a slow machine shows progress, too
    assert len(told) == 2, said
    assert notice in told[0]
    assert f"{FILES * LINES:,} texts in {FILES} shards" in told[1]
    assert {path.name for path in out.iterdir() if path.suffix != ".parquet"} == {".lock", "_dhyan.json"}
    translate = load(home / "pack", threads=1)
    translate.decoding = translate.decoding.model_copy(update={"beam": 8})
    for number in range(FILES):
        suffix = "parquet" if number % 2 else "txt"
        rows = pq.read_table(out / f"{number}.{suffix}.00001-of-00001.parquet").to_pylist()
        assert [row["text"] for row in rows] == [f"the river {number} flows {line}" for line in range(LINES)]
        assert not number % 2 or [row["id"] for row in rows] == list(range(LINES))
        assert [row["translation"] for row in rows[:3]] == translate([row["text"] for row in rows[:3]])


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds processes in /proc")
def test_what_was_stopped_goes_on_and_leaves_nothing_half_done(home, tmp_path):
    out = tmp_path / "out"
    command = ["translate", home / "in", "-o", out, "--model", home / "pack", "--executor", "local", "--beam", 8]
    process = start(*command, "--workers", 2, folder=tmp_path)
    wait_until(lambda: list(out.glob("*.parquet")) and at_work(out), process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 128 + signal.SIGTERM
    done = {path.name for path in out.iterdir()} - {".lock", "_dhyan.json"}
    assert 0 < len(done) < FILES
    assert all(name.endswith(".parquet") for name in done)
    said = dhyan(*command, "--workers", 1, folder=tmp_path).stderr
    assert f"{FILES * LINES:,} texts in {FILES} shards ({len(done)} of them in an earlier run)" in said


def test_a_bad_file_is_listed_the_rest_is_done_and_the_mended_file_later(home, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("the river\n")
    (tmp_path / "in" / "b.txt").write_bytes(b"the\nbank \xff\n")
    command = ["classify", "in", "-o", "out", "--model", home / "moods", "--executor", "local", "--all"]
    *_, failed, done, error = dhyan(*command, folder=tmp_path, expect=2).stderr.splitlines()
    assert failed.startswith("b.txt.00001-of-00001.parquet: ")
    assert "b.txt, line 2: byte 0xFF is not UTF-8" in failed
    assert "out: 1 texts in 1 shards" in done
    assert error.startswith("dhyan: 1 of 2 shards failed")
    (tmp_path / "in" / "b.txt").write_text("the\nbank\n")
    assert "out: 3 texts in 2 shards (1 of them in an earlier run)" in dhyan(*command, folder=tmp_path).stderr
    labels = pq.read_table(tmp_path / "out")["predicted"].to_pylist()
    assert labels == [load(home / "moods", threads=1)(text) for text in ("the river", "the", "bank")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["translate", "in", "-o", "out", "--executor", "rya"],
            "it is local or ray (did you mean 'ray'?)",
        ),
        (["translate", "in", "--executor", "local"], "with -o"),
        (["translate", "in", "in", "-o", "out", "--executor", "local"], "name one folder"),
        (["translate", "in", "-o", "out", "--executor", "local", "--json"], "--json does not go with --executor"),
        (["translate", "nowhere", "-o", "out", "--executor", "local"], "nowhere: there is no such file or folder"),
        (["translate", "in", "-o", "taken", "--executor", "local"], "taken holds other things"),
        (
            ["translate", "in", "-o", "out", "--executor", "local", "--column", "body"],
            "no column 'body'",
        ),
        (["write", "in", "-o", "out", "--executor", "local"], "not for `dhyan write`"),
        (["write", "to be", "-o", "out"], "-o goes with --executor"),
    ],
)
def test_bad_input_is_one_line(arguments, words, home, tmp_path):
    for folder in ("in", "taken"):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"text": ["a"]}), tmp_path / folder / "a.parquet")
    told = dhyan(*arguments, "--model", home / "pack", folder=tmp_path, expect=2).stderr.splitlines()
    assert len(told) == 1
    assert told[0].startswith("dhyan: ")
    assert words in told[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "taken"]


def test_a_cluster_that_is_not_there_is_told_at_once(home, tmp_path, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "RAY_ADDRESS", "127.0.0.1:1")
    command = ["translate", home / "in", "-o", "out", "--model", home / "pack", "--executor", "ray"]
    told = dhyan(*command, folder=tmp_path, expect=2).stderr.splitlines()
    assert told == ["dhyan: there is no Ray cluster at RAY_ADDRESS=127.0.0.1:1; start it, or unset it."]
