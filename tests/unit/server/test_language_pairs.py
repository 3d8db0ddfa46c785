"""Languages of the served packs: found by any code that means them, told of texts, never made up."""

import pytest

from dhyan.pack.pack import BUILT_IN
from dhyan.server.language_pairs import LanguagePairs, OtherLanguage, ServedLanguage, shown_name
from dhyan.server.served_packs import ServedPacks


@pytest.fixture(scope="module")
def pairs():
    return LanguagePairs(ServedPacks({name: BUILT_IN / name for name in ("english", "en-hi", "hi-en")}))


@pytest.fixture(scope="module")
def one_way():
    return LanguagePairs(ServedPacks({"back": BUILT_IN / "hi-en"}))


def test_pairs_and_codes(pairs, one_way):
    assert pairs.packs() == {("en", "hi"): "en-hi", ("hi", "en"): "hi-en"}
    assert (pairs.codes(), pairs.targets("en"), one_way.targets("en")) == (["en", "hi"], ["hi"], [])
    assert one_way.sources() == ["hi"]


@pytest.mark.parametrize("code", ["hi", "HI", "hin", "hi-IN", "hi_in", "hin-IN", " hi "])
def test_codes_that_mean_the_same(pairs, code):
    assert pairs.find(code) == "hi"


@pytest.mark.parametrize("code", ["", "zz", "h", "hi-Latn", "hi-", "auto", "hindi", "en|hi", "е" * 10_000])
def test_codes_that_do_not(pairs, code):
    assert pairs.find(code) is None


def test_hindi_in_latin_letters_is_read_and_not_written(pairs):
    assert pairs.find_source("hi-Latn") == "hi"
    assert pairs.detect("aap kaise hain").code == "hi"


@pytest.mark.parametrize("text", ["", "👍", "Bonjour tout le monde, comment allez-vous ?", "Привет, как дела"])
def test_only_what_is_served_is_told(pairs, text):
    assert pairs.detect(text) == ServedLanguage("en", 0.0)


def test_texts_that_come_together(pairs):
    options = ["The weather is very nice today.", "Namaste", "42"]
    assert {one.code for one in pairs.detect_each(options)} == {"en"}
    assert len(set(pairs.detect_each(options))) == 1
    mixed = pairs.detect_each(["The weather is very nice today.", "मौसम अच्छा है।"])
    assert [one.code for one in mixed] == ["en", "hi"]


def test_another_language_is_named(pairs):
    with pytest.raises(OtherLanguage) as error:
        pairs.detect_each(["Bonjour tout le monde, comment allez-vous ?"])
    assert error.value.code == "fr"


def test_names():
    assert [shown_name(code) for code in ("en", "hi", "xx")] == ["English", "Hindi", "xx"]
