"""Several labels per text, numbers, and pairs of texts, through everything that a classifier meets."""

import json
import random

import numpy as np
import pytest
from fastapi.testclient import TestClient

from dhyan.browser.runnable import check_answers
from dhyan.core.errors import DhyanError
from dhyan.engines.base import start_engine
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.engines.torch import TorchEngine
from dhyan.evaluation.evaluate import evaluate
from dhyan.evaluation.test_data import TestData
from dhyan.explain.explainer import Explainer
from dhyan.explain.views.terminal import View
from dhyan.pack.pack import read_pack
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.training.train import plan, train
from dhyan.vectors.classifier import Classifier
from support.commands import dhyan

pytestmark = pytest.mark.long

COLOURS = ("red", "green", "blue")
OTHERS = ("apple", "bird", "chair", "dog", "engine", "fish")
WORTH = {"one": 1.5, "two": 2.0, "five": 5.0, "nine": 9.0}
SIZES = {"d_model": 32, "heads": 2, "d_ff": 64, "encoder_layers": 1}
PACE = {"steps": 120, "batch_tokens": 512, "learning_rate": 5e-3, "dropout": 0.0, "validate_every": 60}


def shuffled(draw, *words):
    words = list(words)
    draw.shuffle(words)
    return " ".join(words)


def several_rows(count, draw):
    for _ in range(count):
        labels = [colour for colour in COLOURS if draw.random() < 0.4]
        yield labels, shuffled(draw, *labels, *draw.sample(OTHERS, 2))


def number_rows(count, draw):
    for _ in range(count):
        word = draw.choice(list(WORTH))
        yield WORTH[word] * 100 + 1000, shuffled(draw, word, *draw.sample(OTHERS, 2))


def pair_rows(count, draw):
    """The same two words lie in both texts; which one comes first tells the label."""
    for number in range(count):
        first, second = ("red", "blue") if number % 2 else ("blue", "red")
        yield "yes" if number % 2 else "no", f"{first} {draw.choice(OTHERS)}", f"{draw.choice(OTHERS)} {second}"


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def trained(folder, name, file, data=None, **training):
    values = {"data": {"train": [file], **(data or {})}, "model": SIZES, "training": PACE | training}
    values["cleaning"] = {"drop_duplicates": False}
    return train({"task": "classify", "out": folder / name, **values})


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    """Each trained once: several labels from cells and with class weights, numbers, pairs."""
    folder, draw = tmp_path_factory.mktemp("kinds"), random.Random(4)
    several = written(folder / "several.tsv", (f"{'|'.join(a)}\t{b}" for a, b in several_rows(200, draw)))
    numbers = written(folder / "numbers.tsv", (f"{a}\t{b}" for a, b in number_rows(200, draw)))
    rows = ({"label": a, "sentence1": b, "sentence2": c} for a, b, c in pair_rows(200, draw))
    pairs = written(folder / "pairs.jsonl", map(json.dumps, rows))
    return {
        "several": trained(folder, "several", several, {"label_separator": "|"}, class_weights="balanced"),
        "numbers": trained(folder, "numbers", numbers, labels="number"),
        "pairs": trained(folder, "pairs", pairs),
    }


def inputs_of(name):
    return [("red apple", "dog blue"), ("blue fish", "a red")] if name == "pairs" else ["red dog two", "five", "bird"]


def scores(pack, test):
    return evaluate(read_pack(pack), TestData([pack.parent / test]))


def test_they_are_learnt(packs):
    several = scores(packs["several"], "several.tsv")
    assert min(several["micro_f1"], several["f1"], several["exact_match"]) > 0.98
    assert several["labels"].keys() == set(COLOURS)
    numbers = scores(packs["numbers"], "numbers.tsv")
    assert numbers["r2"] > 0.98
    assert numbers["pearson"] > 0.99
    assert numbers["mae"] < 30  # of numbers from 1150 to 1900
    assert scores(packs["pairs"], "pairs.jsonl")["accuracy"] > 0.98


@pytest.mark.parametrize("name", ["several", "numbers", "pairs"])
def test_every_engine_says_the_same(packs, name):
    pack = read_pack(packs[name])
    engines = [start_engine(pack, "cpu", "float32"), TorchEngine(pack, "cpu"), NumpyEngine(pack)]
    logits = [Classifier(pack, engine).logits(inputs_of(name)) for engine in engines]
    for other in logits[1:]:
        np.testing.assert_allclose(other, logits[0], rtol=1e-4, atol=1e-3)
    traces = [Explainer(pack).explain("\t".join(one) if name == "pairs" else one) for one in inputs_of(name)]
    explained = [one["cls.logits"] + (one["cls.words"] if pack.words_head else 0) for one in traces]
    np.testing.assert_allclose(np.stack(explained), logits[0], rtol=1e-4, atol=1e-3)
    if name == "numbers":
        np.testing.assert_allclose([one["cls.number"] for one in traces], logits[0], rtol=1e-4, atol=1e-3)


