"""Whatever the translator does, what was promised is kept."""

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dhyan.translation import Glossary, TextPipeline
from dhyan.translation.placeholders import placeholder_words
from support.translators import HOSTILE, Dictionary, identity, spoilt

TERMS = {"river bank": "नदी का किनारा", "New Delhi": "नई दिल्ली", "Dhyan": None}
# Each text with the fragments that must come out unchanged and exactly as often as they went in.
TEXTS = [
    (
        "Visit https://example.org/a?b=1 and https://example.org/c now.",
        ["https://example.org/a?b=1", "https://example.org/c"],
    ),
    ("write to a.b@example.org and c@example.org", ["a.b@example.org", "c@example.org"]),
    ("use `open()` and `close()` now", ["`open()`", "`close()`"]),
    ("hello {name}, {0} and {{x}} and ${y} and %s", ["{name}", "{0}", "{{x}}", "${y}", "%s"]),
    ("%(count)d apples and %d pears", ["%(count)d", "%d"]),
    ("<p>hello <b>good</b> world</p>", ["<p>", "<b>", "</b>", "</p>"]),
    ("hello &amp; bye&nbsp;now", ["&amp;", "&nbsp;"]),
    ("hello @user and #tag at /etc/hosts", ["@user", "#tag", "/etc/hosts"]),
    ("hello 😀 world 😀 and 👨‍👩‍👧 now", ["😀", "👨‍👩‍👧"]),
    ("hello\u200f world \x07 now", ["\u200f", "\x07"]),
    ("the **good** world", ["**"]),
    ("visit [the bank](https://example.org) now", ["[", "](https://example.org)"]),
    ("the river bank and New Delhi and Dhyan", ["नदी का किनारा", "नई दिल्ली", "Dhyan"]),
    ("THE RIVER BANK IS OPEN AT {x}", ["नदी का किनारा", "{x}"]),
    (" ".join(f"hello {{n{number}}}" for number in range(30)), [f"{{n{number}}}" for number in range(30)]),
    ("I have 47 apples, 83 pears and {x}", ["{x}"]),
]
NUMBERS = [
    "I have 5 apples and 12 pears.",
    "price 12,345.67 at 3:45 and 25% for ₹500",
    "open 12/05/2024 and 2024-05-12",
    "the -5 and 1.5 and 10,20,30",
    "train 5kg B2B 3rd COVID-19",
    "hello 47 and 83 and https://example.org/47",
    "yes 1 1 1 2 2 2",
]
LAYOUTS = [
    "# Hello\n\n- good\n  - morning\n\n1. world\n\n> bye\n",
    "hello\r\n\r\nworld\r\n",
    "  hello  \n\tworld\t\n",
    "hello\n```py\nhello 5 {x}\n```\nworld",
]


def pipeline_with(raw):
    return TextPipeline(raw, target_script="Devanagari", glossary=Glossary(TERMS))


def digits(text):
    """Every run of digits, in the digits 0 to 9."""
    plain = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    return Counter(re.findall(r"\d+", plain))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(("text", "fragments"), TEXTS, ids=lambda value: ascii(value)[:40])
