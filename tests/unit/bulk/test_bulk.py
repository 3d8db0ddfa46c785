"""Shards: cut so that every line is in one of them; done by processes that may die; gone on with, or refused."""

import gzip
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.bulk import process_executor
from dhyan.bulk.job import job_for, load_model
from dhyan.bulk.plan import input_files, shards_of
from dhyan.bulk.read_shard import lines_between, rows_of
from dhyan.bulk.run_bulk import run_bulk
from dhyan.bulk.shard import STARTS
from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.data.open_text import numbered_lines
from dhyan.loading import load
from support.dying import Dying
from support.packs import random_pack

pytestmark = pytest.mark.long

LINES = ["the river bank", "", "नदी का किनारा", "  money  ", "a\u2028b", "2 + 2 = 4"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("home")
    for name, shape in (("translator", "encoder-decoder"), ("moods", "encoder"), ("writer", "decoder")):
        random_pack(place / name, shape)
    return place


@pytest.fixture(autouse=True)
def cache(home, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(home / "cache"))


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_text("\n".join(LINES * 3), encoding="utf-8")
    (folder / "b.txt").write_text("the bank grows\n", encoding="utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"and the money\r\n\r\nflows"))
    (folder / "_SUCCESS").write_text("")
    return folder


def job(home, task="translate", pack="translator", column="text", **settings):
    return job_for(task, home / pack, column, "cpu", 1, None, settings)


def run(source, out, job, engine="local", workers=2, shard_bytes=60, progress=None):
    return run_bulk(source, out, job, engine, workers, shard_bytes, progress or Progress())


def results(out):
    """Input file → its rows, shard after shard."""
    found = {}
    for file in sorted(out.rglob("*.parquet")):
        name = str(file.relative_to(out)).rsplit(".", 2)[0]
        found.setdefault(name, []).extend(pq.read_table(file).to_pylist())
    return found


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=6)), st.data())
def test_wherever_a_text_is_cut_every_line_is_in_one_part(tmp_path_factory, lines, data):
    file = tmp_path_factory.mktemp("cut") / "a.txt"
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    content = end.join(lines).encode()
    file.write_bytes(b"\xef\xbb\xbf" + content if data.draw(st.booleans()) else content)
    size = file.stat().st_size
    cuts = sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=4))})
    found = [line for begin, end in pairwise(cuts) for line in lines_between(file, begin, end)]
    assert found == [text for _, text in numbered_lines(file)]


def test_parquet_is_cut_between_row_groups(tmp_path):
    file = tmp_path / "a.parquet"
    table = pa.table({"deep": [{"x": 1, "y": 2}] * 10, "text": [f"{number:050}" for number in range(10)]})
    pq.write_table(table, file, row_group_size=3, use_dictionary=False)
    shards = shards_of("a.parquet", file, "text", [], 500)
    assert [(shard.begin, shard.end) for shard in shards] == [(0, 1), (1, 2), (2, 4)]
    rows = [row for shard in shards for batch in rows_of(shard, 2) for row in batch.to_pylist()]
    assert rows == table.to_pylist()
    (whole,) = shards_of("a.parquet", file, "text", [], 10**9)
    assert sum(map(len, rows_of(whole, 100))) == 10


def test_every_line_gets_what_the_translator_says(home, texts, tmp_path):
    report = run(texts, tmp_path / "out", job(home))
    assert (report.failed, report.earlier, report.unanswered) == ([], 0, 0)
    found = results(tmp_path / "out")
    expected = {"deep/a.txt": LINES * 3, "b.txt": ["the bank grows"], "c.txt.gz": ["and the money", "", "flows"]}
    assert {name: [row["text"] for row in rows] for name, rows in found.items() if rows} == expected
    translate = load(home / "translator", threads=1)
    for rows in found.values():
        assert [row["translation"] for row in rows] == translate([row["text"] for row in rows])
    assert report.rows == sum(map(len, found.values()))
    assert report.shards == len(list((tmp_path / "out").rglob("*.parquet"))) > 6
    assert pq.read_table(tmp_path / "out").num_rows == report.rows  # readers pass over our own files


@pytest.mark.parametrize(
    ("task", "pack", "settings", "columns"),
    [
        ("embed", "moods", {}, ["embedding"]),
        ("classify", "moods", {"all": True}, ["predicted", "predicted_probability", "predicted_probabilities"]),
        ("write", "writer", {"max_length": 5}, ["continuation"]),
    ],
)
def test_the_other_tasks_and_columns_that_are_carried_along(home, tmp_path, task, pack, settings, columns):
    source = tmp_path / "in.parquet"
    table = pa.table(
        {"id": [7, 8, 9, 10], "body": ["the river", None, "  ", "the river"], "tags": [["a"], [], None, []]}
    )
    table = table.set_column(1, "body", table["body"].dictionary_encode())
    pq.write_table(table, source)
    report = run(source, tmp_path / "out", job(home, task, pack, "body", **settings), workers=1)
    assert (report.rows, report.failed) == (4, [])
    found = pq.read_table(tmp_path / "out")
    assert found.column_names == ["id", "body", "tags", *columns, f"{columns[0]}_error"]
    assert found.select(["id", "body", "tags"]).to_pylist() == table.to_pylist()
    river, missing, blank, again = found.select(columns).to_pylist()
    assert river == again
    assert set(missing.values()) == {None}
    model = load_model(job(home, task, pack))
    if task == "embed":
        assert river["embedding"] == pytest.approx(model("the river").tolist())
        assert blank["embedding"] == [0.0] * 48
    elif task == "classify":
        expected = model.classify("the river")
        assert river["predicted"] == expected.label
        assert dict(river["predicted_probabilities"]) == pytest.approx(expected.probabilities)
        assert river["predicted_probability"] == pytest.approx(max(expected.probabilities.values()))
        assert set(blank.values()) == {None}
    else:
        assert river["continuation"] == model("the river", max_length=5)


