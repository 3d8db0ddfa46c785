"""CSV and Excel files, and which column is which: by well-known names, by --columns, by order."""

import codecs
import gzip
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import named_columns, read_lines, read_rows

LABELLED, PAIR = ("label", "text"), ("source", "target")
LONG = "a text that is longer than any name of a column"


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def book(tmp_path):
    def write_book(rows, name="a.xlsx", more=None):
        found = openpyxl.Workbook()
        for row in rows:
            found.active.append(row)
        for title, others in (more or {}).items():
            sheet = found.create_sheet(title)
            for row in others:
                sheet.append(row)
        found.save(tmp_path / name)
        return tmp_path / name

    return write_book


def columns(rows):
    return [row.columns for row in rows]


# -- CSV -----------------------------------------------------------------------------------------------------------


def test_csv_with_quotes_and_line_breaks_tells_the_line_of_each_row(write):
    path = write("a.csv", 'label,text\n"pos","one, two"\n\nneg,"three\nfour ""five"""\nneg,six\n')
    rows = list(read_rows([path], LABELLED))
    assert columns(rows) == [("pos", "one, two"), ("neg", 'three\nfour "five"'), ("neg", "six")]
    assert [row.line for row in rows] == [2, 4, 6]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_is_sniffed(write, delimiter, end):
    lines = ["text;tag", '"a, b; c\td";x', "e f;y"]
    content = end.join(line if '"' in line else line.replace(";", delimiter) for line in lines)
    content = content.replace('";x', f'"{delimiter}x')
    assert columns(read_rows([write("a.csv", "\ufeff" + content)], LABELLED)) == [("x", "a, b; c\td"), ("y", "e f")]


@pytest.mark.parametrize("content", ["text\none|two\nthree|four\n", "one|two\nthree\n"])
def test_a_bar_that_not_all_lines_have_is_part_of_the_text(write, content):
    assert columns(read_rows([write("a.csv", content)], ("text",)))[0] == ("one|two",)


def test_the_delimiter_that_excel_names(write):
    assert columns(read_rows([write("a.csv", "sep=|\r\nlabel|text\r\nx|a,b\r\n")], LABELLED)) == [("x", "a,b")]


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress)])
def test_compressed_csv_and_excel(write, book, suffix, compress):
    content = compress(b"label,text\nx,one\n")
    assert columns(read_rows([write(f"a.csv{suffix}", content)], LABELLED)) == [("x", "one")]
    packed = compress(book([["label", "text"], ["x", "one"]]).read_bytes())
    assert columns(read_rows([write(f"a.xlsx{suffix}", packed)], LABELLED)) == [("x", "one")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('label,text\nx,"one\ny,two\n', r"a\.csv, line 2: a cell opens with a quote that nothing closes"),
        ('label,text\nx,"' + "one\n" * 50_000, r"a\.csv, line 2 is not CSV"),
        ("label,text\nx\n", r"a\.csv, line 2: 1 column where 2 are needed \(label, text\)"),
        ("label,text\n", r"a\.csv is empty"),
        ("", r"a\.csv is empty"),
        ("label,text\nx,café\n".encode("cp1252"), r"line 2: byte 0xE9 is not UTF-8 .*WINDOWS-1252"),
        ("label,text\nx,café\n".encode("utf-16"), r"a\.csv is UTF-16 text.*save it as 'CSV UTF-8'"),
        ("label,text\nx,cafe\n".encode("utf-16-le"), r"a\.csv is UTF-16 text"),
        (codecs.BOM_UTF16_BE + "label\n".encode("utf-16-be"), r"a\.csv is UTF-16 text"),
        (b"PK\x03\x04\xff\xff", r"a\.csv is a zip file, not text; .* let its name end in \.xlsx"),
    ],
)
def test_a_bad_csv_is_told(write, content, told):
    with pytest.raises(DhyanError, match=told):
        list(read_rows([write("a.csv", content)], LABELLED))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("https://example.com/a.csv", r"a\.csv: files are read, not addresses; download it"),
        ("a.json", r"one object per line: jq -c '\.\[\]' .*a\.json > NEW-FILE\.jsonl"),
    ],
)
def test_what_is_no_table_is_told(write, name, told):
    file = write(name, "[{}]") if name == "a.json" else Path(name)
    with pytest.raises(DhyanError, match=told):
        list(read_rows([file], LABELLED))


# -- Excel ---------------------------------------------------------------------------------------------------------


def test_cells_of_every_kind(book):
    rows = [["text", "label"], ["शब्द & <b>", 3], [None, None], ["x\ny", True], [0.1 + 0.2, 2.5], ["only", None]]
    found = list(read_rows([book(rows)], LABELLED))
    assert columns(found) == [("3", "शब्द & <b>"), ("true", "x\ny"), ("2.5", "0.3"), ("", "only")]
    assert [row.line for row in found] == [2, 4, 5, 6]


