"""Your own data with defaults: what a training starts from, beats, and says of itself."""

import json
import random

import pytest

from dhyan.core.progress import Progress
from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import read_pack
from dhyan.pack.repack import repack
from dhyan.training.train import prepare_only, resume, train
from dhyan.vectors.classifier import Classifier
from support.packs import random_pack

pytestmark = pytest.mark.long

THINGS = {"tea": ["cup", "leaf", "pot", "steam"], "rail": ["train", "track", "station", "ticket"]}
FRAMES = ["we talked about the {} all day", "nobody has seen the {} again", "there was a {} on the table"]


def labelled(count, seed=0, wrong=0):
    """Texts whose label hangs on one word; the first `wrong` of them have the other label."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        label = draw.choice(list(THINGS))
        text = f"{draw.choice(FRAMES).format(draw.choice(THINGS[label]))} {number}"
        told = next(other for other in THINGS if other != label) if number < wrong else label
        rows.append((told, text))
    return rows


def written(file, rows):
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return file


class Told(Progress):
    def __init__(self):
        self.lines, self.tables = [], {}

    def say(self, text):
        self.lines.append(text)

    def table(self, title, headers, rows):
        self.tables[title] = [list(row) for row in rows]


def engine_of(pack):
    from dhyan.engines.base import start_engine

    return start_engine(pack, compute="float32")


SMALL = {"d_model": 16, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1, "max_positions": 32}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A classifier from random weights: too few steps to learn anything, so the word counts do the work."""
    folder = tmp_path_factory.mktemp("judged")
    file = written(folder / "rows.tsv", labelled(400, wrong=4))
    told = Told()
    training = {"steps": 6, "device": "cpu", "metric": "accuracy"}
    data = {"train": [file], "held_out": 0.25}
    out = train(
        {"task": "classify", "out": folder / "pack", "data": data, "model": SMALL, "training": training}, told
    )
    return read_pack(out), told


def test_nobody_ends_with_less_than_a_baseline(judged):
    pack, told = judged
    found = pack.manifest.metrics["assessed"]
    assert found["baseline: word counts"] > 0.9 > found["transformer alone"]
    assert found["accuracy"] >= found["baseline: word counts"] - 0.02
    assert pack.manifest.words_head
    rows = labelled(200, seed=9)
    right = Classifier(pack, engine_of(pack))([text for _, text in rows])
    assert sum(a == label for a, (label, _) in zip(right, rows, strict=True)) > 180
    assert "What simple methods reach" in told.tables


def test_word_counts_know_when_two_texts_say_the_same(tmp_path):
    """No word tells it: each is as often in pairs that agree as in those that do not."""
    draw = random.Random(4)
    words = ["tea", "rail", "cup", "leaf", "track", "ticket", "steam", "pot", "river", "moon"]
    rows = []
    for number in range(300):
        first = draw.sample(words, 4)
        same = number % 2 == 0
        second = draw.sample(first, 4) if same else draw.sample([word for word in words if word not in first], 4)
        rows.append(("same" if same else "other", " ".join(first), " ".join(second)))
    file = written(tmp_path / "pairs.tsv", [("label", "text", "text2"), *rows])
    values = {"task": "classify", "out": tmp_path / "pack", "model": SMALL, "training": {"steps": 6, "device": "cpu"}}
    pack = read_pack(train(values | {"data": {"train": [file], "held_out": 0.25}}, Told()))
    assert pack.manifest.metrics["assessed"]["baseline: word counts"] == 1.0
    classifier = Classifier(pack, engine_of(pack))
    asked = [("moon and tea", "tea and moon"), ("the river", "a track")]
    assert [found.label for found in classifier.classify(asked)] == ["same", "other"]
    explanation = Explainer(pack).explain("moon tea\ttea moon")
    assert "95 % alike" in explanation.model.words.words
    assert explanation.labels == pytest.approx(
        classifier.classify([("moon tea", "tea moon")])[0].probabilities, abs=1e-4
    )


def test_it_says_how_good_it_is(judged):
    pack, told = judged
    found = pack.manifest.metrics["assessed"]
    low, high = found["accuracy, 95 %"]
    assert 0 < low <= found["accuracy"] <= high <= 1
    assert found["expected calibration error"] < 0.2
    assert set(found["labels"]) == set(THINGS)
    assert len(found["learning curve"]) == 3
    assert any("twice the rows" in line for line in told.lines)
    assert "<svg" in (pack.folder / "confusion.svg").read_text("utf-8")
    assert "confusion.svg" in (pack.folder / "README.md").read_text("utf-8")


def test_wrong_labels_are_found(judged):
    pack, told = judged
    headers, *doubts = (pack.folder / "labels-to-check.tsv").read_text("utf-8").splitlines()
    assert headers.split("\t") == ["label", "seems to be", "sure", "text"]
    wrong = {text for _, text in labelled(400, wrong=4)[:4]}
    assert {line.split("\t")[3] for line in doubts} & wrong
    assert told.tables["These may be labelled wrong"]