def test_stretches_come_through(name, text, fragments):
    result = pipeline_with(HOSTILE[name]).translate([text])[0].text
    for stretch in fragments:
        expected = max(1, text.count(stretch))
        assert result.count(stretch) == expected, result


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("text", NUMBERS)
def test_digits_come_through(name, text):
    result = pipeline_with(HOSTILE[name]).translate([text])[0].text
    assert digits(result) == digits(text), result


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("text", LAYOUTS, ids=ascii)
def test_layout_comes_through(name, text):
    def skeleton(whole):
        return [(re.match(r"[\s>#*.\d-]*", line)[0], re.search(r"\s*\Z", line)[0]) for line in whole.splitlines(True)]

    result = pipeline_with(HOSTILE[name]).translate([text])[0].text
    assert skeleton(result) == skeleton(text), result
    assert ("hello 5 {x}" in result) is ("hello 5 {x}" in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_batch_makes_no_difference(name):
    texts = [text for text, _ in TEXTS] + NUMBERS + LAYOUTS
    together = pipeline_with(HOSTILE[name]).translate(texts)
    assert together == [pipeline_with(HOSTILE[name]).translate([text])[0] for text in texts]


def test_tags_keep_their_order():
    result = pipeline_with(HOSTILE["reverses the words"]).translate(["the <b>good <i>new</i></b> world"])[0].text
    assert re.findall("<.*?>", result) == ["<b>", "<i>", "</i>", "</b>"]


def test_word_order_is_the_models_where_it_may_be():
    result = pipeline_with(HOSTILE["reverses the words"]).translate(["visit https://example.org now"])[0]
    assert result.text == "अब https://example.org देखें"
    assert result.notes == ()


def test_a_word_glued_to_an_address_is_set_apart():
    raw = spoilt(lambda text: re.sub(r"\s*(\d+)\s*", r"\1", text))
    assert pipeline_with(raw).translate(["visit https://example.org now"])[0].text == "देखें https://example.org अब"


def test_capitals_are_the_second_choice():
    asked = []

    def raw(texts, strict):
        asked.append((list(texts), strict))
        return [re.sub(r"\d+", "", text) for text in Dictionary()(texts, strict)]

    result = pipeline_with(raw).translate(["visit {x} now"])[0]
    assert asked == [(["visit X1 now"], False), (["visit QX now"], False)]
    assert result.text == "देखें {x} अब"
    assert result.notes == ()


def test_stand_ins_are_absent_from_the_sentence():
    dictionary = Dictionary()
    pipeline_with(dictionary).translate(["visit {x} and {y} at x१ now 290"])
    assert dictionary.batches == [(["visit X2 and X3 at x१ now 290"], False)]


def test_a_number_stands_for_a_number_and_a_name_for_the_rest():
    asked = []

    def raw(texts, strict):
        asked.extend(texts)
        return [re.sub(r"\b5\b", "6", text) for text in texts]

    result = pipeline_with(raw).translate(["write to me@x.example at 5 now"])[0]
    assert asked == ["write to X1 at 5 now", "write to X1 at 47 now"]
    assert result.text == "write to me@x.example at 5 now"


def test_a_pack_that_was_trained_to_copy_placeholders_gets_them():
    dictionary = Dictionary()
    words = placeholder_words(tuple("ⒶⒷⒸⒹ"))
    pipeline = TextPipeline(dictionary, target_script="Devanagari", placeholders=words)
    results = pipeline.translate(["visit {x} and {y} now", "Ⓐ is {x}", "visit {a} {b} {c} {d} {e}"])
    assert dictionary.batches[0][0] == ["visit Ⓐ and Ⓑ now", "Ⓐ is Ⓑ"]
    assert [result.text for result in results] == ["देखें {x} और {y} अब", "Ⓐ है {x}", "देखें {a} {b} {c} {d} {e}"]


def test_a_full_stop_that_the_model_adds_to_a_part_is_dropped():
    for mark in ("।", ","):
        raw = spoilt(lambda text, mark=mark: re.sub(r"\d+|[A-Z]{2}", "", text) + mark)
        assert pipeline_with(raw).translate(["visit {x} now"])[0].text == "देखें {x} अब"


def test_a_blank_that_the_model_puts_after_a_bracket_is_dropped():
    raw = spoilt(lambda text: text.replace("(", "( "))
    found = pipeline_with(raw).translate(["visit (now) it", "visit ( now ) it"])
    assert ["( " in one.text for one in found] == [False, True]


def test_numbers_are_hidden_only_when_the_model_spoils_them():
    dictionary = Dictionary()
    pipeline_with(dictionary).translate(["I have 5 apples"])
    assert dictionary.batches == [(["I have 5 apples"], False)]
    asked = []

    def raw(texts, strict):
        asked.extend(texts)
        return [text.replace("12,345", "12345000") for text in Dictionary()(texts, strict)]

    result = pipeline_with(raw).translate(["price 12,345 now"])[0]
    assert asked == ["price 12,345 now", "price 47 now"]
    assert result.text == "दाम 12,345 अब"


def test_grouping_and_the_script_of_digits_are_the_models():
    raw = spoilt(lambda text: text.replace("1,234,567", "१२,३४,५६७"))
    result = pipeline_with(raw).translate(["price 1,234,567 now"])[0]
    assert (result.text, result.notes) == ("दाम १२,३४,५६७ अब", ())


def test_digits_for_a_word_are_allowed_and_noted():
    raw = spoilt(lambda text: text.replace("million", "10 लाख"))
    result = pipeline_with(raw).translate(["a million apples"])[0]
    assert result.text == "a 10 लाख सेब"
    assert result.notes == ("the translation has digits that the source has not",)


def test_nothing_from_the_model_leaves_the_source():
    result = pipeline_with(HOSTILE["says nothing"]).translate(["Hello world. BYE NOW {x}"])[0]
    assert result.text == "Hello world. BYE NOW {x}"
    assert "the model gave nothing for a sentence, which is left as it was" in result.notes


def test_every_sentence_has_its_own_result():
    found = TextPipeline(Dictionary(), target_script="Devanagari").translate(["# Hello world. नमस्ते।\n\n- Bye 42"])[0]
    assert found.source == "# Hello world. नमस्ते।\n\n- Bye 42"
    assert [(one.source, one.text) for one in found.sentences] == [
        ("Hello world.", "नमस्ते दुनिया।"),
        ("नमस्ते।", "नमस्ते।"),
        ("Bye 42", "विदा 42"),
    ]
    assert [bool(one.notes) for one in found.sentences] == [False, True, False]
    assert found.confidence == min(one.confidence for one in found.sentences)


def test_nothing_from_the_model_is_trusted_least():
    found = pipeline_with(HOSTILE["says nothing"]).translate(["Hello world. 42"])[0]
    assert found.confidence == 0.0


def test_one_sentence_in_two_contexts_is_two():
    dictionary = Dictionary()
    found = TextPipeline(dictionary).translate(["Open", "Open"], style="ui", contexts=["menu", None])
    assert [one.text for one in found] == ["खुला", "खुला"]
    assert dictionary.batches == [(["Open"], False)]  # as long as it is the same for the model


def test_a_second_try_is_strict_after_a_loop_or_nothing():
    asked = []

    def raw(texts, strict):
        asked.append((list(texts), strict))
        return ["ठीक है" if strict else {"ok": "ok " * 20}.get(text, "") for text in texts]

    results = pipeline_with(raw).translate(["ok", "yes"])
    assert asked == [(["ok", "yes"], False), (["ok", "yes"], True)]
    assert [(result.text, result.notes) for result in results] == [("ठीक है", ())] * 2


@pytest.mark.parametrize("text", ["ok", "salad", "Hello world.", "hello {x}", "I have 5 apples"])
@pytest.mark.parametrize("name", ["loops", "says ok"])
def test_no_loop_comes_out(name, text):
    result = pipeline_with(HOSTILE[name]).translate([text])[0]
    words = re.findall(r"[^\W\d]+", result.text)
    assert all(count <= 2 for count in Counter(words).values()), result
    assert result.notes


def test_an_absurd_length_is_noted():
    raw = spoilt(lambda text: " ".join(f"शब्द{'कखगघचछजझटठ'[n % 10]}{'तथदधनपफबभम'[n // 10]}" for n in range(60)))
    assert pipeline_with(raw).translate(["ok"])[0].notes == ("a translation is much longer than its source",)


PIECES = (
    "Hello¦WORLD¦ ¦  ¦\n¦\r\n¦\t¦. ¦! ¦।¦- ¦1. ¦# ¦> ¦```¦`x y`¦{x}¦https://a.example/b¦<b>¦</b>¦<br>¦&amp;¦%s¦5¦3.14¦"
    "12,345¦😀¦👩\u200d🚀¦\u200f¦\x00¦\x1f¦e\u0301¦क्ष¦क्\u200dष¦ok ok ok¦@me¦#tag¦a_b¦**¦|¦ | ¦[a](b)¦QX¦47¦ÉCOLE¦İ¦ß"
)
ARBITRARY = st.lists(st.sampled_from(PIECES.split("¦")) | st.text(max_size=8), max_size=14).map("".join)


@given(ARBITRARY, st.booleans(), st.sampled_from([None, "Devanagari"]))
def test_a_copying_translator_gives_the_text_back(text, has_case, script):
    pipeline = TextPipeline(identity, target_script=script, target_has_case=has_case)
    assert pipeline.translate([text])[0].text == text


@given(ARBITRARY, st.sampled_from(sorted(HOSTILE)))
@example("@mehttps://a.example/b", "drops what is not a letter")
def test_lines_and_numbers_survive_anything(text, name):
    result = pipeline_with(HOSTILE[name]).translate([text])[0].text
    breaks = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
    assert breaks.findall(result) == breaks.findall(text)
    assert not digits(text) - digits(result)
    for stretch in ("https://a.example/b", "{x}", "😀", "<br>"):
        assert result.count(stretch) == text.count(stretch)
