import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.resumable_file import ResumableFile


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def cut_short(target, fingerprint, batches):
    """A run that writes some batches and never finishes."""
    with ResumableFile(target, fingerprint) as work:
        for data in batches:
            work.add(data, rows=len(data))


def test_a_run_that_was_cut_short_is_continued(tmp_path):
    target = tmp_path / "out.tsv"
    cut_short(target, {"beam": 4}, [b"one", b"two"])
    assert names(tmp_path) == [".out.tsv.journal", ".out.tsv.part"]
    with ResumableFile(target, {"beam": 4}) as work:
        assert work.counts == {"rows": 6}
        work.add(b"three", rows=5)
        work.finish()
    assert target.read_bytes() == b"onetwothree"
    assert names(tmp_path) == ["out.tsv"]


def test_a_failure_before_the_first_batch_leaves_nothing_behind(tmp_path):
    with pytest.raises(DhyanError, match="no text"), ResumableFile(tmp_path / "out.tsv", {}):
        raise DhyanError("no text")
    assert names(tmp_path) == []


def test_other_work_is_discarded_or_refused(tmp_path):
    target = tmp_path / "out.tsv"
    cut_short(target, {"beam": 4, "tag": ""}, [b"one"])
    with (
        pytest.raises(DhyanError, match=r"\.out\.tsv\.part was begun with another beam"),
        ResumableFile(target, {"beam": 5, "tag": ""}, discard_other=False),
    ):
        pass
    with ResumableFile(target, {"beam": 4, "tag": ""}, discard_other=False) as work:
        assert work.counts == {"rows": 3}
    with ResumableFile(target, {"beam": 5, "tag": ""}) as work:
        assert not work.counts


def test_killed_before_anything_was_written_is_begun_again(tmp_path):
    for kind in ("part", "journal"):
        (tmp_path / f".out.tsv.{kind}").touch()
    with ResumableFile(tmp_path / "out.tsv", {"beam": 4}, discard_other=False) as work:
        work.add(b"a row\n", rows=1)
        work.finish()
    assert (tmp_path / "out.tsv").read_bytes() == b"a row\n"


def test_a_part_file_of_somebody_else_is_left_alone(tmp_path):
    part = tmp_path / ".out.tsv.part"
    part.write_text("mine")
    with (
        pytest.raises(DhyanError, match="no journal that says what it is"),
        ResumableFile(tmp_path / "out.tsv", {}, discard_other=False),
    ):
        pass
    assert part.read_text() == "mine"


def test_two_runs_do_not_write_the_same_file(tmp_path):
    with (
        ResumableFile(tmp_path / "out.tsv", {"a": 1}),
        pytest.raises(DhyanError, match="written by another run"),
        ResumableFile(tmp_path / "out.tsv", {"a": 1}),
    ):
        pass
