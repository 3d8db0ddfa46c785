"""The review page: everything is in it, nothing of a text becomes markup, the least sure stands first."""

import re
from html.parser import HTMLParser

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.side_by_side import ReviewRow, check_review, write_side_by_side

ROWS = [
    ReviewRow("line 1", "Good morning", "सुप्रभात", (), 0.97),
    ReviewRow("line 2", "a <b>bold</b> & | `word`\nsecond", "<script>alert(1)</script> | *x*", ("look here",), 0.31),
    ReviewRow("line 3", "Maybe", "शायद", ("glossary: x",), 0.6),
]


class Cells(HTMLParser):
    """The texts of the cells, row by row; everything else that is opened."""

    def __init__(self):
        super().__init__()
        self.rows, self.tags, self.inside = [], [], False

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True
        if tag == "br":
            self.rows[-1][-1] += "\n"

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def html(tmp_path, **how):
    write_side_by_side(tmp_path / "review.html", ROWS, "a <file> & b", **how)
    return (tmp_path / "review.html").read_text(encoding="utf-8")


def test_html_shows_every_row_with_the_least_sure_first(tmp_path):
    page = html(tmp_path)
    cells = Cells()
    cells.feed(page)
    assert [row[1:] for row in cells.rows[1:]] == [
        [ROWS[1].source, ROWS[1].text, "look here"],
        ["Maybe", "शायद", "glossary: x"],
        ["Good morning", "सुप्रभात", ""],
    ]
    assert [row[0] for row in cells.rows[1:]] == ["31%line 2", "60%line 3", "97%line 1"]
    assert "script" not in cells.tags
    assert "3 texts, the least sure first; 2 with notes, 1 below 50%." in page
    assert not re.search(r"(?:src|href)=|https?://|@import|url\(", page)  # self-contained


def test_the_order_can_be_kept(tmp_path):
    cells = Cells()
    cells.feed(html(tmp_path, keep_order=True))
    assert [row[0] for row in cells.rows[1:]] == ["97%line 1", "31%line 2", "60%line 3"]


def test_markdown_has_a_line_per_row_and_as_many_cells(tmp_path):
    path = tmp_path / "review.md"
    write_side_by_side(path, ROWS, "review")
    lines = path.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(ROWS)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}
    assert r"a &lt;b\>bold&lt;/b\> & \| \`word\`<br>second" in table[2]


@pytest.mark.parametrize(
    ("name", "message"),
    [("review.txt", "must end in .html or .md"), ("none/review.md", "in a folder that is there")],
)
def test_what_could_not_be_written_is_refused(tmp_path, name, message):
    with pytest.raises(DhyanError, match=message):
        check_review(tmp_path / name)


def test_a_review_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "review.md").write_text("mine", encoding="utf-8")
    with pytest.raises(DhyanError, match="there already"):
        check_review(tmp_path / "review.md")
    check_review(tmp_path / "review.md", overwrite=True)
