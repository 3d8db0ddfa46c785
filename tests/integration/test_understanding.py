"""The old ways behind the same commands, words in context, what vectors are judged by, and what can go wrong."""

import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

TOPICS = {
    "river": ["boat", "water", "bridge", "fish", "flows", "drifts"],
    "kitchen": ["cook", "rice", "bread", "soup", "boils", "bakes"],
}
SENSES = [("bank", "shore", "the river bank flows", 2), ("bank", "money", "the money bank grows", 2)]


def topical(count, seed):
    draw = random.Random(seed)
    for number in range(count):
        topic = list(TOPICS)[number % 2]
        yield topic, " ".join(draw.sample(TOPICS[topic], 3))


@pytest.fixture
def here(beside_packs):
    files = {
        "train.tsv": "".join(f"{label}\t{text}\n" for label, text in topical(60, seed=1)),
        "test.tsv": "".join(f"{label}\t{text}\n" for label, text in topical(20, seed=2)),
        "texts.txt": "".join(f"{text}\n" for _, text in topical(30, seed=3)),
        "one-class.tsv": "good\ta film\ngood\ta play\n",
        "unseen.tsv": "desert\tsand\n",
        "words.tsv": "boat\twater\t9\nboat\tsoup\t1\nrice\tsoup\t8.5\nfish\tbakes\t2\n",
        "pairs.tsv": "5\tboat flows\tboat flows\n1\tboat flows\trice boils\n3\tboat boils\trice boils\n",
        "senses.tsv": "".join(f"{word}\t{sense}\t{at}\t{text}\n" for word, sense, text, at in SENSES * 3),
        "new-sense.tsv": "bank\tblood\t1\tthe bank\n",
        "bad-index.tsv": "bank\tshore\t7\tthe river bank\n",
        "few.tsv": "a\tone\nb\tone\nc\tone\n",
    }
    for name, text in files.items():
        (beside_packs / name).write_text(text, encoding="utf-8")
    return beside_packs


@pytest.mark.parametrize("method", ["one-hot", "tf-idf", "word2vec"])
def test_the_old_ways_do_what_a_pack_does(run, method):
    nearest = run("similar", "boat water", "--among", "texts.txt", "--model", method, "--top", 3).out.splitlines()
    assert all(set(row.split()[1:]) <= set(TOPICS["river"]) for row in nearest)
    found = run("classify", "boat fish", "soup bread", "", "--model", method, "--train", "train.tsv", "--json").out
    assert [json.loads(line)["label"] for line in found.splitlines()] == ["river", "kitchen", None]
    run("embed", "boat water", "", "rice", "--model", method, "-o", "vectors.npy")
    np.testing.assert_allclose(np.linalg.norm(np.load("vectors.npy"), axis=1), [1, 0, 1], atol=1e-5)
    said = run("cluster", "texts.txt", "--clusters", 2, "--model", method, "--map", "map.svg", "--json")
    assert json.loads(said.out)["texts"] == 30


def test_a_method_learns_from_other_texts_too(run):
    run("embed", "boat", "--model", "one-hot", "--train", "texts.txt", "-o", "vectors.npy")
    assert np.load("vectors.npy").shape == (1, 12)


def test_labels_on_a_packs_vectors(run):
    found = run("classify", "boat fish", "--model", "encoder", "--train", "train.tsv", "--json").out
    assert json.loads(found)["label"] in TOPICS


def test_a_word_in_its_sentence(run):
    vectors = {}
    for layer in (0, 1, 2):
        said = run(
            "embed", "--word", "bank", "--layer", layer, "the river bank", "A BANK", "--model", "encoder-decoder"
        )
        vectors[layer] = np.array([json.loads(line)["vector"] for line in said.out.splitlines()])
        assert vectors[layer].shape == (2, 48)
    last = run("embed", "--word", "bank", "the river bank", "--model", "encoder-decoder").out
    np.testing.assert_allclose(json.loads(last)["vector"], vectors[2][0], atol=1e-6)
    assert abs(vectors[1] - vectors[2]).max() > 1e-3


def scores(run, *arguments):
    return json.loads(run("evaluate", *arguments, "--json").out)