def test_few_rows_are_cross_validated_and_a_resumed_training_keeps_the_folds(tmp_path):
    file = written(tmp_path / "rows.tsv", labelled(60))
    training = {"steps": 3, "folds": 3, "device": "cpu"}
    values = {
        "task": "classify",
        "out": tmp_path / "pack",
        "data": {"train": [file]},
        "model": SMALL,
        "training": training,
    }
    values["data"]["held_out"] = 0.0
    recipe = prepare_only(values).recipe
    told = Told()
    pack = read_pack(resume(recipe.folder, {}, told))
    found = pack.manifest.metrics["assessed"]
    assert found["rows"] == 60
    assert found["how"] == "3-fold cross-validation"
    assert not (recipe.folder / "folds").exists()
    assert pack.manifest.training["rows"] == 60  # the pack has learnt from all of them


@pytest.mark.parametrize("labels", ["several", "number"])
def test_several_labels_and_numbers_are_judged_like_one_label(labels, tmp_path):
    """By folds, beside simple models, which are part of the pack where they are better."""
    rows = labelled(80)
    said = {"several": {"tea": "tea,drink", "rail": "rail"}, "number": {"tea": "20.5", "rail": "310"}}[labels]
    file = written(tmp_path / "rows.tsv", [(said[label], text) for label, text in rows])
    told = Told()
    data = {"train": [file], "held_out": 0.0} | ({"label_separator": ","} if labels == "several" else {})
    training = {"steps": 3, "folds": 4, "device": "cpu", "labels": labels}
    values = {"task": "classify", "out": tmp_path / "pack", "data": data, "model": SMALL, "training": training}
    pack = read_pack(train(values, told))
    found = pack.manifest.metrics["assessed"]
    main = found["compared by"]
    assert found["how"] == "4-fold cross-validation"
    assert found[main] >= max(0.8, found["baseline: word counts"] - 0.02)
    low, high = found[f"{main}, 95 %"]
    assert low <= found[main] <= high
    assert pack.manifest.words_head
    assert "What simple methods reach" in told.tables
    right = Classifier(pack, engine_of(pack)).classify([text for _, text in labelled(60, seed=5)])
    expected = [said[label] for label, _ in labelled(60, seed=5)]
    explained = Explainer(pack).explain(labelled(60, seed=5)[0][1])
    wanted = right[0].probabilities if labels == "several" else {pack.manifest.labels[0]: right[0].value}
    assert explained.labels == pytest.approx(wanted, rel=1e-2, abs=1e-3)
    if labels == "number":
        assert (pack.folder / "scatter.svg").exists()
        assert sum(abs(float(a.said) - float(b)) < 100 for a, b in zip(right, expected, strict=True)) > 50
    else:
        assert sum(set(a.said.split(", ")) == set(b.split(",")) for a, b in zip(right, expected, strict=True)) > 50


def test_the_shipped_encoder_is_what_it_starts_from(tmp_path):
    file = written(tmp_path / "rows.tsv", labelled(40))
    told = Told()
    values = {"task": "classify", "out": tmp_path / "pack", "data": {"train": [file]}, "training": {"steps": 2}}
    values["training"]["device"] = "cpu"
    recipe = prepare_only(values, told).recipe
    assert str(recipe.start_from) == "english"
    assert recipe.licence == "CC BY-NC-SA 4.0"
    assert any("--from-scratch" in line for line in told.lines)
    assert recipe.training.time == "none"  # who says how many steps has decided
    assert recipe.training.patience > 0
    assert recipe.training.warmup <= recipe.training.steps / 10


def test_a_translator_is_looked_at_before_and_after_and_does_not_forget(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    bare = random_pack(tmp_path / "bare", "encoder-decoder", max_positions=200)
    repack(bare, tmp_path / "start", languages=("en", "hi"), licence="CC0 1.0")
    file = written(tmp_path / "pairs.tsv", [(f"the river bank {n}", f"नदी का किनारा {n}") for n in range(60)])
    told = Told()
    data = {"train": [file], "replay": 8, "held_out": 0.3}
    training = {"steps": 2, "device": "cpu", "batch_tokens": 256}
    values = {"task": "translate", "out": tmp_path / "pack", "data": data, "start_from": tmp_path / "start"}
    pack = read_pack(train(values | {"training": training}, told))
    found = pack.manifest.metrics["assessed"]
    assert {"copying", "the pack before", "this pack"} <= set(found)
    lost = found["the pack before"]["general chrf"] - found["this pack"]["general chrf"]
    assert lost <= 0.5
    assert len([*(tmp_path / "cache").glob("start-*")]) == 1  # what was tried on the way is not kept
    assert 0 <= pack.manifest.training["part of the way from the pack before"] <= 1
    assert pack.manifest.licence == "CC0 1.0"
    assert json.loads((pack.folder / "pack.json").read_text("utf-8"))["metrics"]["assessed"] == found
