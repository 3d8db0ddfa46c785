"""A words head in a pack: written, said in pack.json, checked, and handed on or left out as is said."""

import json

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.explain.explainer import Explainer
from dhyan.interchange.export_formats import export_pack
from dhyan.pack.pack import open_pack, read_pack
from dhyan.pack.repack import LEFT_OUT, interpolate, repack
from dhyan.pack.words_head import NUMBERS, WORDS
from dhyan.vectors.classifier import Classifier
from support.packs import random_pack

TEXTS = ["The river bank, the RIVER!", "नदी का घर, the money's bank", "nothing known", "?"]
MODEL = {"positions": "rotary", "words": True}


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return random_pack(tmp_path_factory.mktemp("packs") / "worded", "encoder", **MODEL)


def logits(pack):
    return pack.words_head.logits(TEXTS)


def test_an_explanation_says_what_the_classifier_says(pack):
    classifier = Classifier(pack, NumpyEngine(pack))
    for text, found in zip(TEXTS, classifier.classify(TEXTS), strict=True):
        explanation = Explainer(pack).explain(text)
        assert explanation.labels == pytest.approx(found.probabilities, abs=1e-5)
        words, parts = pack.words_head.parts(text)
        assert explanation.model.words.words == tuple(words)
        assert np.allclose(explanation["cls.words.parts"], parts, atol=1e-6)
        assert np.allclose(explanation["cls.words"], pack.words_head.logits([text])[0], atol=1e-6)
        assert np.allclose(explanation["enc.lens.probs[-1]"], explanation["cls.probs"])
        total = np.exp(explanation["cls.logits"] + explanation["cls.words"])
        assert np.allclose(total / total.sum(), explanation["cls.probs"], atol=1e-6)


def test_a_hidden_word_does_not_count_nor_do_pairs_with_it(pack):
    explainer = Explainer(pack)
    whole, hidden = explainer.explain(TEXTS[0]), explainer.explain(TEXTS[0], hide=["river"])
    count = dict(zip(whole.model.words.words, whole["cls.words.counts"], strict=True))
    left = dict(zip(hidden.model.words.words, hidden["cls.words.counts"], strict=True))
    assert count["river"] == 2  # "RIVER!" is another word of the tokenizer, and stays
    assert (left["river"], left["the"]) == (1, count["the"])
    assert left["the river"] == count["the river"] - 1
    change = np.log(hidden["cls.probs"]) - np.log(whole["cls.probs"])
    assert np.allclose(whole["occlusion"][:, 1], change, atol=1e-5)


def test_pack_json_says_it_only_where_there_is_one(pack, tmp_path):
    plain = random_pack(tmp_path / "plain", "encoder")
    assert "words_head" not in json.loads((plain.folder / "pack.json").read_bytes())
    said = json.loads((pack.folder / "pack.json").read_bytes())
    assert (said["format"], said["words_head"]) == (2, len(pack.words_head.column))


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        (WORDS, None, "words.json is missing"),
        (NUMBERS, None, "words.safetensors is missing"),
        (WORDS, b"[" * 99_999, "has no list of words"),
        (WORDS, b'{"longest": 2, "words": ["a", "a"]}', "has a word twice"),
        (WORDS, b'{"longest": 2, "words": [1]}', "has no list of words"),
        (WORDS, b'{"longest": true, "words": ["a"]}', "how many words in a row"),
        (WORDS, b'{"longest": 2, "words": ["a"]}', "has 1 words where the description says"),
        (NUMBERS, b"\xff" * 99, "not a whole safetensors file"),
    ],
)
def test_a_broken_one_is_one_sentence(tmp_path, file, content, sentence):
    folder = random_pack(tmp_path / "worded", "encoder", **MODEL).folder
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_bytes(content)
    with pytest.raises(DhyanError, match=sentence):
        open_pack(folder)


def test_numbers_for_other_words_are_refused(tmp_path):
    one, other = (random_pack(tmp_path / name, "encoder", **MODEL) for name in ("one", "other"))
    head = other.words_head.times(1)
    some = dict(list(head.column.items())[:3])
    files = type(head)(2, some, head.idf[:3], head.weights[:3], head.bias).files()
    (one.folder / NUMBERS).write_bytes(files[NUMBERS])
    with pytest.raises(DhyanError, match="does not hold numbers for"):
        open_pack(one.folder)


def test_it_goes_along_with_packs_made_of_packs(pack, tmp_path):
    repack(pack, tmp_path / "small", storage="int8")
    assert np.array_equal(logits(read_pack(tmp_path / "small")), logits(pack))
    interpolate(pack, pack, 0.25, tmp_path / "same")
    assert np.allclose(logits(read_pack(tmp_path / "same")), logits(pack), atol=1e-6)
    plain = random_pack(tmp_path / "plain", "encoder", positions="rotary")
    interpolate(plain, pack, 0.25, tmp_path / "quarter")
    assert np.allclose(logits(read_pack(tmp_path / "quarter")), logits(pack) / 4, atol=1e-6)


def test_an_export_has_its_files_and_says_that_the_model_is_without_it(pack, tmp_path):
    export_pack(pack, tmp_path / "exported", "ctranslate2")
    assert {WORDS, NUMBERS} <= {path.name for path in (tmp_path / "exported").iterdir()}
    assert LEFT_OUT in (tmp_path / "exported" / "README.md").read_text("utf-8")
