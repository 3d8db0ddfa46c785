"""Word: each paragraph is one text, with styles, links, fields and notes around the right words."""

import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.documents import same
from support.zipped_files import HINDI, WORD, entries, office, part, texts_in, translated, word, word_part, words


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


BOLD, ITALIC, RAISED = "<w:b/>", "<w:i/>", '<w:vertAlign w:val="superscript"/>'
PAGE = "".join(
    f"<w:r>{one}</w:r>"
    for one in (
        '<w:fldChar w:fldCharType="begin"/>',
        '<w:instrText xml:space="preserve"> PAGE </w:instrText>',
        '<w:fldChar w:fldCharType="separate"/>',
        "<w:t>page seven</w:t>",
        '<w:fldChar w:fldCharType="end"/>',
    )
)
LINK_FIELD = PAGE.replace(" PAGE ", ' HYPERLINK "https://x.org" ').replace("page seven", "our page")


def around(name, inner, attributes=""):
    return f"<w:{name}{attributes}>{inner}</w:{name}>"


BOX = around("drawing", around("txbxContent", f"<w:p>{run('In the box.')}</w:p>"))
FOOTNOTE = '<w:r><w:footnoteReference w:id="2"/></w:r>'
DELETED = around("del", "<w:r><w:delText>was</w:delText></w:r>", ' w:id="1"')
INSERTED = around("ins", run("is"), ' w:id="2"')
COMMENT = (
    f'<w:commentRangeStart w:id="1"/>{run("good")}<w:commentRangeEnd w:id="1"/>'
    '<w:r><w:commentReference w:id="1"/></w:r>'
)
BOOKMARK = f'<w:bookmarkStart w:id="1" w:name="b"/>{run("good")}<w:bookmarkEnd w:id="1"/>'
CONTROL = around("sdt", f'<w:sdtPr><w:id w:val="4"/></w:sdtPr>{around("sdtContent", run("friend"))}')
PICTURE = '<wp:docPr id="1" name="Box 1" descr="A &quot;red&quot; box"/>'
WORD_PARAGRAPHS = {
    "one run": ("<w:r><w:t>Good morning.</w:t></w:r>", ["Good morning."]),
    "split by spelling marks": (
        f'{run("Good mor")}<w:proofErr w:type="spellStart"/><w:r w:rsidR="00AB"><w:t>ning.</w:t></w:r>',
        ["Good morning."],
    ),
    "split by language and spacing": (
        run("Good ", '<w:lang w:val="en-US"/>') + run("mor", '<w:noProof/><w:spacing w:val="2"/>') + run("ning."),
        ["Good morning."],
    ),
    "bold": (run("Press ") + run("Save ", BOLD) + run("now."), ["Press <x1>Save</x1> now."]),
    "bold all over": (run("Press ", BOLD) + run("now.", BOLD), ["Press now."]),
    "bold in the middle of a word": (run("H", BOLD) + run("ello there."), ["Hello there."]),
    "a formula": (run("Water is H") + run("2", RAISED) + run("O here."), ["Water is <x1/> here."]),
    "an ordinal": (run("On the 21") + run("st", RAISED) + run(" of May."), ["On the 21st of May."]),
    "a note by hand": (run("They discovered") + run("1", RAISED) + run(" it."), ["They discovered<x1/> it."]),
    "a footnote": (run("It rained") + FOOTNOTE + run(" all day."), ["It rained<x1/> all day."]),
    "a link": (
        run("Read ") + f'<w:hyperlink r:id="r1">{run("the rules", ITALIC)}</w:hyperlink>' + run(" first."),
        ["Read <x1>the rules</x1> first."],
    ),
    "a field": (run("See ") + PAGE + run(" of it."), ["See <x1/> of it."]),
    "fields at the edge": (run("Page ") + PAGE + run(" of ") + PAGE + FOOTNOTE, ["Page <x1/> of <x2/>"]),
    "a formula at the edge": (run("Water is H") + run("2", RAISED) + run("O"), ["Water is <x1/>"]),
    "a note by hand at the edge": (run("It rained.") + run("1", RAISED), ["It rained."]),
    "a link that is a field": (run("See ") + LINK_FIELD + run(" for it."), ["See <x1>our page</x1> for it."]),
    "tabs and line breaks": (
        "<w:r><w:t>Name</w:t><w:tab/><w:t>Age</w:t><w:br/><w:t>Place</w:t></w:r>",
        ["Name\n\nAge\n\nPlace"],
    ),
    "a revision": (run("He ") + DELETED + INSERTED + run(" good."), ["He <x1>is</x1> good."]),
    "a comment": (run("A ") + COMMENT + run(" man."), ["A <x1>good</x1> man."]),
    "a bookmark": (run("A ") + BOOKMARK + run(" man."), ["A good man."]),
    "a content control": (run("Dear ") + CONTROL + run(","), ["Dear <x1>friend</x1>,"]),
    "what looks like a tag": (run("Type &lt;b&gt; &amp; go on."), ["Type <x1/> & go on."]),
    "lines to be filled in": (run("Name: ______ Date: ........."), ["Name: <x1/> Date:"]),
    "numbers alone": (run("1,234.50"), []),
    "a text box between words": (
        run("Before ") + around("r", BOX) + run("after."),
        ["Before <x1/>after.\n\nIn the box."],
    ),
    "a text box alone": (around("r", BOX), ["In the box."]),
    "a picture": (around("r", around("drawing", PICTURE)), ['A "red" box']),
}


@pytest.mark.parametrize(("body", "expected"), WORD_PARAGRAPHS.values(), ids=list(WORD_PARAGRAPHS))
def test_a_paragraph_of_word_is_one_text(tmp_path, body, expected):
    file = word(tmp_path / "a.docx", f'<w:p><w:pPr><w:jc w:val="left"/></w:pPr>{body}</w:p>')
    assert texts_in(file) == expected


