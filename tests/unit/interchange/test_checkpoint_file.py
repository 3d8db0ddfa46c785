"""A Hugging Face folder gives its settings and its weights as float32, and says in a sentence what it lacks."""

import json
import os
import struct
import sys
import tracemalloc

import numpy as np
import pytest
import safetensors.torch
import torch

from dhyan.core.errors import DhyanError
from dhyan.interchange.checkpoint_file import open_checkpoint
from support.refusals import damaged_copies, read_or_refuse, refusal

CONFIG = {"model_type": "bert", "hidden_size": 8}


@pytest.fixture
def folder(tmp_path):
    """config.json alone."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return tmp_path


@pytest.fixture
def weights():
    torch.manual_seed(0)
    kinds = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
    return {f"layer.{number}.weight": torch.randn(3, 5).to(kind) for number, kind in enumerate(kinds)}


def assert_same(tensors, weights):
    assert set(tensors) == set(weights)
    for name, tensor in weights.items():
        array = tensors[name]
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, tensor.float().numpy())


def write_safetensors(path, header, numbers=b""):
    document = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(document)) + document + numbers)


def read_all(folder):
    return dict(open_checkpoint(folder).tensors)


def test_settings_and_every_kind_of_float(folder, weights):
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    checkpoint = open_checkpoint(folder)
    assert checkpoint.folder == folder
    assert checkpoint.config == CONFIG
    assert checkpoint.generation == {}
    assert len(checkpoint.tensors) == 4
    assert checkpoint.tensors.shapes["layer.0.weight"] == (3, 5)
    assert_same(checkpoint.tensors, weights)


def test_the_settings_of_generation(folder, weights):
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    (folder / "generation_config.json").write_text('{"num_beams": 4}')
    assert open_checkpoint(folder).generation == {"num_beams": 4}


def test_scalars_and_empty_tensors(folder):
    weights = {"one": torch.tensor(2.5), "none": torch.zeros(0, 4)}
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    assert_same(open_checkpoint(folder).tensors, weights)


def test_what_is_not_looked_at_is_not_read(folder):
    """Eight gigabytes on paper: a sparse file."""
    count = 1 << 31
    header = {"big": {"dtype": "F32", "shape": [count // 4, 4], "data_offsets": [0, count * 4]}}
    path = folder / "model.safetensors"
    write_safetensors(path, header)
    start = path.stat().st_size
    os.truncate(path, start + count * 4)
    with path.open("r+b") as file:
        file.seek(start + 4 * (4 * 100_000_000 + 1))
        file.write(struct.pack("<f", 1.5))
    tracemalloc.start()
    big = open_checkpoint(folder).tensors["big"]
    assert big.shape == (count // 4, 4)
    assert big[100_000_000].tolist() == [0, 1.5, 0, 0]
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_name_that_is_not_there(folder, weights):
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    tensors = open_checkpoint(folder).tensors
    assert "layer.9.weight" not in tensors
    assert tensors.get("layer.9.weight") is None
    sentence = refusal(folder / "model.safetensors", lambda _: tensors["layer.9.weight"])
    assert "no tensor layer.9.weight (did you mean 'layer." in sentence


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_integers_are_no_weights(folder, name):
    """Old BERT files have position_ids, which nobody needs; a weight of few bits is not to be taken for a float."""
    stored = {"weight": torch.ones(2), "position_ids": torch.arange(4)}
    save = safetensors.torch.save_file if name == "model.safetensors" else torch.save
    save(stored, folder / name)
    tensors = open_checkpoint(folder).tensors
    assert list(tensors) == ["weight"]
    assert "position_ids is stored as" in refusal(folder / name, lambda _: tensors["position_ids"])
    (folder / name).rename(folder / "part-1")
    write_index(folder, dict.fromkeys(stored, "part-1"), name)
    tensors = open_checkpoint(folder).tensors
    assert list(tensors) == ["weight"]
    assert "position_ids is stored as" in refusal(folder, lambda _: tensors["position_ids"])


# -- several files -------------------------------------------------------------------------------------------------


def write_index(folder, place, name="model.safetensors"):
    (folder / f"{name}.index.json").write_text(json.dumps({"metadata": {}, "weight_map": place}))


def test_weights_in_several_files(folder, weights):
    names = list(weights)
    place = {name: f"model-{1 + number % 2}-of-2.safetensors" for number, name in enumerate(names)}
    for file in set(place.values()):
        safetensors.torch.save_file({name: weights[name] for name in names if place[name] == file}, folder / file)
    write_index(folder, place)
    assert_same(open_checkpoint(folder).tensors, weights)


@pytest.mark.parametrize(
    "file", ["../outside.safetensors", "/etc/passwd", "a/b.safetensors", "..\\b", "", "..", "\0"]
)
def test_an_index_reaches_nothing_outside(folder, weights, file):
    safetensors.torch.save_file(weights, folder.parent / "outside.safetensors")
    write_index(folder, {"layer.0.weight": file})
    assert refusal(folder, read_all)


def test_an_index_that_lies(folder, weights):
    safetensors.torch.save_file(weights, folder / "a.safetensors")
    write_index(folder, {"layer.9.weight": "a.safetensors"})
    assert "layer.9.weight is not in it" in refusal(folder, read_all)
    write_index(folder, {"layer.0.weight": "b.safetensors"})
    assert "lacks b.safetensors" in refusal(folder, read_all)
    for wrong in ([], {"layer.0.weight": 3}, None):
        write_index(folder, wrong)
        assert "no weight_map" in refusal(folder, read_all)


# -- PyTorch's own files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "older"])
def test_pickled_weights(folder, weights, is_zip):
    stored = weights | {"tied": weights["layer.1.weight"], "position_ids": torch.arange(4)}
    torch.save(stored, folder / "pytorch_model.bin", _use_new_zipfile_serialization=is_zip)
    assert_same(open_checkpoint(folder).tensors, weights | {"tied": weights["layer.1.weight"]})


def test_pickled_weights_in_several_files(folder, weights):
    place = {name: f"pytorch_model-{number}.bin" for number, name in enumerate(weights)}
    for name, file in place.items():
        torch.save({name: weights[name]}, folder / file)
    write_index(folder, place, "pytorch_model.bin")
    assert_same(open_checkpoint(folder).tensors, weights)


def test_safetensors_go_before_pickles(folder, weights):
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    (folder / "pytorch_model.bin").write_bytes(b"not looked at")
    assert_same(open_checkpoint(folder).tensors, weights)


def test_without_torch_it_is_said_what_to_install(folder, weights, monkeypatch):
    torch.save(weights, folder / "pytorch_model.bin")
    monkeypatch.setitem(sys.modules, "torch", None)
    sentence = refusal(folder, read_all)
    assert "needs torch" in sentence
    assert "[train]" in sentence
    assert "model.safetensors" in sentence


class Touch:
    """A pickle that would run something."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "older"])
