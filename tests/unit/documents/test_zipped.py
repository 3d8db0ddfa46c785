"""Slides, sheets, OpenDocument and books: structure kept, texts whole."""

import zipfile

from dhyan.documents.translate_file import translate_file
from support.documents import same
from support.zipped_files import (
    HINDI,
    entries,
    epub,
    office,
    open_document,
    part,
    sheet,
    shout,
    slide,
    texts_in,
    translated,
    word,
)


def test_a_slide(tmp_path):
    box = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title 1" descr="A picture"/></p:nvSpPr><p:txBody><a:p><a:pPr lvl="1"/>'
        '<a:r><a:rPr lang="en-US" dirty="0"/><a:t>Wash </a:t></a:r>'
        '<a:r><a:rPr lang="en-US" b="1"/><a:t>your hands</a:t></a:r>'
        '<a:br/><a:r><a:rPr lang="en-GB"/><a:t>with soap </a:t></a:r>'
        '<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld>'
        '<a:endParaRPr lang="en-US"/></a:p></p:txBody></p:sp>'
    )
    prompt = box.replace("<p:nvSpPr>", '<p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr>')
    file = office(
        tmp_path / "a.pptx",
        {"ppt/slides/slide1.xml": slide(box), "ppt/slideLayouts/slideLayout1.xml": slide(prompt + box)},
    )
    assert texts_in(file) == ["A picture", "<x1>Wash</x1> your hands\n\nwith soap <x1/>"]
    xml = part(translated(file, options=HINDI), "ppt/slides/slide1.xml")
    assert '<a:rPr lang="hi-IN" b="1"/><a:t> YOUR HANDS</a:t>' in xml
    assert '<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld><a:endParaRPr lang="en-US"/>' in xml


def test_a_workbook(tmp_path):
    strings = sheet(
        "<si><t>Rice, one bag</t></si><si><t>Yes</t></si><si><t>Price</t></si><si><t>42</t></si>"
        '<si><t xml:space="preserve">One line_x000D_ \nand another</t></si>'
        "<si><r><t>Very </t></r><r><rPr><b/></rPr><t>good</t></r><rPh><t>x</t></rPh></si>"
    )
    cells = (
        '<row><c t="str"><f>IF(A1="Yes",1,"a, b")</f><v>Yes</v></c>'
        '<c t="inlineStr"><is><t>In the cell</t></is></c></row>'
    )
    file = office(
        tmp_path / "a.xlsx",
        {
            "xl/sharedStrings.xml": strings,
            "xl/worksheets/sheet1.xml": sheet(cells, "worksheet"),
            "xl/tables/table1.xml": sheet('<tableColumns><tableColumn id="1" name="Price"/></tableColumns>', "table"),
        },
    )
    expected = ["Rice, one bag", "One line\n\nand another", "Very <x1>good</x1>", "In the cell"]
    assert texts_in(file) == expected
    report = translate_file(file, tmp_path / "b.xlsx", shout)
    assert report.remarks == ["texts that formulas, tables or filters refer to stay as they are: Price, Yes"]
    assert "<v>Yes</v>" in part(tmp_path / "b.xlsx", "xl/worksheets/sheet1.xml")
    assert "ONE LINE_x000D_ \nAND ANOTHER" in part(tmp_path / "b.xlsx", "xl/sharedStrings.xml")


def test_page_headers_of_a_sheet(tmp_path):
    header = (
        '&amp;L&amp;"Arial,Bold"&amp;12Sales&amp;CPage &amp;P of &amp;N&amp;RTop &amp;K00FF00secret &amp;&amp; ours'
    )
    pages = f"<headerFooter><oddHeader>{header}</oddHeader><oddFooter>&amp;C&amp;P</oddFooter></headerFooter>"
    file = office(tmp_path / "a.xlsx", {"xl/worksheets/sheet1.xml": sheet(pages, "worksheet")})
    assert texts_in(file) == ["Sales\n\nPage <x1/> of <x2/>\n\nTop <x1/>secret <x2/> ours"]
    assert entries(translated(file, same)) == entries(file)
    shouted = header.replace("Sales", "SALES").replace("Page", "PAGE").replace("of", "OF").replace("Top", "TOP")
    shouted = shouted.replace("secret", "SECRET").replace("ours", "OURS")
    assert pages.replace(header, shouted) in part(translated(file), "xl/worksheets/sheet1.xml")
    long = translated(file, lambda texts: [text.replace("Sales", "S" * 200) for text in texts], failures=1)
    assert entries(long) == entries(file)