@pytest.mark.parametrize("name", list(WORD_PARAGRAPHS))
def test_everything_but_the_words_comes_back(tmp_path, name):
    """Translated, a paragraph has the same elements but for run boundaries, and the same words but for their case."""
    body = f"<w:p>{WORD_PARAGRAPHS[name][0]}</w:p>"
    file = word(tmp_path / "a.docx", body)
    assert entries(translated(file, same)) == entries(file)
    xml = part(translated(file), "word/document.xml")
    before = word_part(body)
    assert words(xml).lower() == words(before).lower()
    for kept in (
        "hyperlink",
        "footnoteReference",
        "fldChar",
        "tab/",
        "br/",
        "del ",
        "ins ",
        "commentRange",
        "drawing",
    ):
        assert xml.count(f"<w:{kept}") == before.count(f"<w:{kept}")
    for code in re.findall("<w:instrText.*?</w:instrText>|<w:delText>.*?</w:delText>|<w:sdtPr>.*?</w:sdtPr>", before):
        assert code in xml


def test_a_style_goes_with_its_words(tmp_path):
    file = word(tmp_path / "a.docx", f"<w:p>{run('Press ')}{run('Save', BOLD)}{run(' now.')}</w:p>")
    xml = part(translated(file, lambda texts: ["अब <x1>सहेजें</x1> दबाएँ।"]), "word/document.xml")
    assert run("अब ") + run("सहेजें", BOLD) + run(" दबाएँ।") in xml


@pytest.mark.parametrize(
    "answer",
    [
        "no tags",
        "<x1>one",
        "</x1>a<x1>",
        "<x1>a</x1><x1>b</x1>",
        "<x1><x2>a</x1></x2>",
        "<x1>a</x1><x2>b</x2><b>",
        "a\nb",
    ],
)
def test_a_translation_that_spoils_the_tags_is_refused(tmp_path, answer):
    body = f"<w:p>{run('Press ')}{run('Save', BOLD)}{run(' or ')}{run('Quit', ITALIC)}{run(' now.')}</w:p>"
    file = word(tmp_path / "a.docx", body)
    target = translated(file, lambda texts: [answer for _ in texts], failures=1)
    assert entries(target) == entries(file)


def test_complex_scripts_look_as_latin_did(tmp_path):
    properties = '<w:b/><w:i w:val="0"/><w:sz w:val="40"/><w:lang w:val="en-GB"/>'
    styles = f'<w:styles xmlns:w="{WORD}"><w:rPr>{properties}</w:rPr></w:styles>'
    file = word(tmp_path / "a.docx", f"<w:p>{run('Hello', properties)}</w:p>", **{"word/styles.xml": styles})
    target = translated(file, options=HINDI)
    for name in ("word/document.xml", "word/styles.xml"):
        assert (
            '<w:b/><w:bCs/><w:i w:val="0"/><w:iCs w:val="0"/><w:sz w:val="40"/><w:szCs w:val="40"/>'
            '<w:lang w:val="hi-IN" w:bidi="hi-IN"/>'
        ) in part(target, name)
    assert entries(translated(file)) != entries(file)
    assert part(translated(file), "word/styles.xml") == styles


def test_another_prefix_than_usual(tmp_path):
    content = word_part(f"<w:p>{run('Press ')}{run('Save it', BOLD)}</w:p>")
    for before, after in (("<w:", "<q:"), ("</w:", "</q:"), ("xmlns:w=", "xmlns:q=")):
        content = content.replace(before, after)
    file = office(tmp_path / "a.docx", {"word/document.xml": content})
    assert texts_in(file) == ["<x1>Press</x1> Save it"]
    assert '<q:t xml:space="preserve"> SAVE IT</q:t>' in part(translated(file), "word/document.xml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1"])
def test_encodings(tmp_path, encoding):
    declared = re.match(r"utf-\d+|.*", encoding)[0]
    content = word_part(f"<w:p>{run('Café')}</w:p>").replace("UTF-8", declared)
    file = office(tmp_path / "a.docx", {"word/document.xml": content.encode(encoding)})
    assert entries(translated(file, same)) == entries(file)
    with zipfile.ZipFile(translated(file, lambda texts: ["कॉफ़ी"])) as found:
        written = found.read("word/document.xml").decode(encoding)
    assert ("कॉफ़ी" if encoding.startswith("utf") else "&#2325;") in written


BEGUN = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'  # and never ended
SNIPPETS = [body for body, _ in WORD_PARAGRAPHS.values()]
RUNS = st.builds(
    run,
    st.text("abc Ü ह.,1&<>\t\n", min_size=1, max_size=8).map(
        lambda text: text.replace("&", "&amp;").replace("<", "&lt;")
    ),
    st.lists(st.sampled_from([BOLD, ITALIC, RAISED, "<w:noProof/>"]), max_size=2, unique=True).map("".join),
)
PIECES = st.one_of(
    RUNS,
    RUNS,
    st.sampled_from(SNIPPETS),
    st.sampled_from([BEGUN, "<!-- x -->", "<w:r><w:tab/></w:r>"]),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=7), max_size=3))
def test_any_paragraphs(tmp_path_factory, paragraphs):
    folder = tmp_path_factory.mktemp("any")
    body = "".join(f"<w:p>{''.join(pieces)}</w:p>" for pieces in paragraphs)
    file = word(folder / "a.docx", body)
    assert entries(translated(file, same)) == entries(file)
    xml = part(translated(file), "word/document.xml")

    def letters(text):
        return re.sub(r"\s+", "", words(text)).lower()

    assert letters(xml) == letters(word_part(body))
