"""With the pack that ships: a Word document in Hindi, with its styles, links and fields on the right words."""

import re

import dhyan
from support.zipped_files import part, word


def run(text, properties=""):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


BOLD = "<w:b/><w:lang w:val='en-US'/>"
BODY = (
    f"<w:p>{run('The teacher said that ')}{run('every child', BOLD)}{run(' can learn.')}</w:p>"
    f"<w:p>{run('Please read ')}<w:hyperlink r:id='r1'>{run('the rules')}</w:hyperlink>"
    f"{run(' before you come.')}</w:p>"
    "<w:p><w:r><w:t>Name:</w:t><w:tab/><w:t>42</w:t></w:r></w:p>"
)


def test_a_document_comes_out_in_hindi(translate, tmp_path):
    report = dhyan.translate_file(word(tmp_path / "a.docx", BODY), tmp_path / "b.docx", translate)
    assert (report.texts, report.failed) == (3, [])
    xml = part(tmp_path / "b.docx", "word/document.xml")
    words = re.sub(r"<[^>]*>", "", xml)
    assert not re.search("[A-Za-z]", words)
    bold = re.findall(
        r"<w:b/><w:bCs/><w:lang w:val=\"hi-IN\" w:bidi=\"hi-IN\"/></w:rPr><w:t [^>]*>([^<]*)</w:t>", xml
    )
    assert bold == ["हर बच्चा"]
    assert re.search(
        r"<w:hyperlink r:id='r1'><w:r><w:rPr></w:rPr><w:t [^>]*>[^<]*नियम[^<]*</w:t></w:r></w:hyperlink>", xml
    )
    assert "<w:tab/>" in xml
    assert "42" in words