def test_an_open_document(tmp_path):
    styles = (
        '<style:style style:name="T1" style:family="text"><style:text-properties fo:language="en"/></style:style>'
        '<style:style style:name="T2" style:family="text">'
        '<style:text-properties fo:font-weight="bold"/></style:style>'
    )
    body = (
        '<text:p>Good <text:span text:style-name="T1">mor</text:span>ning, <text:span text:style-name="T2">my friend'
        "</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p>"
        '</text:note-body></text:note> and you.<text:line-break/>Two<text:s text:c="2"/>spaces.</text:p>'
        '<table:table-cell office:value-type="date"><text:p>5 May</text:p></table:table-cell>'
        "<table:table-cell><text:p>Five of them</text:p></table:table-cell>"
        "<draw:frame><svg:title>A river</svg:title></draw:frame>"
        "<text:p>Page <text:page-number>1</text:page-number><text:note/></text:p>"
    )
    file = open_document(tmp_path / "a.odt", body, styles)
    assert texts_in(file) == [
        "Good morning, <x1>my friend</x1> and you.\n\nA note.\n\nTwo  spaces.",
        "Five of them",
        "A river",
        "Page <x1/>",
    ]
    assert entries(translated(file, same)) == entries(file)
    xml = part(translated(file, options=HINDI), "content.xml")
    assert '<text:span text:style-name="T2">MY FRIEND</text:span><text:note>' in xml
    assert "<text:p>A NOTE.</text:p>" in xml
    assert "TWO <text:s/>SPACES." in xml
    assert '<style:text-properties fo:font-weight="bold" style:font-weight-complex="bold"/>' in xml
    assert 'fo:language="hi"' in xml


def test_from_a_complex_script(tmp_path):
    english = HINDI.model_copy(update={"source_language": "hi", "target_language": "en"})
    body = (
        '<w:p><w:r><w:t xml:space="preserve">यह </w:t></w:r><w:r><w:rPr><w:bCs/><w:szCs w:val="40"/>'
        '<w:lang w:bidi="hi-IN"/></w:rPr><w:t>किताब</w:t></w:r></w:p>'
    )
    file = word(tmp_path / "a.docx", body)
    xml = part(translated(file, lambda texts: ["<x1>This</x1> book"], english), "word/document.xml")
    assert '<w:rPr><w:b/><w:bCs/><w:sz w:val="40"/><w:szCs w:val="40"/><w:lang w:bidi="hi-IN"/></w:rPr>' in xml
    styles = (
        '<style:style style:name="T1" style:family="text">'
        '<style:text-properties style:font-weight-complex="bold"/></style:style>'
    )
    body = '<text:p>यह एक <text:span text:style-name="T1">किताब</text:span> है।</text:p>'
    file = open_document(tmp_path / "a.odt", body, styles)
    xml = part(translated(file, lambda texts: ["This is a <x1>book</x1>."], english), "content.xml")
    assert '<style:text-properties style:font-weight-complex="bold" fo:font-weight="bold"/>' in xml
    assert 'This is a <text:span text:style-name="T1">book</text:span>.' in xml


def test_a_book(tmp_path):
    chapter = (
        '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title>'
        "</head><body><p>It was <em>dark</em>.</p><br/></body></html>\n"
    )
    file = epub(tmp_path / "a.epub", {"one.xhtml": chapter})
    assert texts_in(file) == ["A book", "One", "It was <em>dark</em>.", "The first chapter"]
    assert entries(translated(file, same)) == entries(file)
    target = translated(file, options=HINDI)
    with zipfile.ZipFile(target) as found:
        first = found.infolist()[0]
        assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
    assert "<dc:language>hi</dc:language>" in part(target, "OEBPS/book.opf")
    assert "<dc:creator>Jane Doe</dc:creator>" in part(target, "OEBPS/book.opf")
    assert "THE FIRST CHAPTER" in part(target, "OEBPS/toc.ncx")
