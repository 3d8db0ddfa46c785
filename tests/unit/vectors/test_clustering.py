"""Clusters are found where they are, named by the words that tell them apart, and drawn so that they can be read."""

import random
import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.text.words import words_of
from dhyan.vectors.cluster_map import MOST_LABELS, MOST_POINTS, SHAPES, as_page, cluster_texts, draw_map
from dhyan.vectors.clustering import Cluster, distinctive_words, find_clusters

SVG = "{http://www.w3.org/2000/svg}"
TOPICS = [("नदी का पानी", "नदी का किनारा"), ("the cook fries rice", "the cook boils rice"), ("2 + 2", "2 + 3")]


def blobs(count, size, seed=0, spread=0.05):
    """Unit vectors around as many orthogonal directions as there are clusters, and which each belongs to."""
    draw = np.random.default_rng(seed)
    owners = np.arange(count * size) % count
    vectors = np.eye(max(count, 4), dtype=np.float32)[owners]
    vectors = vectors + draw.normal(0, spread, vectors.shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), owners


def drawn(svg):
    """The marks of the plot and of the legend, each with its look and its tooltip."""
    root = xml.fromstring(svg)
    return [(mark.get("d"), mark.get("fill"), mark.find(f"{SVG}title").text) for mark in root.iter(f"{SVG}path")]


@pytest.mark.parametrize("count", [2, 3, 7])
def test_their_number_is_found(count):
    vectors, owners = blobs(count, 20)
    texts = [f"topic{owner} number{place}" for place, owner in enumerate(owners)]
    found = find_clusters(texts, vectors)
    assert len(found.clusters) == count
    assert found.silhouette > 0.8
    for cluster in found.clusters:
        (owner,) = {owners[member] for member in cluster.members}
        assert cluster.words[0] == f"topic{owner}"
    assert find_clusters(texts, vectors) == found  # the same every time


def test_the_largest_comes_first_and_the_most_typical_text_before_the_rest():
    vectors, owners = blobs(3, 20)
    kept = [place for place, owner in enumerate(owners) if owner != 1 or place < 20]
    vectors, owners = vectors[kept], owners[kept]
    found = find_clusters([f"t{owner}" for owner in owners], vectors, 3)
    assert [len(cluster.members) for cluster in found.clusters] == [20, 20, 7]
    for cluster in found.clusters:
        near = vectors[cluster.members] @ vectors[cluster.members].mean(axis=0)
        assert near[0] > near[-1]


def test_a_number_that_is_asked_for_is_given():
    vectors, owners = blobs(2, 10)
    assert len(find_clusters([str(owner) for owner in owners], vectors, 5).clusters) == 5
    alone = find_clusters(["a", "b", "c"], np.eye(3, dtype=np.float32), 3)
    assert sorted(cluster.members for cluster in alone.clusters) == [[0], [1], [2]]
    assert alone.silhouette is None


def test_many_texts_are_judged_by_a_sample():
    vectors, owners = blobs(4, 1000)
    assert len(find_clusters([f"t{owner}" for owner in owners], vectors).clusters) == 4


