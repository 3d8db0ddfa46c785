"""Other ways to go on behind the first words of a translation."""

import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, NEVER_WRITTEN, START
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.torch import TorchEngine
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.model.generation.settings import GenerationSettings
from dhyan.translation.continuations import next_word
from dhyan.translation.translated import Alternative
from dhyan.translation.translator import Translator
from support.packs import random_pack

GREEDY = GenerationSettings(beam=1)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return random_pack(tmp_path_factory.mktemp("pack") / "to-hindi", "encoder-decoder")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("length", [0, 3])
def test_the_next_token_is_each_of_the_most_probable_in_both_engines(pack, length):
    source = pack.source_tokenizer.encode("the river bank flows")
    prefix = pack.target_tokenizer.encode("नदी का घर")[:length]
    logits = NumpyTransformer(pack.manifest.architecture, pack.weights).trace([*source, END], [START, *prefix])[
        "dec.out.logits"
    ][-1]
    best = [int(number) for number in logits.argsort()[::-1] if number not in NEVER_WRITTEN][:4]
    for engine in (CTranslate2Engine(pack, "float32", threads=1), TorchEngine(pack, "cpu")):
        found = engine.continuations(source, prefix, GREEDY, 4)
        assert [row[:length] for row in found] == [prefix] * 4
        assert [row[length] if len(row) > length else END for row in found] == best


def test_what_follows_the_choice_is_searched_for(pack):
    source = pack.source_tokenizer.encode("the river bank flows")
    light, heavy = CTranslate2Engine(pack, "float32", threads=1), TorchEngine(pack, "cpu")
    with torch.inference_mode():
        (alone,) = heavy.translate([source], GREEDY)
    assert light.continuations(source, [], GREEDY, 1) == [alone[0].ids]
    assert light.continuations(source, alone[0].ids[:2], GREEDY, 1) == [alone[0].ids]


class Said:
    """In place of the model: these continuations, whatever is asked."""

    def __init__(self, *texts):
        self.texts = texts
        self.asked = []

    def __call__(self, sentence, prefix, count):
        self.asked.append((sentence, prefix))
        return [Alternative(text, -0.1 * number) for number, text in enumerate(self.texts, start=1)]


@pytest.fixture
def translator(pack):
    return Translator(pack, CTranslate2Engine(pack, "float32", threads=1))


def test_a_word_is_chosen_and_the_rest_follows(translator, monkeypatch):
    said = Said("नदी तट पर", "नदी किनारे", "नदियों पर", "पर्वत", "नदी तट पर", "नदी के पास")
    monkeypatch.setattr(translator.sentence_translator, "continuations", said, raising=True)
    found = translator.continuations("the river bank", "नदी ", count=3)
    assert [(one.word, one.text, one.score) for one in found] == [
        ("तट", "नदी तट पर", -0.1),
        ("किनारे", "नदी किनारे", -0.2),
        ("के", "नदी के पास", pytest.approx(-0.6)),
    ]
    assert set(said.asked) == {("the river bank", "नदी")}


def test_what_is_kept_is_kept_in_every_choice(translator, monkeypatch):
    monkeypatch.setattr(translator.sentence_translator, "continuations", Said("देखें 3", "4 देखें", "3 घर"))
    found = translator.continuations("see 3 houses", count=3)
    assert found
    assert all("3" in one.text for one in found)


def test_nothing_is_offered_for_what_is_not_one_sentence_of_words(translator, monkeypatch):
    monkeypatch.setattr(translator.sentence_translator, "continuations", Said("एक", "दो"))
    assert translator.continuations("123") == ()
    assert translator.continuations("the river. The bank.", "नदी") == ()
    with pytest.raises(DhyanError, match="give a number from 1 to 32"):
        translator.continuations("the river", count=0)


@pytest.mark.parametrize(
    ("text", "prefix", "word"),
    [
        ("नदी के तट", "", "नदी"),
        ("नदी के तट", "नदी", "के"),
        ("नदियों के तट", "नदि", ""),
        ("नदी-तट", "नदी", ""),
        ("घर", "नदी", ""),
        ("नदी", "नदी", ""),
    ],
)
def test_the_word_behind_a_prefix(text, prefix, word):
    assert next_word(text, prefix) == word
