"""The parts that the analyses are made of: what differs, lots as NumPy draws them, directions, layouts."""

from difflib import get_close_matches

import numpy as np
import pytest
from tests.support.javascript import call_javascript

from dhyan.core.errors import did_you_mean, shortened
from dhyan.explain.analyses.ablation_diff import differing
from dhyan.explain.analyses.common_pieces import common_pieces
from dhyan.explain.analyses.neighbour_layout import neighbour_layout, neighbours_kept
from dhyan.pack.pack import find_pack, open_pack

PARTS = "../../../../tests/support/analyses.mjs"  # from the browser's modules
TEXTS = [
    ("the bank of the river", "the river of the bank"),
    ("a b c d e f", "b c x e f g"),
    ("", "something new"),
    ("वह नदी के किनारे बैठी", "वह बैंक के किनारे बैठी थी"),
    ("same same same", "same same"),
]
NAMES = ["enc.0.self", "dec.0.self", "dec.0.cross", "heads", "ENC.1.self", "encoder"]


def test_two_texts_differ_in_the_same_words():
    pairs = [(one.split(), other.split()) for one, other in TEXTS]
    found = call_javascript("explain/analyses/ablation-diff.js", "differing", pairs)
    assert found == [[list(word) for word in differing(*pair)] for pair in pairs]


def test_the_closest_name_is_the_one_that_python_finds():
    words = ["enc.0.slef", "had", "hedas", "xyz", "dec.0.crss", "", "Encoder", "e" * 300]
    found = call_javascript("core/errors.js", "didYouMean", [[word, NAMES] for word in words])
    assert found == [did_you_mean(word, NAMES) for word in words]
    close = call_javascript("core/sequence-matcher.js", "closestMatch", [[word, NAMES] for word in words])
    assert close == [next(iter(get_close_matches(word, NAMES, n=1, cutoff=0.6)), None) for word in words]


def test_names_are_shortened_alike():
    names = ["plain", "a\nb\tc", "x" * 200, "नदी\u200d", "\u202e\x00", "💧 drop"]
    found = call_javascript("core/errors.js", "shortened", [[name] for name in names])
    assert found == [shortened(name) for name in names]


@pytest.mark.parametrize("seed", [0, 7, 123456789])
def test_lots_are_drawn_as_numpy_draws_them(seed):
    random = np.random.default_rng(seed)
    sizes = [1, 2, 20, 1200, 7]
    (found,) = call_javascript(PARTS, "permutations", [[seed, sizes]])
    assert found == [random.permutation(size).tolist() for size in sizes]


def test_the_principal_directions_are_those_of_numpy():
    points = np.random.default_rng(1).normal(size=(40, 30)) * np.linspace(3, 0.1, 30)
    matrix = points.T @ points
    (found,) = call_javascript("core/principal.js", "principalDirections", [[matrix.ravel().tolist(), 30, 2]])
    values, vectors = np.linalg.eigh(matrix)
    assert np.allclose(found["values"], values[:-3:-1], rtol=1e-9)
    for one, other in zip(found["vectors"], vectors.T[:-3:-1], strict=True):
        assert np.isclose(abs(np.dot(one, other)), 1, atol=1e-6)


def test_a_layout_keeps_as_many_neighbours():
    points = np.random.default_rng(2).normal(size=(60, 8)).astype(np.float32)
    points[:20] += 3
    points[20:40, 3] -= 6
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    alike, start = points @ points.T, points[:, :2]
    (found,) = call_javascript(PARTS, "laidOut", [[alike.tolist(), start.tolist()]])
    place = np.array(found["place"], dtype=np.float32).reshape(-1, 2)
    assert np.abs(place).max() == 1
    # Each of hundreds of steps adds to the last one's rounding: another picture, that keeps as many neighbours.
    assert abs(found["kept"] - neighbours_kept(alike, neighbour_layout(alike, start))) < 0.05
    assert np.isclose(found["kept"], neighbours_kept(alike, place))


def test_the_commonest_words_of_a_vocabulary():
    pack = open_pack(find_pack("writer"))
    text = (pack.folder / pack.manifest.tokenizers["target"]).read_text(encoding="utf-8")
    (found,) = call_javascript(PARTS, "commonPiecesOf", [[text, 300]])
    assert found == common_pieces(pack.tokenizer, 300)


def test_traces_that_are_kept_are_few_and_small():
    calls = [[["a", "b", "a", "c", "d"], 3, 1000], [["a", "b", "c"], 24, 25], [["a"], 24, 5], [["a", "a"], 24, 5]]
    found = call_javascript(PARTS, "keptTraces", calls)
    assert [tuple(one.values()) for one in found] == [(3, 30, 4), (2, 20, 3), (1, 10, 1), (1, 10, 1)]
