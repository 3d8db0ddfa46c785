"""Every number has an address, and the numbers keep the promises that the page makes of them."""

import numpy as np
import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, START
from dhyan.explain.address import Address
from dhyan.explain.explainer import Explainer
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer
from support.packs import random_pack

SOURCE, TARGET = [7, 11, 5, 19, END], [START, 6, 14]


@pytest.fixture(scope="module")
def reference():
    torch.manual_seed(0)
    sizes = {"d_model": 24, "heads": 3, "d_ff": 40, "encoder_layers": 2, "decoder_layers": 2}
    architecture = Architecture(shape="encoder-decoder", **sizes, source_vocabulary=23, target_vocabulary=23)
    return NumpyTransformer(architecture, Transformer(architecture).weights())


@pytest.fixture(scope="module")
def trace(reference):
    return reference.trace(source=SOURCE, target=TARGET)


def test_an_address_is_a_name_a_head_and_an_index():
    assert Address.parse("enc.2.self.h5.weights[3,1]") == Address("enc.2.self.weights", 5, (3, 1))
    assert Address.parse("dec.1.cross.h0.scores[4,:]") == Address("dec.1.cross.scores", 0, (4, slice(None)))
    assert Address.parse("dec.out.probs[4]") == Address("dec.out.probs", None, (4,))
    assert Address.parse("enc.0.ffn.hidden[1:3]").index == (slice(1, 3),)


def test_a_head_is_an_index(trace):
    weights = trace["enc.1.self.weights"]
    assert weights.shape == (3, 5, 5)
    np.testing.assert_array_equal(trace["enc.1.self.h2.weights"], weights[2])
    assert trace["enc.1.self.h2.weights[3,1]"] == weights[2, 3, 1]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("enc.0.slef.weights", "did you mean 'enc.0.self.weights'"),
        ("enc.0.self.h7.weights", "h0 to h2"),
        ("enc.0.self.h0.output", "one array for all heads"),
        ("enc.0.self.weights[9,0,0]", "3 × 5 × 5"),
        ("enc.0.self weights", "not an address"),
        ("enc.0.self.weights[a]", "not an address"),
        ("enc.0.h1.self.h2.weights", "more than one head"),
    ],
)
def test_a_wrong_address_is_told_in_words(trace, address, words):
    with pytest.raises(DhyanError, match=words.replace("[", r"\[").replace("(", r"\(")):
        trace[address]


def test_softmax_rows_sum_to_one_and_masked_cells_are_exactly_zero(trace):
    for name in trace:
        if name.endswith(".weights"):
            np.testing.assert_allclose(trace[name].sum(axis=-1), 1, atol=1e-5)
    masked = trace["dec.0.self.weights"]
    assert (masked[:, np.triu_indices(3, 1)[0], np.triu_indices(3, 1)[1]] == 0).all()


def test_cross_attention_is_target_by_source(trace):
    assert trace["dec.1.cross.h0.weights"].shape == (len(TARGET), len(SOURCE))


def test_the_heads_shares_add_up_to_the_output(trace, reference):
    bias = reference.weights["enc.0.self.b_O"]
    total = sum(trace[f"enc.0.self.h{head}.share"] for head in range(3)) + bias
    np.testing.assert_allclose(total, trace["enc.0.self.output"], atol=1e-5)
    # …which is what concatenating the heads and multiplying by W_O gives.
    concatenated = np.concatenate([trace[f"enc.0.self.h{head}.mixed"] for head in range(3)], axis=-1)
    W_O = reference.weights["enc.0.self.W_O"].reshape(24, 24)
    np.testing.assert_allclose(concatenated @ W_O.T + bias, trace["enc.0.self.output"], atol=1e-5)


def test_each_number_follows_from_the_ones_before_it(trace, reference):
    part, w = "dec.1.cross", reference.weights
    normed, memory = trace[f"{part}.normed"], trace["enc.output"]
    query = normed @ w[f"{part}.W_Q"][1].T + w[f"{part}.b_Q"][1]
    key = memory @ w[f"{part}.W_K"][1].T + w[f"{part}.b_K"][1]
    np.testing.assert_allclose(trace[f"{part}.h1.query"], query, atol=1e-5)
    np.testing.assert_allclose(trace[f"{part}.h1.scores"], query @ key.T, atol=1e-5)
    np.testing.assert_allclose(trace[f"{part}.h1.scaled"], query @ key.T / np.sqrt(8), atol=1e-5)
    np.testing.assert_allclose(trace["dec.out.probs"].sum(axis=-1), 1, atol=1e-5)


def test_whether_an_address_is_there_is_answered_without_computing_it(tmp_path):
    """`"alignment" in trace` once ran the whole occlusion."""
    trace = Explainer(random_pack(tmp_path / "pack", "encoder-decoder")).explain("the river bank", max_length=4)
    for address in ("alignment", "occlusion", "occlusion[0,1]", "dec.lens.probs[-1]", "dec.out.logprobs"):
        assert address in trace
    for address in ("occlusion[9,0]", "occlusion.h1", "dec.lens", "enc.0.self.wieghts", "!", 3):
        assert address not in trace
    assert "enc.0.self.h2.weights[0,1]" in trace
    assert "enc.0.self.h9.weights" not in trace
    assert "enc.0.self.W_Q" in trace
    assert not {"alignment", "occlusion", "dec.lens.probs", "dec.out.logprobs"} & set(trace.trace.recorded())