def test_a_sheet_is_named(book):
    path = book([["x", "one"]], more={"Test set": [["y", "two"]]})
    assert columns(read_rows([path], LABELLED)) == [("x", "one")]
    assert columns(read_rows([path.with_name("a.xlsx#Test set")], LABELLED)) == [("y", "two")]
    with pytest.raises(
        DhyanError, match=r"no sheet 'test set' \(did you mean 'Test set'\?\); its sheets are Sheet, T"
    ):
        list(read_rows([path.with_name("a.xlsx#test set")], LABELLED))


WORKBOOK = {
    "_rels/.rels": '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/book.xml"/>'
    "</Relationships>",
    "xl/book.xml": '<x:workbook xmlns:x="m" xmlns:r="n"><x:sheets><x:sheet name="S" r:id="s"/></x:sheets>'
    "</x:workbook>",
    "xl/_rels/book.xml.rels": '<Relationships><Relationship Id="s" Type="x/worksheet" Target="/xl/one.xml"/>'
    '<Relationship Id="t" Type="x/sharedStrings" Target="strings.xml"/></Relationships>',
    "xl/strings.xml": "<sst><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si></sst>",
}


def zipped(sheet, **others):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (WORKBOOK | {"xl/one.xml": sheet} | others).items():
            file.writestr(name, content)
    return stream.getvalue()


def test_what_other_programs_write(write):
    """Prefixes, rich text, inline strings, results of formulas, failed ones, and cells without references."""
    sheet = (
        '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="inlineStr"><x:is>'
        '<x:t>in_x000D_</x:t></x:is></x:c></x:row><x:row r="7"><x:c r="B7" t="str"><x:f>A1&amp;"é"</x:f>'
        "<x:v>riché</x:v></x:c></x:row>"
        '<x:row><x:c t="e"><x:v>#N/A</x:v></x:c><x:c><x:v>1E3</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    rows = list(read_rows([write("a.xlsx", zipped(sheet))], LABELLED))
    assert [(row.line, *row.columns) for row in rows] == [(1, "rich", "in\r"), (7, "", "riché"), (8, "", "1000")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"no zip at all", r"a\.xlsx is not an \.xlsx file"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"x" * 100, r"protected by a password, or in the format of an older"),
        (zipped("<worksheet><row><c t='s'><v>1</v></c></row></worksheet>"), r"damaged in xl/one\.xml"),
        (zipped("<worksheet><row>"), r"damaged in xl/one\.xml"),
        (zipped("<worksheet><row><c r='XFE1'/></row></worksheet>"), r"line 1 has more than 16,384 columns"),
        (zipped('<!DOCTYPE w [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'), r"declares a document type"),
        (zipped("<worksheet/>", bomb=b"0" * (300 << 20)), r"would grow from 0\.3 MB to 315 MB"),
        (zipped("<worksheet/>", **{"_rels/.rels": "<Relationships/>"}), r"has no workbook"),
        (zipped("<worksheet/>"), r"a\.xlsx is empty"),
    ],
    ids=["no zip", "old", "no such text", "cut off", "too wide", "entities", "bomb", "no workbook", "empty"],
)
def test_a_bad_excel_file_is_told(write, content, told):
    with pytest.raises(DhyanError, match=told):
        list(read_rows([write("a.xlsx", content)], LABELLED))


# -- which column is which -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "header", "names", "said"),
    [
        ("a.csv", "id,Title,Tag", LABELLED, "label from column 'Tag', text from column 'Title'"),
        ("a.csv", "review,sentiment", LABELLED, "label from column 'sentiment', text from column 'review'"),
        ("a.csv", "text,label,label_text", LABELLED, "label from column 'label', text from column 'text'"),
        ("a.tsv", "text\tlabel", LABELLED, "label from column 'label', text from column 'text'"),
        ("a.csv", "snippet,category", LABELLED, "label from column 'category', text from column 'snippet'"),
        ("a.csv", ",text,mood", LABELLED, "label from column 'mood', text from column 'text'"),
        ("a.csv", "en,hi", PAIR, "source from column 'en', target from column 'hi'"),
        ("a.tsv", "id\tHindi\tEnglish", PAIR, "source from column 'Hindi', target from column 'English'"),
        ("a.csv", "text,translation", PAIR, "source from column 'text', target from column 'translation'"),
        (
            "a.csv",
            "Sentence 1,sentence_2,score",
            ("score", "first", "second"),
            "score from column 'score', first from column 'Sentence 1', second from column 'sentence_2'",
        ),
        ("a.csv", "anchor,positive,negative", ("text*",), "text from column 'anchor', text from column 'positive'"),
    ],
)
def test_well_known_names(write, name, header, names, said):
    delimiter = "\t" if name.endswith(".tsv") else ","
    row = delimiter.join(f"{LONG} {number}" for number in range(header.count(delimiter) + 1))
    path = write(name, f"{header}\n{row}\n")
    assert named_columns(path, names) == said
    assert [row.line for row in read_rows([path], names)] == [2]


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("a.tsv", f"question\tHow are you?\nquestion\t{LONG}\n", LABELLED),
        ("a.tsv", "Text\none\ntwo\n", ("text",)),
        ("a.tsv", "topic\tpolitics\nname\tAnna\n", LABELLED),
        ("a.csv", f"greeting,hello\ngreeting,{LONG}\n", LABELLED),
        ("a.csv", f"x,Is it a header?\ny,{LONG}\n", LABELLED),
        ("a.csv", f"0,good\n1,{LONG}\n", LABELLED),
        ("a.csv", "hello,नमस्ते\ngood morning,सुप्रभात\nyes,हाँ\n", PAIR),
    ],
)
def test_a_table_without_a_header_is_read_by_number(write, name, content, names):
    path = write(name, content)
    assert named_columns(path, names) == ""
    assert next(iter(read_rows([path], names))).line == 1


