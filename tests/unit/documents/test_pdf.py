"""PDF: the text comes out as Markdown, in reading order and in whole paragraphs."""

import sys

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.translate_file import translate_file
from dhyan.documents.translate_folder import translate_folder
from support.documents import same
from support.pdf_files import column, pdf

pytest.importorskip("pypdf", reason="pypdf is not installed")

TEXT = [
    "The council has decided to build three new wells near the old school",
    "and to repair the road that leads to the market, which was dam-",
    "aged by the rain of the last two years.",
]


def as_markdown(tmp_path, *pages):
    file = pdf(tmp_path / "a.pdf", pages)
    report = translate_file(file, tmp_path / "a.md", same, overwrite=True)
    assert not report.failed
    return (tmp_path / "a.md").read_text(encoding="utf-8")


WHOLE = "The council has decided to build three new wells near the old school and to repair the road that leads to the market, which was damaged by the rain of the last two years."  # noqa: E501


def test_headings_and_paragraphs(tmp_path):
    page = [(72, 780, 24, "Water for all"), (72, 745, 16, "The plan", "bold"), *column([*TEXT, "", *TEXT], top=720)]
    assert as_markdown(tmp_path, page) == f"# Water for all\n\n## The plan\n\n{WHOLE}\n\n{WHOLE}\n"


def test_paragraphs_without_space_between_them(tmp_path):
    indented = [(x + (20 if number in (0, 3) else 0), *rest) for number, (x, *rest) in enumerate(column(TEXT + TEXT))]
    assert as_markdown(tmp_path, indented) == f"{WHOLE}\n\n{WHOLE}\n"


def test_lists(tmp_path):
    page = [
        *column(TEXT, top=780),
        (72, 700, 11, "\u2022"),
        (90, 700, 11, "Boil the water, and then let it stand for a while until it has become cold"),
        (90, 686, 11, "enough to drink."),
        (72, 672, 11, "\u2022 Wash your hands."),
        (72, 650, 11, "1."),
        (90, 650, 11, "First step"),
        (72, 636, 11, "2. Second step"),
    ]
    assert as_markdown(tmp_path, page).endswith(
        "- Boil the water, and then let it stand for a while until it has become cold enough to drink.\n"
        "- Wash your hands.\n\n1. First step\n2. Second step\n"
    )


def test_two_columns_are_read_one_after_the_other(tmp_path):
    left = [f"Left line {number} of the first column" for number in "abcdefgh"]
    right = [f"right line {number} of the second one" for number in "abcdefgh"]
    title = (72, 800, 11, "A line of text over the whole width of the page, as the summary of an article has it.")
    rows = [piece for pair in zip(column(left, x=72), column(right, x=310), strict=True) for piece in pair]
    found = as_markdown(tmp_path, [title, *rows, (72, 660, 11, "Short end.")])
    assert found.startswith(title[3])
    assert found.index("Left line h") < found.index("right line a") < found.index("Short end.")


def test_a_table(tmp_path):
    cells = [("Item", "Number", "Price"), ("Pump", "3", "500 rupees"), ("Pipe | steel", "20", "90 rupees")]
    page = column(TEXT) + [
        (72 + 140 * place, 600 - 20 * row, 11, cell)
        for row, line in enumerate(cells)
        for place, cell in enumerate(line)
    ]
    assert as_markdown(tmp_path, page).endswith(
        "| Item | Number | Price |\n|---|---|---|\n| Pump | 3 | 500 rupees |\n| Pipe \\| steel | 20 | 90 rupees |\n"
    )


def test_running_heads_and_page_numbers_are_left_out(tmp_path):
    pages = [
        [(72, 820, 9, "Report of the council"), *column(TEXT[:2]), (300, 30, 9, str(number))]
        for number in range(1, 4)
    ]
    found = as_markdown(tmp_path, *pages)
    assert "Report" not in found
    assert not any(character.isdigit() for character in found)


def test_a_paragraph_over_two_pages(tmp_path):
    assert as_markdown(tmp_path, column(TEXT[:1]), column(TEXT[1:])) == f"{WHOLE}\n"


def test_code_is_kept(tmp_path):
    page = column(TEXT) + column(["for one in all:", "    print(one)"], top=700, font="code")
    texts = []
    file = pdf(tmp_path / "a.pdf", [page])
    translate_file(file, tmp_path / "a.md", lambda asked: (texts.extend(asked), list(asked))[1])
    assert texts == [WHOLE]
    assert "for one in all:" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_a_hyphen_that_belongs_to_the_word(tmp_path):
    lines = ["A long-term plan is better than none, and therefore we need a long-", "term plan for the wells."]
    assert "a long-term plan for" in as_markdown(tmp_path, column(lines))


def test_marks_of_markdown_in_the_text(tmp_path):
    found = as_markdown(tmp_path, column(["# is no heading here, and *stars* and <b> are no marks of anything."]))
    assert found == "\\# is no heading here, and \\*stars\\* and \\<b> are no marks of anything.\n"


def refusal(file, target="b.md"):
    with pytest.raises(DhyanError) as error:
        translate_file(file, file.with_name(target), same)
    assert not file.with_name(target).exists()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_cannot_be_read(tmp_path, monkeypatch):
    assert "has no text, only pictures of it" in refusal(pdf(tmp_path / "scan.pdf", [[(72, 700, 9, "7")]]))
    assert "is written as .md" in refusal(pdf(tmp_path / "a.pdf", [column(TEXT)]), "b.pdf")
    for content in (b"", b"not a pdf", b"%PDF-1.4\n" + bytes(500), (tmp_path / "a.pdf").read_bytes()[:600]):
        (tmp_path / "bad.pdf").write_bytes(content)
        assert "is not a PDF, or a damaged one" in refusal(tmp_path / "bad.pdf")
    monkeypatch.setitem(sys.modules, "pypdf", None)
    said = refusal(tmp_path / "a.pdf")
    assert "PDF needs pypdf, which is not installed: " in said
    assert "pip install" in said
    assert "[documents]" in said


def test_protected_by_a_password(tmp_path):
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=pdf(tmp_path / "a.pdf", [column(TEXT)]))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "b.pdf")
    assert "is protected by a password" in refusal(tmp_path / "b.pdf")


def test_in_a_folder_it_is_written_beside_what_is_there(tmp_path):
    (tmp_path / "in").mkdir()
    pdf(tmp_path / "in" / "a.pdf", [column(TEXT)])
    (tmp_path / "in" / "a.md").write_text("Hello\n", encoding="utf-8")
    report = translate_folder(tmp_path / "in", tmp_path / "out", same)
    assert not report.failed
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.md", "a.pdf.md"]
