"""Glossaries: which words are found, and what is said about a faulty file."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.translation import Glossary


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
        ({"bank": "B"}, "banks embank bank-note", "banks embank [B]-note"),
        ({"bank": "B", "river bank": "R"}, "the river bank, a bank", "the [R], a [B]"),
        ({"New": "N", "New Delhi": "D", "New Delhi Zoo": "Z"}, "New New Delhi Zoos", "[N] [D] Zoos"),
        ({"river bank": "R"}, "river \u00a0 bank", "[R]"),
        ({"Dhyan": None}, "Dhyan is DHYAN", "[Dhyan] is [DHYAN]"),
        ({"ok": "ok"}, "OK", "[OK]"),
        ({"C++": "सी++", ".NET": None}, "C++ and .NET", "[सी++] and [.NET]"),
        ({"नदी": "river"}, "नदी नदीयाँ नदियाँ", "[river] नदीयाँ नदियाँ"),
        ({"café": "कैफ़े"}, "café cafe\u0301", "[कैफ़े] [कैफ़े]"),
        ({"水": "water"}, "喝水吧", "喝[water]吧"),
        ({}, "bank", "bank"),
        ({"bank": "B"}, "", ""),
    ],
)
def test_which_words_are_found(terms, text, expected):
    assert applied(terms, text) == expected


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
