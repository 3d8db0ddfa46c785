"""The map of words: which words, where they stand, and the paths of tokens over it."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.explain.analyses.common_pieces import common_pieces
from dhyan.explain.analyses.meaning_map import meaning_map, paths, stages_of
from dhyan.explain.analyses.neighbour_layout import neighbour_layout, neighbours_kept
from dhyan.explain.explainer import Explainer
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from support.packs import random_pack

SENTENCE = "the river bank flows"


@pytest.fixture(scope="module", params=["encoder-decoder", "encoder", "decoder"])
def explainer(request, tmp_path_factory):
    rotary = {"positions": "rotary"} if request.param == "decoder" else {}
    return Explainer(random_pack(tmp_path_factory.mktemp("map") / "pack", request.param, **rotary))


@pytest.fixture(scope="module")
def found(explainer):
    return meaning_map(explainer)


def cosine(one, other):
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def test_whole_words_and_not_their_beginnings():
    text = ["when where whether the other weather"] * 8 + ["the money the river the bank"] * 30 + ["The End"] * 20
    tokenizer = Tokenizer.train(text, TextSettings(), 400, exact=False)
    words = [tokenizer.piece(number) for number in common_pieces(tokenizer, 50)]
    assert {" the", " money", " river", " bank", " where"} <= set(words)
    assert not {" The", " w", " whe", " mon", "er"} & set(words)
    assert words[0] == " the"
    assert [tokenizer.piece(number) for number in common_pieces(tokenizer, 3)] == words[:3]


def test_letters_where_a_vocabulary_has_no_words(explainer):
    pieces = [explainer.source_tokenizer.piece(number) for number in common_pieces(explainer.source_tokenizer, 99)]
    assert {"t", "न"} <= set(pieces)
    assert not {"2", "+", " "} & set(pieces)


def test_alike_points_come_together():
    drawn = np.random.default_rng(3)
    centres = drawn.normal(size=(4, 20))
    vectors = np.repeat(centres, 15, axis=0) + 0.4 * drawn.normal(size=(60, 20))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    alike, start = (vectors @ vectors.T).astype(np.float32), vectors[:, :2].astype(np.float32)
    place = neighbour_layout(alike, start)
    assert np.abs(place).max() == pytest.approx(1)
    group = np.repeat(np.arange(4), 15)
    apart = np.linalg.norm(place[:, None] - place[None], axis=-1)
    same = group[:, None] == group[None]
    assert apart[same].max() < apart[~same].min()
    assert neighbours_kept(alike, place) > 0.6 > neighbours_kept(alike, drawn.normal(size=(60, 2)))
    np.testing.assert_array_equal(place, neighbour_layout(alike, start))


def test_neighbours_that_are_kept_are_counted():
    line = np.arange(12.0)
    alike = -np.abs(line[:, None] - line[None])
    place = np.stack([line, np.zeros(12)], axis=1)
    assert neighbours_kept(alike, place, 2) == 1
    assert neighbours_kept(alike, place[[5, 0, 7, 2, 9, 4, 11, 6, 1, 8, 3, 10]], 2) < 0.4


def test_stages_are_addresses_of_the_trace(explainer, found):
    trace = explainer.explain(SENTENCE)
    for stage in found.stages:
        assert trace[stage.address].shape[-1] == explainer.architecture.d_model
    assert found.stages[0].name == "embedded"
    assert ("input" in [stage.name for stage in found.stages]) == (not explainer.architecture.rotary)
    assert found.stages == stages_of(explainer.architecture)


def test_the_plane_says_what_it_shows(found):
    flat = found.units.reshape(-1, found.units.shape[-1]).astype(np.float64)
    total = (flat**2).sum()
    for axis in range(2):
        assert ((flat @ found.directions[:, axis]) ** 2).sum() / total == pytest.approx(found.share[axis], rel=1e-3)
    assert found.share[0] >= found.share[1] > 0
    np.testing.assert_allclose(found.directions.T @ found.directions, np.eye(2), atol=1e-5)
    np.testing.assert_allclose(found.plane, found.units[0] @ found.directions, atol=1e-6)


def test_a_map_is_always_the_same(explainer, found):
    again = meaning_map(explainer)
    np.testing.assert_array_equal(again.near, found.near)
    np.testing.assert_array_equal(again.plane, found.plane)


def test_a_token_begins_on_its_own_word_and_goes_where_its_vector_goes(explainer, found):
    trace = explainer.explain(SENTENCE)
    ways = paths(found, trace)
    assert [way.text for way in ways] == [token.text for token in trace.source if not token.special]
    for way in ways:
        for number, stage in enumerate(found.stages):
            vector = trace[f"{stage.address}[{way.row}]"] - found.means[number]
            if way.text == "␣":  # a space is no word of the map
                continue
            word = found.number(way.text)
            assert way.cosines[number, word] == pytest.approx(cosine(vector, found.units[number, word]), abs=1e-5)
            np.testing.assert_allclose(
                way.plane[number], vector / np.linalg.norm(vector) @ found.directions, atol=1e-5
            )
            named, best = way.nearest[number][0]
            assert best == pytest.approx(way.cosines[number].max())
            assert way.cosines[number, found.number(named)] == pytest.approx(best)
        if way.text != "␣":
            assert way.nearest[0][0] == (way.text, pytest.approx(1, abs=1e-5))
            assert np.linalg.norm(way.near[0] - found.near[word]) < 0.2
    assert any(np.abs(way.near[-1] - way.near[0]).max() > 1e-3 for way in ways)


def test_between_two_words_axes_are_cosines(found):
    one, other = found.words[1], found.words[4]
    place = found.between(one, other.upper())
    assert place[1, 0] == pytest.approx(1)
    assert place[4, 1] == pytest.approx(1)
    assert place[4, 0] == place[1, 1] == pytest.approx(cosine(found.units[0, 1], found.units[0, 4]), abs=1e-6)
    with pytest.raises(DhyanError, match="'zebra' is not on the map of"):
        found.between("zebra", one)