def test_several_labels_are_said(packs):
    classifier = Classifier.load(packs["several"])
    both, none = classifier.classify(["red apple blue dog", "apple dog"])
    assert set(both.labels) == {"red", "blue"}
    assert both.label == both.labels[0] == next(iter(both.probabilities))
    assert sum(both.probabilities.values()) > 1.9
    assert none.labels == ()
    assert classifier(["apple dog"]) == ["–"]
    trace = classifier.explain("red apple blue dog")
    assert {name for name, probability in trace.labels.items() if probability > 0.5} == {"red", "blue"}
    assert set(trace.text.split(", ")) == {"red", "blue"}
    hidden = trace.occlusion
    assert hidden.change[hidden.target.index("red"), hidden.source.index("red")] < -1


def test_a_number_is_said_in_its_own_unit(packs):
    classifier = Classifier.load(packs["numbers"])
    found = classifier.classify("apple five dog")
    assert found.value == pytest.approx(1500, abs=60)
    assert found.probabilities == {}
    trace = classifier.explain("apple five dog")
    assert trace.labels["number"] == pytest.approx(found.value, rel=0.02)
    assert "cls.probs" not in trace.shapes()
    assert trace.occlusion.measure == "change of number"
    number = classifier.pack.manifest.number
    assert 1150 < number.mean < 1900
    assert 100 < number.spread < 500
    assert "| number | number (in training" in (packs["numbers"] / "README.md").read_text("utf-8")


def test_a_training_goes_on_from_a_number(packs, tmp_path):
    """It starts where the pack is, although the numbers of the new data are others."""
    draw = random.Random(5)
    file = written(tmp_path / "more.tsv", (f"{a + 7.5}\t{b}" for a, b in number_rows(40, draw) if a > 1200))
    values = {
        "data": {"train": [file]},
        "training": {"steps": 1, "learning_rate": 1e-9},
        "start_from": packs["numbers"],
    }
    on = train({"task": "classify", "out": tmp_path / "on", **values})
    before, after = (Classifier.load(pack, compute="float32") for pack in (packs["numbers"], on))
    assert after.classify("five bird").value == pytest.approx(before.classify("five bird").value, rel=1e-3)


def test_pairs_are_asked_with_two_texts(packs):
    classifier = Classifier.load(packs["pairs"])
    assert classifier([("red apple", "dog blue"), ("blue fish", "chair red")]) == ["yes", "no"]
    for wrong in ("red apple", ["red apple"], [("a", "b", "c")]):
        with pytest.raises(DhyanError, match="pairs of texts"):
            classifier.classify(wrong)
    with pytest.raises(DhyanError, match="reads one text at a time"):
        Classifier.load(packs["several"]).classify([("red", "blue")])


def test_files_of_pairs(packs, tmp_path):
    table = written(tmp_path / "pairs.tsv", ["red apple\tdog blue", "blue fish\tchair red"])
    asked = ("classify", "--json", "--model", packs["pairs"])
    found = dhyan(*asked, "--file", table, folder=tmp_path).stdout.splitlines()
    assert [json.loads(line)["label"] for line in found] == ["yes", "no"]
    assert json.loads(found[0])["texts"] == ["red apple", "dog blue"]
    assert json.loads(dhyan(*asked, "blue fish", "--and", "chair red", folder=tmp_path).stdout)["label"] == "no"


def test_the_server_answers(packs):
    with TestClient(create_app(ServedPacks(packs)), base_url="http://127.0.0.1") as client:

        def ask(texts, model):
            return client.post("/api/v1/classify", json={"texts": texts, "model": model})

        (several,) = ask(["red blue dog"], "several").json()
        assert set(several["labels"]) == {"red", "blue"}
        assert several.keys() == {"labels", "probabilities"}
        (number,) = ask(["five dog"], "numbers").json()
        assert number.keys() == {"value"}
        (pair,) = ask([["red apple", "dog blue"]], "pairs").json()
        assert pair["label"] == "yes"
        refused = ask(["red apple"], "pairs")
        assert refused.status_code == 400
        assert "pairs of texts" in refused.json()["error"]


def test_a_tab_refuses_pairs(packs):
    with pytest.raises(DhyanError, match="a browser's tab cannot run"):
        check_answers("pairs", read_pack(packs["pairs"]).manifest)
    for name in ("several", "numbers"):
        check_answers(name, read_pack(packs[name]).manifest)


def test_a_number_is_not_set_but_what_it_comes_from(packs):
    explainer = Explainer(read_pack(packs["numbers"]))
    with pytest.raises(DhyanError, match=r"nothing goes on from 'cls.number'.*cls.logits"):
        explainer.explain("five", set={"cls.number": 5})


def test_the_walk_of_a_pair_has_both_texts(packs, capsys):
    from dhyan.core.screen import Screen
    from dhyan.explain.views.stages import Where

    trace = Explainer(read_pack(packs["pairs"])).explain("red apple\tdog blue")
    assert [word.text for word in trace.source.words] == ["red", "apple", "<end>", "dog", "blue", "<end>"]
    assert trace.text == "yes"
    View(Screen(), False).walk(trace, Where(0, 0, 0, 0))
    assert "softmax" in capsys.readouterr().out


