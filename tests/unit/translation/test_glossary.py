"""Glossaries: which words are found, and what is said about a faulty file."""

import re

import pytest

from dhyan.core.errors import DhyanError
from dhyan.translation import Glossary, TextPipeline


def applied(terms, text):
    for span in reversed(Glossary(terms).spans(text)):
        text = text[: span.start] + f"[{span.replacement}]" + text[span.end :]
    return text


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ({"bank": "B"}, "Bank, BANK and bank", "[B], [B] and [B]"),
        ({"Apple": "A"}, "Apple, APPLE and apple", "[A], [A] and apple"),
        ({"US": "U"}, "US and us", "[U] and us"),
        ({"apple": "x", "Apple": "A"}, "Apple and apple", "[A] and [x]"),
        ({"bank": "B"}, "banks embank bank-note", "[B] embank [B]-note"),
        ({"bank": "B", "river bank": "R"}, "the river bank, a bank", "the [R], a [B]"),
        ({"New": "N", "New Delhi": "D", "New Delhi Zoo": "Z"}, "New New Delhi Zoos", "[N] [Z]"),
        ({"river bank": "R"}, "river \u00a0 bank", "[R]"),
        ({"Dhyan": None}, "Dhyan is DHYAN", "[Dhyan] is [DHYAN]"),
        ({"ok": "ok"}, "OK", "[OK]"),
        ({"C++": "सी++", ".NET": None}, "C++ and .NET", "[सी++] and [.NET]"),
        ({"नदी": "river"}, "नदी नदीया नदियाँ", "[river] नदीया [rivers]"),
        ({"café": "कैफ़े"}, "café cafe\u0301", "[कैफ़े] [कैफ़े]"),
        ({"水": "water"}, "喝水吧", "喝[water]吧"),
        ({}, "bank", "bank"),
        ({"bank": "B"}, "", ""),
    ],
)
def test_which_words_are_found(terms, text, expected):
    assert applied(terms, text) == expected


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ({"study": "S", "box": "B"}, "Studies in boxes", "[S] in [B]"),
        ({"day": "D", "knife": "K", "child": "C"}, "days, knives, children's", "[D], [K], [C]'s"),
        ({"order": "O"}, "the order's end, all orders' ends", "the [O]'s end, all [O]' ends"),
        ({"river bank": "R", "point of sale": "P"}, "river banks, points of sale", "[R], [P]"),
        ({"order": "O", "orders": "OO"}, "order, orders", "[O], [OO]"),
        ({"PC": "P", "US": "U"}, "PCs and USES", "[P] and USES"),
        ({"new": "N", "good": "G", "custom": "C", "a": "A"}, "news, goods, customs as", "news, goods, customs as"),
        ({"Dhyan": None}, "two Dhyans", "two [Dhyans]"),
        ({"लड़का": "boy", "लड़की": "girl"}, "लड़का लड़के लड़कों लड़की लड़कियाँ", "[boy] [boy] [boys] [girl] [girls]"),
        ({"शहर": "city", "भाषा": "language"}, "शहरों की भाषाएँ, भाषाओं में", "[cities] की [languages], [languages] में"),
        ({"काला बाज़ार": "black market"}, "काले बाज़ार में", "[black market] में"),
        ({"घोड़ा": "horse"}, "घो\u095cा और घो\u095cे", "[horse] और [horse]"),
    ],
)
def test_nouns_are_found_in_their_other_forms(terms, text, expected):
    assert applied(terms, text) == expected


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ({"order": "O"}, "In order to order it", "In order to [O] it"),
        ({"order": "O"}, "orders of magnitude more orders", "orders of magnitude more [O]"),
        ({"order": "O", "order of magnitude": "M"}, "an order of magnitude", "an [M]"),
        ({"book": "B"}, "Book a room, read a book", "Book a room, read a [B]"),
        ({"case": "C"}, "In that case the case is lost", "In that case the [C] is lost"),
        ({"hand": "H"}, "on the other   hand, a hand", "on the other   hand, a [H]"),
        ({"book": "B"}, "within order books", "within order [B]"),
    ],
)
def test_fixed_phrases_are_left_alone(terms, text, expected):
    assert applied(terms, text) == expected


