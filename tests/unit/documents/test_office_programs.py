"""Documents that other programs have made, and open again after translation."""

import re
import shutil
import subprocess

import pytest

from dhyan.documents.translate_file import translate_file
from support.zipped_files import HINDI, entries, shout, translated

docx = pytest.importorskip("docx", reason="python-docx is not installed")
pptx = pytest.importorskip("pptx", reason="python-pptx is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")


@pytest.fixture
def letter(tmp_path):
    made = docx.Document()
    made.core_properties.title = "A letter"
    made.core_properties.author = "Jane Doe"
    made.add_heading("The village school", 1)
    paragraph = made.add_paragraph("The teacher said that ")
    paragraph.add_run("every child").bold = True
    paragraph.add_run(" can learn.")
    made.add_paragraph("Bring your book.", style="List Bullet")
    table = made.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Age", "42"
    made.sections[0].header.paragraphs[0].text = "Annual report"
    made.save(tmp_path / "letter.docx")
    return tmp_path / "letter.docx"


def test_word(letter):
    assert entries(translated(letter, list)) == entries(letter)
    found = docx.Document(translated(letter, options=HINDI))
    said = [(paragraph.style.name, paragraph.text) for paragraph in found.paragraphs]
    assert said == [
        ("Heading 1", "THE VILLAGE SCHOOL"),
        ("Normal", "THE TEACHER SAID THAT EVERY CHILD CAN LEARN."),
        ("List Bullet", "BRING YOUR BOOK."),
    ]
    assert [run.text for run in found.paragraphs[1].runs if run.bold] == ["EVERY CHILD"]
    assert [cell.text for cell in found.tables[0].row_cells(0)] == ["AGE", "42"]
    assert found.sections[0].header.paragraphs[0].text == "ANNUAL REPORT"
    assert (found.core_properties.title, found.core_properties.author) == ("A LETTER", "Jane Doe")


def test_powerpoint(tmp_path):
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Clean water"
    slide.placeholders[1].text_frame.text = "Boil it."
    slide.notes_slide.notes_text_frame.text = "Tell them why."
    data = CategoryChartData()
    data.categories = ["Rice", "Wheat"]
    data.add_series("Harvest", (3, 4))
    places = [Inches(number) for number in (1, 2, 4, 3)]
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *places, data)
    made.save(tmp_path / "a.pptx")
    assert entries(translated(tmp_path / "a.pptx", list)) == entries(tmp_path / "a.pptx")
    found = pptx.Presentation(translated(tmp_path / "a.pptx", options=HINDI)).slides[0]
    assert (found.shapes.title.text, found.placeholders[1].text_frame.text) == ("CLEAN WATER", "BOIL IT.")
    assert found.notes_slide.notes_text_frame.text == "TELL THEM WHY."
    plot = next(shape.chart for shape in found.shapes if shape.has_chart).plots[0]
    assert (list(plot.categories), plot.series[0].name) == (["RICE", "WHEAT"], "HARVEST")
    assert made.slide_layouts[1].placeholders[0].text_frame.text == "Click to edit Master title style"


def test_excel(tmp_path):
    from openpyxl.comments import Comment

    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "Prices"
    for row in (["Product", "Price", "In stock"], ["Rice, one bag", 50, "Yes"], ["Oil", 120.5, "No"]):
        sheet.append(row)
    sheet["D2"] = '=IF(C2="Yes",B2,0)'
    sheet["A1"].comment = Comment("Check it.", "Me")
    made.save(tmp_path / "a.xlsx")
    assert entries(translated(tmp_path / "a.xlsx", list)) == entries(tmp_path / "a.xlsx")
    found = openpyxl.load_workbook(translated(tmp_path / "a.xlsx"))["Prices"]
    assert [[cell.value for cell in row] for row in found.iter_rows(max_col=3)] == [
        ["PRODUCT", "PRICE", "IN STOCK"],
        ["RICE, ONE BAG", 50, "Yes"],  # the formula looks for it
        ["OIL", 120.5, "NO"],
    ]
    assert found["D2"].value == '=IF(C2="Yes",B2,0)'
    assert "CHECK IT." in found["A1"].comment.text


# -- LibreOffice -----------------------------------------------------------------------------------------------------


def converted(kind, *files):
    """What LibreOffice makes of files; it has a profile of its own, so that an open one is not in the way."""
    folder = files[0].parent
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = [shutil.which("soffice"), profile, "--headless", "--convert-to", kind, "--outdir", folder, *files]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return [file.with_suffix(f".{kind.partition(':')[0]}") for file in files]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_libreoffice_reads_the_same_words(letter):
    """Word → OpenDocument by LibreOffice; each is translated, and LibreOffice reads the same words in both."""
    [written] = converted("odt", letter)
    assert entries(translated(written, list)) == entries(written)
    targets = [letter.with_name("from-word.docx"), letter.with_name("from-open-document.odt")]
    for file, target in zip((letter, written), targets, strict=True):
        translate_file(file, target, shout, HINDI)
    one, other = (
        re.sub(r"\s+", " ", text.read_text(encoding="utf-8-sig")) for text in converted("txt:Text", *targets)
    )
    assert one == other
    assert "THE TEACHER SAID THAT EVERY CHILD CAN LEARN." in one
