"""Weights keep their values on disk: exactly, to the nearest bfloat16, or to half a step of their row's scale."""

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from dhyan.core.errors import DhyanError
from dhyan.pack.weights_file import (
    dequantize,
    from_bfloat16,
    load_weights,
    quantize,
    save_weights,
    to_bfloat16,
    to_safetensors,
)

MATRICES = {"enc.E", "enc.0.self.W_Q", "enc.0.self.W_O"}


@pytest.fixture
def weights():
    """One of each kind: an embedding, a matrix of heads, W_O, a bias of heads, a norm."""
    draw = np.random.default_rng(0)
    shapes = {
        "enc.E": (11, 8),
        "enc.0.self.W_Q": (2, 4, 8),
        "enc.0.self.W_O": (8, 2, 4),
        "enc.0.self.b_Q": (2, 4),
        "enc.norm.gamma": (8,),
    }
    return {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def stored(tmp_path, weights, storage):
    path = tmp_path / "model.safetensors"
    save_weights(path, weights, storage, matrices=MATRICES)
    return path


def test_float32_comes_back_bit_by_bit(tmp_path, weights):
    back = load_weights(stored(tmp_path, weights, "float32"))
    assert list(back) == sorted(weights)
    for name, array in weights.items():
        assert back[name].dtype == np.float32
        np.testing.assert_array_equal(back[name], array)


def test_bfloat16_is_what_torch_makes_of_it(tmp_path, weights):
    back = load_weights(stored(tmp_path, weights, "bfloat16"))
    for name, array in weights.items():
        np.testing.assert_array_equal(back[name], torch.from_numpy(array).bfloat16().float().numpy())


def test_bfloat16_rounds_every_kind_of_number_as_torch_does():
    draw = np.random.default_rng(1)
    any_bits = draw.integers(0, 2**32, 100_000, dtype=np.uint32)
    ties = np.arange(2**16, dtype=np.uint32) << 16 | 0x8000
    extremes = np.array([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 1, 0x7FFFFFFF, 0xFFFFFFFF], np.uint32)
    numbers = np.concatenate([any_bits, ties, extremes]).view(np.float32)
    by_torch = torch.from_numpy(numbers.copy()).bfloat16().float().numpy()
    np.testing.assert_array_equal(from_bfloat16(to_bfloat16(numbers)), by_torch)


def test_int8_is_within_half_a_step_of_each_row(tmp_path, weights):
    back = load_weights(stored(tmp_path, weights, "int8"))
    for name in ("enc.E", "enc.0.self.W_Q", "enc.0.self.W_O"):
        summed = (1, 2) if name.endswith("W_O") else -1
        step = np.abs(weights[name]).max(axis=summed, keepdims=True) / 127
        assert (np.abs(back[name] - weights[name]) <= step * 0.5001).all()
        assert not np.array_equal(back[name], weights[name])
    for name in ("enc.0.self.b_Q", "enc.norm.gamma"):  # few and important: as they are
        np.testing.assert_array_equal(back[name], weights[name])


@pytest.mark.parametrize(
    ("name", "shape", "scales"),
    [
        ("enc.E", (11, 8), (11, 1)),
        ("enc.0.self.W_Q", (2, 4, 8), (2, 4, 1)),
        ("enc.0.self.W_O", (8, 2, 4), (8, 1, 1)),
        ("enc.0.ffn.W_1", (32, 8), (32, 1)),
    ],
)
def test_int8_has_one_scale_for_each_output(name, shape, scales):
    array = np.random.default_rng(2).normal(size=shape).astype(np.float32)
    numbers, scale = quantize(name, array)
    assert (numbers.dtype, numbers.shape, scale.dtype, scale.shape) == (np.int8, shape, np.float32, scales)
    assert (np.abs(numbers.reshape(scale.size, -1)).max(axis=1) == 127).all()


def test_quantising_again_gives_the_same_numbers():
    array = np.random.default_rng(3).normal(size=(1000, 64)).astype(np.float32)
    numbers, scale = quantize("enc.E", array)
    again, scale_again = quantize("enc.E", dequantize(numbers, scale))
    np.testing.assert_array_equal(again, numbers)
    np.testing.assert_allclose(scale_again, scale, rtol=1e-6)


@pytest.mark.parametrize("size", [0.0, 1e-45, 1e-42])
def test_a_row_of_next_to_nothing_becomes_zeros(size):
    array = np.array([[size, -size], [1, -1]], dtype=np.float32)
    np.testing.assert_array_equal(dequantize(*quantize("enc.E", array)), [[0, 0], [1, -1]])


def test_an_int8_file_is_a_quarter_of_the_size(tmp_path):
    weights = {"enc.E": np.ones((1000, 256), np.float32)}
    full = stored(tmp_path, weights, "float32").stat().st_size
    small = stored(tmp_path, weights, "int8").stat().st_size
    assert small < 0.26 * full


@pytest.mark.parametrize("storage", ["float32", "bfloat16", "int8"])
def test_the_safetensors_library_reads_the_file(tmp_path, weights, storage):
    path = stored(tmp_path, weights, storage)
    read = safetensors.torch.load_file(path)
    if storage == "int8":
        scales = {name for name in read if name.endswith(".scale")}
        assert scales == {"enc.E.scale", "enc.0.self.W_Q.scale", "enc.0.self.W_O.scale"}
        read = {
            name: tensor.float() * read[f"{name}.scale"] if f"{name}.scale" in read else tensor
            for name, tensor in read.items()
            if not name.endswith(".scale")
        }
    ours = load_weights(path)
    assert read.keys() == ours.keys()
    for name, tensor in read.items():
        np.testing.assert_array_equal(tensor.float().numpy(), ours[name])
    if storage != "bfloat16":  # NumPy has none
        assert safetensors.numpy.load_file(path).keys() >= ours.keys()


def test_a_file_that_the_library_wrote_is_read(tmp_path, weights):
    path = tmp_path / "model.safetensors"
    safetensors.torch.save_file({name: torch.from_numpy(array).half() for name, array in weights.items()}, path)
    back = load_weights(path)
    for name, array in weights.items():
        np.testing.assert_array_equal(back[name], array.astype(np.float16).astype(np.float32))


def test_a_file_that_was_cut_short_is_told(tmp_path, weights):
    path = stored(tmp_path, weights, "float32")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DhyanError, match=r"model\.safetensors is not a whole safetensors file; copy"):
        load_weights(path)


def test_int8_without_its_scale_is_told(tmp_path):
    path = tmp_path / "model.safetensors"
    numbers, scale = quantize("enc.E", np.ones((3, 2), np.float32))
    for wrong in ({}, {"enc.E.scale": ("F32", scale[:2])}):
        path.write_bytes(to_safetensors({"enc.E": ("I8", numbers), **wrong}))
        with pytest.raises(DhyanError, match=r"enc\.E is int8 without a scale per row"):
            load_weights(path)


def test_other_kinds_of_numbers_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    safetensors.torch.save_file({"enc.E": torch.ones(2, 2, dtype=torch.int64)}, path)
    with pytest.raises(DhyanError, match=r"enc\.E is stored as I64"):
        load_weights(path)