def test_verb_forms_are_found_and_left_alone():
    found = Glossary({"order": "O", "stop": "S", "save": "V"}).find("ordered stopping saved order")
    assert [(one.term, bool(one.left_alone)) for one in found] == [
        ("order", True),
        ("stop", True),
        ("save", True),
        ("order", False),
    ]


def test_phrases_of_the_users_own(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text("court\tन्यायालय\n! court shoe|shoes\n!x\tवाई\n", encoding="utf-8")
    glossary = Glossary.read(path)
    text = "Court shoes in court !x"
    assert [text[one.start : one.end] for one in glossary.spans(text)] == ["court", "!x"]


def say_verbatim(sentences, strict):
    """A model that knows a few sentences, and copies the others."""
    known = {"She ordered tea.": "उसने चाय ऑर्डर की।", "She ordered milk.": "उसने दूध मँगवाया।"}
    known["It is out of order."] = "यह आउट ऑफ़ ऑर्डर है।"
    return [known.get(sentence, sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Two orders. An order by Acme!", ["glossary: order → ऑर्डर (2), Acme kept (1)"]),
        (
            "An order, in order to see",
            ["glossary: order → ऑर्डर (1)", "glossary: 'order' is not replaced in the phrase 'in order to'"],
        ),
        ("She ordered tea.", ["glossary: order → ऑर्डर (1)"]),
        ("It is out of order.", ["glossary: 'order' is not replaced in the phrase 'out of order'"]),
        ("She ordered milk.", ["glossary: 'ordered' is left to the model: a verb form of 'order'"]),
        ("See https://acme.example/order", []),
        ("Order", ["glossary: order → ऑर्डर (1)"]),
    ],
)
def test_every_use_and_every_miss_is_noted(text, notes):
    pipeline = TextPipeline(say_verbatim, glossary=Glossary({"order": "ऑर्डर", "Acme": None}))
    assert list(pipeline.translate([text])[0].notes) == notes


@pytest.mark.parametrize(
    ("text", "model", "expected"),
    [
        ("Three parties came.", "तीन 47 ने कहा।", "तीन दलों ने कहा।"),
        ("A party came.", "एक 47 ने कहा।", "एक दल ने कहा।"),
        ("Parties came.", "47 आए।", "दल आए।"),
        ("The branches fell.", "47 में आग।", "शाखा में आग।"),  # शाखाओं or शाखों: its gender decides
    ],
)
def test_a_plural_before_a_postposition(text, model, expected):
    def say(sentences, strict):
        sent = [re.search(r"\d+|[A-Z]{2}", sentence) for sentence in sentences]
        return [model.replace("47", found[0]) if found else model for found in sent]

    pipeline = TextPipeline(say, glossary=Glossary({"party": "दल", "branch": "शाखा"}))
    assert pipeline.translate([text])[0].text == expected


def test_sentences_have_their_own_notes():
    pipeline = TextPipeline(say_verbatim, glossary=Glossary({"order": "ऑर्डर"}))
    said = pipeline.translate(["An order came. Nothing else came."])[0]
    assert [one.notes for one in said.sentences] == [("glossary: order → ऑर्डर (1)",), ()]


def test_reading(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_bytes("\ufeff# terms\r\n\r\nbank\tबैंक\r\nDhyan\r\n ok \t ok \r\nbank\tबैंक\r\n".encode())
    glossary = Glossary.read(path)
    assert [span.replacement for span in glossary.spans("bank Dhyan OK")] == ["बैंक", "Dhyan", "OK"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\tc\n", "line 1: 3 columns"),
        ("a\tb\n\tb\n", "line 2: the term is empty"),
        ("# x\na\t\n", "line 2: 'a' has an empty translation"),
        ("a\tb\na\tc\n", "line 2: 'a' has another translation"),
        ("! a b\tc\n", "line 1: write one phrase"),
    ],
)
def test_faulty_lines_are_named(tmp_path, content, message):
    path = tmp_path / "terms.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DhyanError, match=message) as error:
        Glossary.read(path)
    assert str(path) in str(error.value)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(DhyanError, match="no such file"):
        Glossary.read(tmp_path / "none.tsv")


def test_an_empty_term_is_refused():
    with pytest.raises(DhyanError, match="empty term"):
        Glossary({" ": "x"})
