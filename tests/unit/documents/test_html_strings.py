"""HTML as strings: tags stay, texts of many documents are known at once."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.html_strings import HtmlStrings
from dhyan.documents.options import DocumentOptions

POST = (
    '<p><span class="h-card"><a href="https://a.example/@b?x=1&amp;y=2" class="u-url mention">@<span>b</span></a>'
    "</span> good <b>morning</b></p><p>Bye<br>now &lt;3</p>"
)


def shouted(strings, document):
    return {text: upper_outside_tags(text) for text in strings.texts(document)}


def upper_outside_tags(text):
    inside = False
    out = []
    for character in text:
        inside = character == "<" or (inside and character != ">")
        out.append(character if inside or character == ";" else character.upper())
    return "".join(out).replace("&LT;", "&lt;")


def test_tags_entities_and_layout_stay():
    strings = HtmlStrings([POST])
    found = strings.written(0, shouted(strings, 0))
    for word in ("good", "morning", "Bye", "now"):
        assert word.upper() in found
    assert found.lower() == POST.lower()
    assert "@<span>b</span>" in found


def test_many_documents_are_read_and_written_one_by_one():
    strings = HtmlStrings(["<p>one</p>", "", "👍", "<p>two</p>\r\n", "three"])
    assert [strings.texts(at) for at in range(5)] == [["one"], [], [], ["two"], ["three"]]
    known = {"one": "1", "two": "2", "three": "3"}
    assert [strings.written(at, known) for at in range(5)] == ["<p>1</p>", "", "👍", "<p>2</p>\r\n", "3"]


def test_words_are_without_tags():
    assert HtmlStrings(["<p>good <i>old</i> <code>x = 1</code> days</p>"]).words(0).split() == ["good", "old", "days"]


def test_a_translation_that_lost_a_tag_is_not_used():
    strings = HtmlStrings(["<p>good <b>old</b> days</p>"])
    (text,) = strings.texts(0)
    assert strings.written(0, {text: "good old days"}) == "<p>good <b>old</b> days</p>"


def test_the_mark_of_the_language_follows():
    strings = HtmlStrings(['<p lang="en">one</p>'], DocumentOptions(source_language="en", target_language="hi"))
    assert strings.written(0, {"one": "एक"}) == '<p lang="hi">एक</p>'


def test_a_zero_byte_is_refused_in_words():
    with pytest.raises(DhyanError, match="zero byte"):
        HtmlStrings(["<p>a\0b</p>"])


def test_elements_that_are_to_be_left_alone():
    strings = HtmlStrings(["<p>press <X-key>Save <b>now</b></X-key> twice</p><m>two</m>"], kept=["x-key", "m"])
    (text,) = strings.texts(0)
    assert "Save" not in text
    assert strings.written(0, {text: text.replace("press", "push")}) == (
        "<p>push <X-key>Save <b>now</b></X-key> twice</p><m>two</m>"
    )
