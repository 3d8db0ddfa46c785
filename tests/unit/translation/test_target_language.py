"""Hindi in Latin letters is Hindi, English stays: the vocabularies of the shipped packs tell them apart."""

from pathlib import Path

import pytest

from dhyan.pack.pack import BUILT_IN
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation.pipeline import ALREADY, TextPipeline
from dhyan.translation.target_language import is_source_language
from support.patterns import read_rows

EVERYDAY = read_rows(Path(__file__).parents[2] / "shipped" / "everyday.tsv")
TYPED = [
    "aap kaise hain?",
    "khana kha liya kya",
    "kal meeting mein aana, late mat hona",
    "mujhe hindi nahi aati",
    "bahut dhanyavaad bhai",
    "WOH KAHAN JA RAHA HAI",
    "yaar phone charge nahi hai",
    "main ghar pahunch gaya hoon",
]


def vocabularies(pack):
    return [Tokenizer.load(BUILT_IN / pack / f"{side}.tokenizer.json") for side in ("source", "target")]


@pytest.fixture(scope="module")
def from_hindi():
    return vocabularies("hi-en")


@pytest.mark.parametrize("text", TYPED)
def test_hindi_in_latin_letters_is_hindi(from_hindi, text):
    assert is_source_language(text, *from_hindi)


@pytest.mark.parametrize("change", [str, str.upper, str.lower, str.title], ids=["as is", "upper", "lower", "title"])
def test_everyday_english_is_english_in_any_case(from_hindi, change):
    texts = [change(row.english) for row in EVERYDAY]
    assert [text for text in texts if is_source_language(text, *from_hindi)] == []


@pytest.mark.parametrize("text", ["", "42", "namaste", "Hi! 42", "?! … 😀", "hai, 100 %"])
def test_less_than_two_words_are_left_alone(from_hindi, text):
    assert not is_source_language(text, *from_hindi)


def test_hindi_is_never_english():
    """The pack from English: Devanagari is the target's script, and none of its texts is taken for the source."""
    english, hindi = vocabularies("en-hi")
    texts = [pattern.split(" / ")[0] for _, pattern, _ in EVERYDAY]
    assert [text for text in texts if is_source_language(text, english, hindi)] == []


def test_text_in_the_targets_script_is_translated_if_it_is_the_source_language():
    def copier(texts, constrained=False):
        return [f"<{text}>" for text in texts]

    def is_hindi(text):
        return "kaise" in text.lower()

    pipeline = TextPipeline(copier, "Latin", is_hindi, source_has_case=False, target_has_case=True)
    hindi, english = pipeline.translate(["aap kaise hain", "how are you"])
    assert "aap kaise hain" in hindi.text != "aap kaise hain"
    assert not hindi.notes
    assert (english.text, english.notes) == ("how are you", (ALREADY,))


def test_shouted_hindi_is_read_in_ordinary_case_and_a_name_among_hindi_words_stays():
    sent = []

    def copier(texts, constrained=False):
        sent.extend(texts)
        return list(texts)

    pipeline = TextPipeline(copier, "Latin", lambda text: True, source_has_case=False, target_has_case=True)
    assert [found.text for found in pipeline.translate(["AAP KAISE HO", "NASA और ISRO मिले"])] == [
        "AAP KAISE HO",
        "NASA और ISRO मिले",
    ]
    assert sent[:2] == ["Aap kaise ho", "NASA और ISRO मिले"]
