"""Token ids on disk: what is written is read, without being held in memory."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.data.id_store import IdStore, IdStoreWriter

FILES = [Path("pairs.tsv"), Path("more/pairs.jsonl")]
SOURCE = [[5, 6, 7], [], [65535], [8, 9]]
TARGET = [[1], [2, 3], [70_000, 4_000_000_000], []]
PLACES = [(FILES[0], 1), (FILES[0], 12), (FILES[1], 1), (FILES[1], 3_000_000_000)]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "store"
    with IdStoreWriter(folder, ("source", "target"), FILES, (65536, 65537)) as writer:
        writer.append([SOURCE[:3], TARGET[:3]], PLACES[:3])
        writer.append([SOURCE[3:], TARGET[3:]], PLACES[3:])
    return folder


def test_what_is_written_is_read(folder):
    store = IdStore(folder)
    assert len(store) == 4
    assert store.columns == ("source", "target")
    assert [store.row("source", number).tolist() for number in range(4)] == SOURCE
    assert [store.row("target", number).tolist() for number in range(4)] == TARGET
    assert store.lengths("source").tolist() == [3, 0, 1, 2]
    assert store.lengths("target").dtype == np.int32
    assert store.flat("source").tolist() == [5, 6, 7, 65535, 8, 9]
    assert [store.origin(number) for number in (1, 2)] == ["pairs.tsv line 12", "more/pairs.jsonl line 1"]
    assert store.origin(3) == "more/pairs.jsonl line 3000000000"


def test_ids_are_mapped_and_small_where_they_fit(folder):
    store = IdStore(folder)
    assert isinstance(store.flat("source"), np.memmap)
    assert isinstance(store.row("target", 2), np.memmap)
    assert store.flat("source").dtype == np.uint16
    assert store.flat("target").dtype == np.uint32
    assert not store.flat("source").flags.writeable


def test_a_store_travels_by_its_folder(folder):
    store = IdStore(folder)
    assert len(pickle.dumps(store)) < 1000
    assert pickle.loads(pickle.dumps(store)).row("source", 0).tolist() == [5, 6, 7]


@pytest.mark.parametrize("number", [-1, 4])
def test_a_row_that_is_not_there(folder, number):
    with pytest.raises(IndexError):
        IdStore(folder).row("source", number)


def test_an_id_that_does_not_fit_is_refused(tmp_path):
    for wrong in (-1, 65536):
        with (
            pytest.raises(ValueError, match="outside"),
            IdStoreWriter(tmp_path / "s", ("a",), FILES, (100,)) as writer,
        ):
            writer.append([[[wrong]]], PLACES[:1])
    with (
        pytest.raises(ValueError, match="as many rows"),
        IdStoreWriter(tmp_path / "s", ("a",), FILES, (9,)) as writer,
    ):
        writer.append([[[1], [2]]], PLACES[:1])
    assert list(tmp_path.iterdir()) == []


def interrupted(folder):
    with IdStoreWriter(folder, ("source",), FILES, (10,)) as writer:
        writer.append([[[1]]], PLACES[:1])
        raise KeyboardInterrupt


def test_a_failure_leaves_the_old_store(folder):
    with pytest.raises(KeyboardInterrupt):
        interrupted(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["store"]
    assert len(IdStore(folder)) == 4


def test_an_empty_store_can_be_read(tmp_path):
    with IdStoreWriter(tmp_path / "store", ("text",), [], (10,)):
        pass
    store = IdStore(tmp_path / "store")
    assert len(store) == 0
    assert store.lengths("text").tolist() == store.flat("text").tolist() == []


@pytest.mark.parametrize("name", ["store.json", "source.ids", "target.offsets", "files", "lines"])
def test_a_broken_store_is_told(folder, name):
    content = (folder / name).read_bytes()
    for broken in (content[:-3], content + b"more"):
        (folder / name).write_bytes(broken)
        with pytest.raises(DhyanError, match="store is not a whole store of token ids"):
            IdStore(folder)
    (folder / name).unlink()
    with pytest.raises(DhyanError, match="store is not a whole store of token ids"):
        IdStore(folder)


@pytest.mark.parametrize("content", ["[]", "{}", '{"version": 99}', "null"])
def test_a_store_that_says_something_else_is_told(folder, content):
    (folder / "store.json").write_text(content)
    with pytest.raises(DhyanError, match="not a whole store"):
        IdStore(folder)


def test_a_missing_store_is_told(tmp_path):
    with pytest.raises(DhyanError, match="nowhere is not a whole store"):
        IdStore(tmp_path / "nowhere")


def test_some_rows_are_asked_for_at_once(folder):
    store = IdStore(folder)
    every = np.arange(len(store))
    for column in store.columns:
        assert store.lengths(column, every).tolist() == store.lengths(column).tolist()
        for row in every:
            start, length = store.starts(column, every)[row], store.lengths(column)[row]
            assert store.flat(column)[start : start + length].tolist() == store.row(column, int(row)).tolist()
