"""Every worked number of the lecture notes, to the digits that the notes give."""

import numpy as np
import pytest

from dhyan.explain import formulas

X = np.array([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])  # write, a, poem
W_Q = np.array([[0.54, -0.17], [0.59, 0.65]])
W_K = np.array([[-0.15, -0.34], [0.14, 0.42]])
W_V = np.array([[0.62, 0.61], [-0.52, 0.13]])


def close(found, expected, digits=4):
    np.testing.assert_allclose(found, expected, atol=0.51 * 10**-digits, rtol=0)


def test_queries_keys_and_values_of_write_a_poem():
    close(X @ W_Q, [[0.7621, -0.0477], [1.1102, 0.7871], [1.1070, -2.1537]])
    close(X @ W_K, [[-0.1418, -0.2978], [0.1049, 0.3774], [-0.9639, -2.4066]])
    close(X @ W_V, [[0.5996, 0.7375], [-0.3538, 0.5245], [3.8574, 2.4093]])


def test_self_attention_of_write_a_poem():
    table = formulas.attention(X @ W_Q, X @ W_K, X @ W_V)
    close(table.weights, [[0.3564, 0.3979, 0.2457], [0.3414, 0.6033, 0.0554], [0.0691, 0.0300, 0.9009]])
    close(table.mixed, [[1.0207, 1.0635], [0.2048, 0.7016], [3.5061, 2.2373]])
    assert round(table.weights[0, 0] * 100) == 36  # "'write' is 36% similar to itself"


def test_masked_self_attention_of_write_a_poem():
    table = formulas.attention(X @ W_Q, X @ W_K, X @ W_V, formulas.causal_mask(3))
    close(table.weights, [[1, 0, 0], [0.3614, 0.6386, 0], [0.0691, 0.0300, 0.9009]])
    close(table.mixed, [[0.5996, 0.7375], [-0.0093, 0.6015], [3.5061, 2.2373]])
    assert table.weights[0, 1] == table.weights[0, 2] == table.weights[1, 2] == 0  # W₁₂ = W₁₃ = W₂₃ = 0, exactly


def test_the_worked_table_divides_by_eight_when_d_k_is_64():
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(3, 3, 64))  # "Action gets results"
    table = formulas.attention(query, key, value)
    close(table.scaled, table.scores / 8, digits=12)
    close(table.mixed, np.stack([sum(w * v for w, v in zip(row, value, strict=True)) for row in table.weights]), 12)


def test_dividing_by_root_d_keeps_the_variance_of_a_dot_product():
    """Var(q·k) = d · Var(x), and Var(cX) = c² Var(X): so √d brings it back to 1."""
    rng = np.random.default_rng(1)
    for d in (16, 256):
        query, key = rng.normal(size=(2, 20_000, d))
        dots = (query * key).sum(axis=1)
        assert dots.var() == pytest.approx(d, rel=0.05)
        assert (dots / np.sqrt(d)).var() == pytest.approx(1, rel=0.05)


def test_without_parameters_the_embeddings_attend_to_themselves():
    table = formulas.attention_without_parameters(X)
    close(table.scores, X @ X.T, digits=12)
    close(table.weights.sum(axis=1), 1, digits=12)
    close(table.mixed, table.weights @ X, digits=12)


def test_positional_encoding_of_river_bank():
    table = formulas.positional_encoding(2, 6)
    close(table[0], [0, 1, 0, 1, 0, 1])
    close(table[1], [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000])


def test_low_dimensions_oscillate_fast_and_high_ones_hardly_move():
    table = formulas.positional_encoding(50, 128)  # the picture of the notes
    turns = (np.diff(np.sign(table[:, 0::2]), axis=0) != 0).sum(axis=0)
    assert turns[0] > 10
    assert turns[-1] <= 1  # the slowest sine only leaves zero
    assert np.abs(table).max() <= 1
    distances = np.linalg.norm(table[:, None] - table[None], axis=-1) + np.eye(50) * 9
    assert distances.min() > 0.5  # no two positions collide


FEATURES = np.array([[7, 5, 4], [2, 3, 4], [1, 2, 3], [7, 5, 6], [3, 3, 4]], dtype=float)


def test_layer_norm_goes_along_the_rows_and_batch_norm_down_the_columns():
    close(formulas.layer_norm(FEATURES, epsilon=0)[0], [1.3363, -0.2673, -1.0690])
    close(formulas.batch_norm(FEATURES, epsilon=0)[0], [1.1859, 1.1667, -0.2041])


def test_padding_distorts_batch_norm_and_leaves_layer_norm_alone():
    padded = np.vstack([FEATURES, np.zeros((4, 3))])
    close(formulas.layer_norm(padded)[:5], formulas.layer_norm(FEATURES), digits=12)
    assert np.abs(formulas.batch_norm(padded)[:5] - formulas.batch_norm(FEATURES)).max() > 0.3


def test_bank_is_a_mix_of_its_neighbours():
    """bank = 0.25·money + 0.7·bank + 0.05·grows: a weighted sum, which is what `mixed` is."""
    money, bank, grows = np.eye(3)
    weights = np.array([[0.25, 0.7, 0.05]])
    scores = np.log(weights)  # scores whose softmax is exactly these weights
    close(formulas.softmax(scores), weights, digits=12)
    close(formulas.softmax(scores) @ np.stack([money, bank, grows]), weights, digits=12)
