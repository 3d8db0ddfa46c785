"""The notebooks run from beginning to end, and what is stored in them is small and says nothing of a machine."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TRAINS = ("3-train-a-translator-in-a-minute", "4-fine-tune")
LARGEST = 300_000  # bytes
# Of a home, of a temporary folder, of Windows.
ABSOLUTE = re.compile(r"(?<![\w.<])/(home|tmp|work|root|usr|opt|var|Users|private|dev/shm)/\S|\b[A-Z]:\\\\\w")


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell):
    return "".join(one.text for one in cell.outputs if one.output_type == "stream")


def test_there_are_five():
    assert [path.stem[:2] for path in NOTEBOOKS] == ["1-", "2-", "3-", "4-", "5-"]


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path, tmp_path, monkeypatch):
    if path.stem in TRAINS:
        monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))  # the kernel's, too
    stored, notebook = code_cells(read(path)), read(path)
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", coalesce_streams=True, resources=resources)
    client.execute()  # raises where a cell fails
    cells = code_cells(notebook)
    kinds = [[sorted(one.get("data", {})) for one in cell.outputs] for cell in cells]
    assert kinds == [[sorted(one.get("data", {})) for one in cell.outputs] for cell in stored]
    if path.stem not in TRAINS:  # a training's digits are another processor's
        assert [printed(cell) for cell in cells] == [printed(cell) for cell in stored]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_whole_small_and_of_no_machine(path):
    text = path.read_text(encoding="utf-8")
    notebook = read(path)
    nbformat.validate(notebook)
    assert len(text.encode()) < LARGEST
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shown = [one for cell in cells for one in cell.outputs]
    assert shown
    assert not [one for one in shown if one.output_type == "error"]
    assert not [one for one in shown if one.output_type == "stream" and one.name == "stderr"]
    assert not ABSOLUTE.search(json.dumps([cell.outputs for cell in cells], ensure_ascii=False))
    assert not re.search(r'(src|href)=\\?"https?:|@import|url\((?!#)', text)  # nothing is fetched
    assert notebook.metadata.language_info == {"name": "python"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_links_of_a_notebook_lead_somewhere(path):
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#]+)", cell.source):
                assert (FOLDER / target).exists(), target