@pytest.mark.parametrize(
    ("count", "texts", "told"),
    [(0, 5, "at least 2"), (1, 5, "at least 2"), (6, 5, "too few for 6"), (None, 2, "too few"), (3, 5, "only 2")],
)
def test_what_cannot_be_gathered(count, texts, told):
    vectors = np.eye(2, dtype=np.float32)[np.arange(texts) % 2]
    with pytest.raises(DhyanError, match=told):
        find_clusters(["a", "b"] * (texts // 2) + ["a"] * (texts % 2), vectors, count)


def test_texts_that_are_all_the_same():
    with pytest.raises(DhyanError, match="no difference"):
        find_clusters(["a"] * 9, np.tile(np.float32([1, 0]), (9, 1)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी में, मैं पढ़ता हूँ।", ["हिन्दी", "में", "मैं", "पढ़ता", "हूँ"]),
        ("क्\u200dष और नमस्\u200cते", ["क्\u200dष", "और", "नमस्\u200cते"]),
        ("Don't “stop” — it’s 42!", ["don't", "stop", "it’s", "42"]),
        ("😀 … ◌ ' ’", []),
        ("cafe\u0301", ["café"]),
    ],
)
def test_marks_belong_to_words(text, words):
    assert words_of(text) == words


def test_distinctive_words_are_frequent_inside_and_rare_outside():
    fish = ["the fish swims", "the fish eats", "a fish and the sea"]
    birds = ["the bird flies", "the bird eats", "a bird and the sky"]
    told = distinctive_words([fish, birds])
    assert [words[0] for words in told] == ["fish", "bird"]
    assert not {"the", "eats", "and", "a"} & {word for words in told for word in words}
    assert distinctive_words([["😀"], ["😐"]]) == [[], []]
    assert Cluster([0], []).name == "no distinctive words"


def test_a_cluster_is_not_named_by_words_that_are_common_in_all():
    """Function words are more frequent in one topic than in another, and still say nothing of it."""
    draw = random.Random(1)
    rare = {"river": ["boat", "fish", "bridge", "bank"], "kitchen": ["rice", "oven", "spoon", "flour"]}
    groups = [
        [
            " ".join([*draw.choices(["the", "is", "of", "a"], k=often), draw.choice(words), draw.choice(words)])
            for _ in range(100)
        ]
        for words, often in zip(rare.values(), (8, 2), strict=True)
    ]
    for found, words in zip(distinctive_words(groups), rare.values(), strict=True):
        assert set(found) == set(words)


def test_a_map_shows_every_text_and_names_every_cluster():
    texts = [f"{a} & <{a}>" for pair in TOPICS for a in pair] * 3
    vectors = blobs(3, 2)[0][[0, 3, 1, 4, 2, 5] * 3]
    found = find_clusters(texts, vectors, 3)
    svg = draw_map(texts, vectors, found.clusters)
    marks = drawn(svg)
    names = [cluster.name for cluster in found.clusters]
    assert [title for *_, title in marks[-3:]] == names
    assert sorted(title for *_, title in marks[:-3]) == sorted(texts)
    assert len({shape for shape, *_ in marks}) == len({colour for _, colour, _ in marks}) == 3
    assert "Noto Sans Devanagari" in svg
    assert "नदी" in svg
    written = [text.text for text in xml.fromstring(svg).iter(f"{SVG}text")]
    assert {"1", "2", "3"} <= set(written)  # for more clusters than shapes, and for print
    page = as_page(svg, "<नदी>")
    assert "<title>&lt;नदी&gt;</title>" in page
    assert "utf-8" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)  # nothing is fetched


def test_more_clusters_than_shapes_still_look_different():
    vectors, owners = blobs(15, 3)
    found = find_clusters([f"t{owner}" for owner in owners], vectors, 15)
    marks = drawn(draw_map([f"t{owner}" for owner in owners], vectors, found.clusters))
    assert len({(shape, fill == "#fff") for shape, fill, _ in marks}) == 15 > len(SHAPES)


def test_a_map_of_odd_texts_is_still_xml():
    texts = ["\x00\x1b[31m ]]> </svg>", '"quoted" \ufffe', "अ" + "ि" * 400, "x" * 1000]
    found = [Cluster([0, 1], ["</text>", "क" * 80]), Cluster([2, 3], [])]
    titles = [title for *_, title in drawn(draw_map(texts, np.eye(4, dtype=np.float32), found))]
    assert titles[0].endswith("]]> </svg>")
    assert max(map(len, titles)) <= 301


def test_a_map_of_very_many_texts_says_that_it_draws_some():
    vectors, owners = blobs(2, MOST_POINTS)
    found = [Cluster(np.flatnonzero(owners == owner).tolist(), []) for owner in (0, 1)]
    svg = draw_map([""] * len(owners), vectors, found)
    assert len(drawn(svg)) == MOST_POINTS + 2
    assert "5,000 of 10,000 texts are drawn" in svg


def labels_beside_points(svg):
    group = next(one for one in xml.fromstring(svg).iter(f"{SVG}g") if one.get("font-size") == "11")
    return [(one.text, float(one.get("x")), float(one.get("y")), one.get("text-anchor")) for one in group]


def test_few_texts_are_written_beside_their_points_and_never_over_each_other():
    vectors, owners = blobs(3, 5, spread=0.3)
    texts = [f"text {number}" for number in range(len(owners))]
    found = cluster_texts(texts, vectors, 3)
    shown = labels_beside_points(found._repr_svg_())
    assert len(shown) > 10
    assert {label for label, *_ in shown} <= set(texts)
    apart = [
        abs(y - other_y)
        for at, (_, x, y, _) in enumerate(shown)
        for _, other_x, other_y, _ in shown[:at]
        if abs(x - other_x) < 20
    ]
    assert min(apart, default=99) > 10
    same = cluster_texts(["the same"] * 3 + ["another"], np.eye(4, dtype=np.float32)[[0, 0, 0, 1]], 2)
    assert 1 < len(labels_beside_points(same.map)) < 6
    many = ["many"] * (MOST_LABELS + 1)
    assert not labels_beside_points(draw_map(many, blobs(1, len(many))[0], [Cluster(list(range(len(many))), [])]))


def test_clustered_texts_say_what_they_are():
    texts = [one for pair in TOPICS for one in pair]
    found = cluster_texts(texts, blobs(3, 2)[0][[0, 3, 1, 4, 2, 5]], 3)
    assert repr(found).startswith("<6 texts in 3 clusters: ")
    assert found.map == found._repr_svg_() == draw_map(texts, found.vectors, found.clusters)