def test_likeness_is_judged_with_the_score_in_front_or_behind(run):
    found = scores(run, "word2vec", "--task", "similarity", "--train", "texts.txt", "--test", "words.tsv")
    assert found["rows"] == 4
    assert found["spearman"] > 0.5
    found = scores(run, "tf-idf", "--task", "similarity", "--test", "pairs.tsv")
    assert found["spearman"] == pytest.approx(1)
    behind = "boat flows\tboat flows\t5\nboat flows\trice boils\t1\nboat boils\trice boils\t3\n"
    Path("behind.tsv").write_text(behind)
    for pack in (["encoder"], ["encoder-decoder"]):
        first, second = (
            scores(run, *pack, "--task", "similarity", "--test", name) for name in ("pairs.tsv", "behind.tsv")
        )
        assert first["spearman"] == second["spearman"]


def test_labels_and_clusters_are_judged(run):
    found = scores(run, "tf-idf", "--task", "labels", "--train", "train.tsv", "--test", "test.tsv")
    assert found["accuracy"] == 1
    for method, beside in (("word2vec", True), ("tf-idf", False), ("encoder", True)):
        found = scores(run, method, "--task", "clusters", "--test", "test.tsv")
        assert found["clusters"] == 2
        assert 0.5 <= found["accuracy"] <= 1
        assert ("tf-idf" in found) == beside


def test_senses_are_judged(run):
    for model in (["tf-idf"], ["encoder-decoder", "--layer", 1], ["encoder", "--with-sentence"]):
        found = scores(run, *model, "--task", "senses", "--train", "senses.tsv", "--test", "senses.tsv")
        assert (found["rows"], found["f1"], found["words"]) == (6, 1, {"bank": 1})
    for model in ("tf-idf", "encoder"):  # of three rows of each sense, the nearest ones are the row's own copies
        found = scores(
            run, model, "--task", "senses", "--train", "senses.tsv", "--test", "senses.tsv", "--neighbours", 3
        )
        assert found["f1"] == 1
    blind = scores(run, "encoder", "--layer", 0, "--task", "senses", "--train", "senses.tsv", "--test", "senses.tsv")
    assert blind["accuracy"] == 0.5  # the same vector in every sentence


BAD = {
    "classify words --model tf-idf": "tf-idf knows no labels: give it rows of label and text with --train",
    "classify words --model tf-idf --train one-class.tsv": "every row has the label 'good'",
    "similar boat --among texts.txt --model encoder --train texts.txt": "--train is for one-hot, tf-idf, word2vec",
    "embed --word bank river --model encoder": "the word 'bank' is not in the text 'river'",
    "embed --word bank bank --model decoder": "has no encoder",
    "embed --word bank bank --model tf-idf": "one vector per word, whatever its sentence",
    "embed --word bank bank --layer 3 --model encoder": "layers 1 to 2",
    "embed river --layer 1 --model encoder": "--layer goes with --word",
    "embed !!! --model tf-idf": "no word in these texts",
    "cluster one-class.tsv --clusters 3 --model tf-idf": "2 texts are too few for 3 clusters",
    "evaluate tf-idf --test test.tsv": "--task is missing",
    "evaluate tf-idf --task sense --test test.tsv": "did you mean 'senses'?",
    "evaluate tf-idf --task labels --test test.tsv": "name them with --train",
    "evaluate tf-idf --task labels --train train.tsv --test unseen.tsv": "the label 'desert' was not in training",
    "evaluate tf-idf --task labels --train one-class.tsv --test one-class.tsv": "every row has the label 'good'",
    "evaluate tf-idf --task clusters --test one-class.tsv": "one label only ('good')",
    "evaluate tf-idf --task clusters --test few.tsv": "1 different texts are too few for 3 clusters",
    "evaluate encoder --task senses --train senses.tsv --test new-sense.tsv": "the sense 'blood' of 'bank'",
    "evaluate encoder --task senses --train senses.tsv --test bad-index.tsv": "'7' is not the index of a word",
    "evaluate encoder --task clusters --layer 1 --test test.tsv": "--layer and --with-sentence go with --task senses",
    "evaluate encoder --task clusters --train texts.txt --test test.tsv": "learns nothing from --train with a pack",
    "evaluate encoder --train train.tsv --test test.tsv": "--with-sentence and --neighbours go with --task",
    "evaluate tf-idf --task clusters --neighbours 3 --test test.tsv": "--neighbours goes with --task senses",
    "evaluate tf-idf --task similarity --test train.tsv": "2 columns where 3 are needed",
}


@pytest.mark.parametrize("command", BAD)
def test_what_is_wrong_is_said_in_one_line(command, run, monkeypatch):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    said = run(*command.split(), expect=2)
    assert BAD[command] in said.err
    assert said.err.startswith("dhyan: ")
    assert said.err.count("\n") == 1
    assert said.out == ""
