"""Which language is it? Never a wrong answer about English, the right one for whole sentences, unknown for a name."""

import tomllib
from pathlib import Path

import pytest

import dhyan
from dhyan import DhyanError
from dhyan.text import language_id
from dhyan.text.language_id import UNKNOWN, detect, detect_language, language_name
from support.patterns import read_rows

TEXTS = tomllib.loads(Path(__file__).with_name("made_up_texts.toml").read_text(encoding="utf-8"))
EVERYDAY = read_rows(Path(__file__).parents[2] / "shipped" / "everyday.tsv")


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, row in TEXTS.items() for text in row["texts"]])
def test_it_is_told(code, text):
    found = detect_language(text)
    assert (found.language, found.name) == (code, language_name(code))
    assert 0.5 <= found.confidence <= 1
    assert found.script is not None


@pytest.mark.parametrize("change", [str, str.upper, str.lower, str.title], ids=["as is", "upper", "lower", "title"])
def test_everyday_english_is_taken_for_no_other_language(change):
    found = [detect_language(change(row.english)).language for row in EVERYDAY]
    assert set(found) <= {"en", UNKNOWN}
    assert found.count(UNKNOWN) <= len(found) / 20


def test_everyday_hindi_is_hindi():
    texts = [row.pattern.split(" / ")[0] for row in EVERYDAY]
    assert {detect_language(text).language for text in texts} == {"hi"}


@pytest.mark.parametrize(
    "text",
    ["", " ", "42", "?!", "😀", "Los Angeles", "San Francisco", "Narendra Modi", "namaste", "Rio de Janeiro", "π"],
)
def test_what_tells_nothing_is_unknown(text):
    found = detect_language(text)
    assert (found.language, found.name, found.confidence, found.is_known) == (UNKNOWN, "unknown", 0.0, False)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("chup raho", "hi-Latn"),
        ("chai piyoge", "hi-Latn"),
        ("khidki khol do", "hi-Latn"),
        ("pad to a", UNKNOWN),
        ("हामी भोलि जान्छौं", "ne"),
        ("नेपाल सरकारले नयाँ नीति ल्यायो", "ne"),
        ("महाराष्ट्र शासनाने नवीन निर्णय घेतला", "mr"),
        ("विद्या ददाति विनयम्", "sa"),
    ],
)
def test_short_texts(text, code):
    assert detect_language(text).language == code


def test_what_only_its_script_makes_hindi_is_not_sure():
    assert detect_language("धर्मक्षेत्रे कुरुक्षेत्रे समवेता युयुत्सवः").confidence <= 0.5
    assert detect_language("मैं घर जा रहा हूँ").confidence > 0.9


def test_half_a_text_in_another_script_is_unknown():
    assert detect_language("NASA and ISRO और इसरो मिले और काम किया").language in ("hi", UNKNOWN)
    assert detect_language("hello there Москва и Петербург").language == UNKNOWN


def test_one_or_many():
    assert detect("Hello there").language == "en"
    assert [found.language for found in detect(["Hello there", "Guten Morgen"])] == ["en", "de"]
    assert dhyan.detect is detect


@pytest.mark.parametrize("texts", [None, 5, [None], ["a", 5]])
def test_what_is_no_text_is_told(texts):
    with pytest.raises(DhyanError, match="texts are str"):
        detect(texts)


def test_a_long_text_costs_no_more_than_its_beginning():
    words = detect_language("le chat est sur la table et il dort " * 10_000)
    assert words.language == "fr"


def test_the_tables_are_small_and_name_what_they_know():
    folder = Path(language_id.__file__).parent
    files = [folder / "language_words.toml", folder / "language_profiles.tsv"]
    assert sum(file.stat().st_size for file in files) <= 300_000
    codes = [line.split("\t")[0] for line in files[1].read_text(encoding="utf-8").splitlines()]
    assert len(set(codes)) == len(codes) >= 25
    assert all(language_name(code) != "unknown" for code in codes)