def test_a_second_run_does_what_is_missing_and_nothing_else(home, texts, tmp_path):
    out = tmp_path / "out"
    run(texts, out, job(home))
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*.parquet")}
    whole = results(out)
    lost = sorted(before)[2]
    lost.unlink()
    (lost.parent / f".{lost.name}.abc.part").write_text("torn")
    report = run(texts, out, job(home), workers=1)
    assert report.earlier == report.shards - 1
    assert results(out) == whole
    changed = [file for file, time in before.items() if file.stat().st_mtime_ns != time]
    assert changed == [lost]
    assert not list(out.rglob("*.part"))


def test_work_is_not_gone_on_with_after_a_change(home, texts, tmp_path):
    out = tmp_path / "out"
    run(texts, out, job(home))
    with pytest.raises(DhyanError, match="begun with another beam"):
        run(texts, out, job(home, beam=2))
    with pytest.raises(DhyanError, match="begun with another shard_bytes"):
        run(texts, out, job(home), shard_bytes=70)
    random_pack(tmp_path / "another", "encoder-decoder", d_ff=96)
    with pytest.raises(DhyanError, match="begun with another pack"):
        run(texts, out, job(tmp_path, pack="another"))
    (texts / "new.txt").write_text("more\n")  # nothing of it is done yet
    assert run(texts, out, job(home)).failed == []
    (texts / "b.txt").write_text("the bank shrinks\n")
    with pytest.raises(DhyanError, match=r"b.txt has changed"):
        run(texts, out, job(home))


def test_a_shard_that_kills_its_process_is_tried_three_times_and_the_rest_is_done(home, texts, tmp_path, monkeypatch):
    messages = []
    progress = Progress()
    progress.say = messages.append
    monkeypatch.setattr(process_executor, "try_each", partial(process_executor.try_each, make=Dying))
    report = run(texts, tmp_path / "out", job(home), progress=progress)
    assert [(one.name, one.error) for one in report.failed] == [
        ("b.txt.00001-of-00001.parquet", "its process was killed (SIGKILL)")
    ]
    assert report.rows == report.shards - 1
    assert sum("b.txt" in line for line in messages) == 2
    assert sum("deep/a.txt" in line for line in messages) == 1
    starts = len((tmp_path / "out" / ".starts-of-processes").read_text())
    assert starts == report.shards + 1 + 2


def test_on_ray_a_shard_is_given_up_after_three_deaths(home, texts, tmp_path):
    from dhyan.bulk.ray_executor import RayWorker

    (shard,) = shards_of("b.txt", texts / "b.txt", "text", [], 1000)
    row = {name: getattr(shard, name) for name in shard.__slots__}
    starts = tmp_path / f".{shard.name}{STARTS}"
    starts.write_text("xxx")
    worker = RayWorker(job(home), str(tmp_path))
    assert worker(row)["error"] == "its worker died 3 times"
    starts.write_text("xx")
    outcome = worker(row)
    assert (outcome["error"], outcome["rows"], outcome["died"]) == ("", 1, 2)
    assert not starts.exists()


def test_a_text_that_fails_is_told_in_its_row_but_not_if_all_do(home):
    from dhyan.bulk.columns import ResultColumns

    answers = ResultColumns(job(home), load_model(job(home)))
    answer = answers.answer

    def fails_on_money(texts):
        if "money" in texts:
            raise ValueError("too  much\nmoney")
        return answer(texts)

    answers.answer = fails_on_money
    columns, failed = answers(["the river", "money", None, "the bank"])
    assert failed == 1
    assert columns[2].to_pylist() == [None, "too much money", None, None]
    assert [text is None for text in columns[0].to_pylist()] == [False, True, True, False]
    answers.answer = lambda texts: fails_on_money(["money"])
    with pytest.raises(RuntimeError, match="no text could be answered: too much money"):
        answers(["the river", "the bank"])


def test_another_pack_on_a_workers_machine_is_refused(home):
    with pytest.raises(DhyanError, match="another pack"):
        load_model(replace(job(home), pack="0" * 16))


def test_what_cannot_be_worked_on_is_refused(home, texts, tmp_path):
    pq.write_table(pa.table({"txt": ["a"], "number": [1], "translation": ["b"]}), tmp_path / "a.parquet")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    for file, column, words in (
        ("a.parquet", "text", r"no column 'text' \(did you mean 'txt'\?\); it has txt, number, translation"),
        ("a.parquet", "number", "'number' is int64, not text"),
        ("a.parquet", "txt", "has a column 'translation' already"),
        ("torn.parquet", "text", "not a whole Parquet file"),
    ):
        with pytest.raises(DhyanError, match=words):
            run(tmp_path / file, tmp_path / "out", job(home, column=column))
    with pytest.raises(DhyanError, match="no such file or folder"):
        run(tmp_path / "nothing", tmp_path / "out", job(home))
    with pytest.raises(DhyanError, match="inside each other"):
        run(texts, texts / "out", job(home))
    with pytest.raises(DhyanError, match="holds other things"):
        run(texts, home, job(home))
    (texts / "notes.docx").write_text("")
    with pytest.raises(DhyanError, match=r"notes.docx is neither text nor Parquet"):
        input_files(texts)
    assert not (tmp_path / "out").exists()