def test_nothing_in_a_pickle_runs(folder, is_zip):
    stored = {"weight": torch.zeros(2), "more": Touch(folder / "ran")}
    torch.save(stored, folder / "pytorch_model.bin", _use_new_zipfile_serialization=is_zip)
    assert "holds more than tensors" in refusal(folder, read_all)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    "content", [[torch.zeros(2)], {"epoch": 3}, torch.zeros(2)], ids=["list", "number", "tensor"]
)
def test_a_pickle_without_weights(folder, content):
    torch.save(content, folder / "pytorch_model.bin")
    assert "no weights are in it" in refusal(folder, read_all)


def test_one_number_that_claims_to_be_a_billion(folder):
    torch.save({"weight": torch.zeros(1).expand(1 << 40)}, folder / "pytorch_model.bin")
    assert "larger than the file" in refusal(folder, read_all)


# -- what can be wrong ---------------------------------------------------------------------------------------------


def test_folders_that_are_no_checkpoint(tmp_path):
    assert "no such folder" in refusal(tmp_path / "none", open_checkpoint)
    file = tmp_path / "file.safetensors"
    file.touch()
    assert "is a file" in refusal(file, open_checkpoint)
    assert "has no config.json" in refusal(tmp_path, open_checkpoint)
    (tmp_path / "config.json").write_text("{}")
    assert "has no weights" in refusal(tmp_path, open_checkpoint)
    (tmp_path / "pack.json").touch()
    assert "is a pack already" in refusal(tmp_path, open_checkpoint)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 2}', "\xff", '{"a":' * 30 + "1" + "}" * 30])
@pytest.mark.parametrize("name", ["config.json", "generation_config.json"])
def test_settings_that_are_broken(folder, name, text):
    (folder / "model.safetensors").touch()
    (folder / name).write_text(text, encoding="latin-1")
    assert name in refusal(folder, open_checkpoint)


GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "lie",
    [
        {"data_offsets": [0, 16]},
        {"data_offsets": [8, 0]},
        {"data_offsets": [-8, 0]},
        {"data_offsets": [2**60, 2**60 + 8]},
        {"data_offsets": [0, 8.0]},
        {"data_offsets": [0]},
        {"data_offsets": None},
        {"shape": [3]},
        {"shape": [2**60]},
        {"shape": [2**31, 2**31, 2**31]},
        {"shape": [-2]},
        {"shape": [True, 2]},
        {"shape": [1] * 100_000 + [2]},
        {"shape": "2"},
        {"shape": 2},
        {"dtype": []},
        {"dtype": None},
    ],
    ids=lambda lie: str(lie)[:40],
)
def test_headers_that_lie(folder, lie):
    path = folder / "model.safetensors"
    write_safetensors(path, {"weight": GOOD}, bytes(8))
    assert read_all(folder)["weight"].tolist() == [0, 0]
    write_safetensors(path, {"weight": GOOD | lie}, bytes(8))
    assert refusal(path, lambda _: read_all(folder))


@pytest.mark.parametrize(
    "content",
    [b"", b"\x01", struct.pack("<Q", 2**60), struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 7) + b'{"a":3}'],
    ids=repr,
)
def test_files_that_are_no_safetensors(folder, content):
    (folder / "model.safetensors").write_bytes(content)
    assert "not a whole safetensors file" in refusal(folder, open_checkpoint)


def test_what_git_leaves_without_lfs(folder):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n"
    (folder / "model.safetensors").write_text(pointer)
    assert "git lfs pull" in refusal(folder, open_checkpoint)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_every_damaged_file_is_read_or_refused(folder, weights, name):
    path = folder / name
    if name == "model.safetensors":
        safetensors.torch.save_file(weights, path)
    else:
        torch.save(weights, path)
    content = path.read_bytes()
    draw = np.random.default_rng(0)
    ends = range(0, len(content), max(1, len(content) // 60))
    copies = [*(content[:end] for end in ends), *damaged_copies(content, draw, 150)]
    refused = 0
    for copy in copies:
        path.write_bytes(copy)
        refused += not read_or_refuse(folder, read_all)
    assert refused >= len(ends)


def test_the_error_is_ours_and_that_of_a_mapping(folder, weights):
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    for kind in (DhyanError, KeyError):
        with pytest.raises(kind):
            open_checkpoint(folder).tensors["nothing"]
