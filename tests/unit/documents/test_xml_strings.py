"""XML as strings: elements stay, what holds words is a text."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import TAG
from dhyan.documents.xml_strings import XmlStrings


def shouted(document, **options):
    strings = XmlStrings([document], **options)
    known = {text: "".join(_upper(part) for part in _parts(text)) for text in strings.texts(0)}
    return strings.texts(0), strings.written(0, known)


def _parts(text):
    at = 0
    for tag in TAG.finditer(text):
        yield text[at : tag.start()]
        yield tag[0]
        at = tag.end()
    yield text[at:]


def _upper(part):
    return part if part.startswith("<") else part.upper()


@pytest.mark.parametrize(
    ("document", "written", "count"),
    [
        ("good day", "GOOD DAY", 1),
        ('press <x id="1"/> to save', 'PRESS <x id="1"/> TO SAVE', 1),
        ("<a>one</a>\n <b><c>two</c></b>", "<a>ONE</a>\n <b><c>TWO</c></b>", 2),
        ("  tea &amp; milk &lt; 3 ", "  TEA &amp; MILK &lt; 3 ", 1),
        ("<p>one <i>fine</i> day</p><p>two</p>", "<p>ONE <i>FINE</i> DAY</p><p>TWO</p>", 2),
        ('<?xml version="1.0"?><a k="v">one</a>', '<?xml version="1.0"?><a k="v">ONE</a>', 1),
        ("<a><!-- one --><![CDATA[two]]></a>", "<a><!-- one --><![CDATA[two]]></a>", 0),
        ("12 <b/> 34", "12 <b/> 34", 0),
        ("", "", 0),
    ],
)
def test_texts_are_found_and_all_else_stays(document, written, count):
    texts, found = shouted(document)
    assert found == written
    assert len(texts) == count


def test_what_is_kept_stays_and_what_splits_ends_a_text():
    document = 'press <x id="1">Save</x> now<sep>then</sep>rest'
    texts, found = shouted(document, kept=["x"])
    assert found == 'PRESS <x id="1">Save</x> NOW<sep>THEN</sep>REST'
    assert len(texts) == 1
    texts, found = shouted(document, kept=["x"], splitting=["sep"])
    assert found == 'PRESS <x id="1">Save</x> NOW<sep>THEN</sep>REST'
    assert len(texts) == 3
    assert shouted("<x>one</x><y>two</y>", kept=["x"]) == (["two"], "<x>one</x><y>TWO</y>")


@pytest.mark.parametrize(
    "document",
    [
        "<a>one",
        "one</a>",
        "one</r><r>two",
        "a & b",
        "<a b=c>one</a>",
        "<!DOCTYPE a><a>one</a>",
        "<a>" * 101 + "</a>" * 101,
    ],
)
def test_what_is_no_xml_is_refused_in_words(document):
    with pytest.raises(DhyanError, match="The XML"):
        XmlStrings([document])


def test_deep_and_long_documents_take_no_long_time():
    deep = "<a>" * 90 + "one" + "</a>" * 90
    long = "<a><b>one</b></a>" * 2_000
    assert shouted(deep)[1] == deep.replace("one", "ONE")
    assert shouted(long)[1] == long.replace("one", "ONE")