def test_words_of_both_texts_count(tmp_path):
    """One step teaches next to nothing, so the pack is given a words head; a table's header names the two texts."""
    draw = random.Random(6)
    rows = [(word in ("one", "two"), word, draw.choice(OTHERS)) for word in draw.choices(list(WORTH), k=240)]
    lines = [f"{b},{c},{'yes' if a else 'no'}" for a, b, c in rows]
    file = written(tmp_path / "pairs.csv", ["Premise,Hypothesis,label", *lines])
    pack = read_pack(trained(tmp_path, "words", file, steps=1, learning_rate=1e-9))
    assert pack.manifest.reads_pairs
    assert pack.words_head is not None
    classifier = Classifier.from_pack(pack, compute="float32")
    found = classifier.classify([("one", "fish"), ("dog", "five")])
    assert [one.label for one in found] == ["yes", "no"]
    assert Explainer(pack).explain("dog\tfive").labels == pytest.approx(found[1].probabilities, abs=1e-3)


# -- what is wrong, in a sentence ---------------------------------------------------------------------------------


def planned(tmp_path, lines, name="train.tsv", valid=None, data=None, **training):
    file = written(tmp_path / name, lines)
    settings = {
        "train": [file],
        **({"valid": [written(tmp_path / "valid.tsv", valid)]} if valid else {}),
        **(data or {}),
    }
    return plan({"task": "classify", "out": tmp_path / "x", "data": settings, "training": training})


NUMBERS = [f"{number + 0.5}\ttext {number}" for number in range(30)]
LISTS = [json.dumps({"label": labels, "text": f"text {n}"}) for n, labels in enumerate([["a"], ["a", "b"], []] * 4)]


def test_lists_are_several_labels_and_a_row_may_have_none(tmp_path):
    decided = planned(tmp_path, LISTS, "train.jsonl").stats
    assert (decided.decided.kind, decided.rows, dict(decided.labels)) == ("several", 12, {"a": 8, "b": 4})


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (NUMBERS, "number"),
        ([f"{number}\ttext {number}" for number in range(21)], "number"),
        ([f"{number % 5}\ttext {number}" for number in range(30)], "one"),  # stars
        ([f"{number % 5}.0\ttext {number}" for number in range(30)], "one"),  # stars, as a table of floats has them
    ],
)
def test_what_the_labels_are_is_told_by_the_data(tmp_path, lines, kind):
    found = planned(tmp_path, lines)
    assert found.stats.decided.kind == kind
    assert found.recipe.training.labels == kind
    assert planned(tmp_path, [f"{n % 3}.5\ttext {n}" for n in range(9)], labels="one").labels == ["0.5", "1.5", "2.5"]


def test_the_label_separator_makes_several_and_an_empty_cell_is_none(tmp_path):
    found = planned(tmp_path, ["a; b\tone", "\ttwo", "b;\tthree"] * 1, data={"label_separator": ";"})
    assert (found.labels, found.stats.rows) == (["a", "b"], 3)
    assert found.recipe.training.metric == "micro_f1"


@pytest.mark.parametrize(
    ("lines", "more", "said"),
    [
        ([*NUMBERS, "many\tx"], {}, "train.tsv, line 31: 'many' is not a number"),
        ([*NUMBERS, "many\tx"], {"labels": "number"}, "line 31: 'many' is not a number"),
        (NUMBERS, {"valid": ["good\tx"]}, "valid.tsv, line 1: 'good' is not a number"),
        (["1.5\ta", "1.5\tb"], {"labels": "number"}, "every row has the number 1.5"),
        (["a|b\tx", "b\ty"], {"data": {"label_separator": "|"}, "valid": ["a|c\tz"]}, "the label 'c' is not in"),
        (["a\tx", "b\ty"], {"data": {"label_separator": "|"}, "labels": "one"}, "leave one out"),
        (NUMBERS, {"metric": "accuracy"}, "not measured for labels = 'number'"),
        (NUMBERS, {"labels": "number", "class_weights": "balanced"}, "class_weights are of labels"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, lines, more, said):
    with pytest.raises(DhyanError) as caught:
        planned(tmp_path, lines, **more)
    assert said in str(caught.value)


def test_rare_labels_that_count_more_are_not_mixed_away(tmp_path):
    draw = random.Random(7)
    words = draw.choices(list(WORTH), k=240)
    file = written(tmp_path / "rare.tsv", (f"{'b' if word == 'nine' else 'a'}\t{word}" for word in words))
    pack = read_pack(trained(tmp_path, "rare", file, steps=1, class_weights="balanced"))
    assert pack.words_head is None
    assert pack.manifest.metrics["assessed"]["baseline: word counts"] == 1.0


def test_a_list_where_each_text_has_one_label(tmp_path):
    with pytest.raises(DhyanError, match="line 2: 2 labels where each text has one"):
        planned(tmp_path, LISTS, "train.jsonl", labels="one")