def test_the_languages_of_the_pair_say_which_column_is_the_source(write):
    path = write("a.csv", "hi,comment,en_US\nहाँ,good,yes\n")
    assert columns(read_rows([path], PAIR, languages=("en", "hi"))) == [("yes", "हाँ")]
    assert columns(read_rows([path], PAIR, languages=("hi", "en"))) == [("हाँ", "yes")]
    assert columns(read_rows([path], PAIR)) == [("हाँ", "yes")]
    with pytest.raises(DhyanError, match="not clear which of them is target; say it, "):
        list(read_rows([path], PAIR, languages=("en", "ta")))


def test_columns_are_chosen_by_name_or_number(write):
    path = write("a.csv", f"Title,Body text,Kind\none,{LONG},x\n")
    for chosen in ({"text": "Title", "label": "kind"}, {"text": "1", "label": "Kind"}, {"text": "1", "label": "3"}):
        assert columns(read_rows([path], LABELLED, chosen)) == [("x", "one")]
    assert columns(read_rows([write("b.tsv", "label\ttext\nx\tone\n")], LABELLED, {"label": "1", "text": "2"})) == [
        ("x", "one")
    ]
    alike = write("c.csv", f"id,this,that\n1,{LONG},{LONG} too\n")
    for both in ("this+that", "2+3"):
        rows = columns(read_rows([alike], ("text*",), {"text": both}))
        assert rows[-1] == (LONG, f"{LONG} too")


@pytest.mark.parametrize(
    ("name", "content", "names", "chosen", "told"),
    [
        (
            "a.csv",
            f"title,content,tag\none,{LONG},x\n",
            LABELLED,
            {},
            r"has the columns 'title', 'content', 'tag', and it is not clear which of them is text; say it, e\.g\. "
            r"--columns label=tag,text=title\.",
        ),
        (
            "a.csv",
            f"v1,v2\nham,{LONG}\n",
            LABELLED,
            {},
            r"which of them is label and which text; .*label=v1,text=v2\.",
        ),
        ("a.tsv", f"id\tlabel\tone\tmore\n1\tx\t{LONG}\ty\n", LABELLED, {}, r"which of them is text"),
        (
            "a.csv",
            f"id,b c,d,e\n1,{LONG},y,z\n",
            ("text*",),
            {},
            r"mean the same; name them, e\.g\. --columns text=id",
        ),
        ("a.csv", f"a,b b,c\nx,{LONG},y\n", ("text",), {}, r"give the column that is to be read the name 'text'"),
        (
            "a.csv",
            "title,tag\none,x\n",
            LABELLED,
            {"text": "titel"},
            r"no such name \(did you mean 'title'\?\): it has",
        ),
    ],
)
def test_what_cannot_be_decided_is_asked(write, name, content, names, chosen, told):
    with pytest.raises(DhyanError, match=told):
        list(read_rows([write(name, content)], names, chosen))


def test_well_known_keys_of_json_lines(write):
    path = write("a.jsonl", '{"title": "one", "tag": 3}\n{"tag": 4, "title": "two"}\n')
    assert columns(read_rows([path], LABELLED)) == [("3", "one"), ("4", "two")]
    assert named_columns(path, LABELLED) == "label from key 'tag', text from key 'title'"
    pairs = write("b.jsonl", '{"a": "one", "b": "two"}\n')
    assert columns(read_rows([pairs], ("text*",), {"text": "a+b"})) == [("one", "two")]


def test_one_text_per_line_of_a_table(write, book):
    assert columns(read_lines([write("a.csv", 'id,text\n1,"one\ntwo"\n')])) == [("one\ntwo",)]
    assert columns(read_lines([write("b.csv", "one\ntwo\n")])) == [("one",), ("two",)]
    assert columns(read_lines([book([["text"], ["one"]])])) == [("one",)]
