import os
import subprocess
import sys
import threading

import pytest

from dhyan.core.atomic import atomic_folder, recover_folder, write_atomic


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept.txt"
    write_atomic(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "half a character: \ud800")
    assert path.read_text() == "old"
    write_atomic(path, "नया")
    assert path.read_text(encoding="utf-8") == "नया"
    assert names(tmp_path) == ["kept.txt"]


def test_written_files_have_ordinary_permissions(tmp_path):
    old = os.umask(0o022)
    try:
        write_atomic(tmp_path / "a", "x")
        with atomic_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(old)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o755


def test_the_umask_is_never_touched(tmp_path, monkeypatch):
    """It belongs to the whole process: another thread would create files with the wrong permissions meanwhile."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask was changed"))
    write_atomic(tmp_path / "a", "x")
    with atomic_folder(tmp_path / "folder") as part:
        write_atomic(part / "b", "y")


def test_threads_that_write_leave_the_umask_as_it_was(tmp_path):
    def write(number):
        for turn in range(200):
            write_atomic(tmp_path / f"{number}-{turn % 4}", "x")

    before = os.umask(0o027)
    try:
        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        after = os.umask(before)
    assert after == 0o027
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o640}


def test_a_folder_is_swapped_in_whole_or_not_at_all(tmp_path):
    place = tmp_path / "pack"
    with atomic_folder(place) as part:
        (part / "one").write_text("1")
        assert not place.exists()

    def fail():
        with atomic_folder(place) as part:
            (part / "two").write_text("2")
            raise RuntimeError("killed here")

    with pytest.raises(RuntimeError, match="killed here"):
        fail()
    assert names(place) == ["one"]
    with atomic_folder(place) as part:
        (part / "three").write_text("3")
    assert names(place) == ["three"]
    assert names(tmp_path) == ["pack"]


def test_a_swap_cut_short_is_undone(tmp_path):
    place = tmp_path / "last"
    with atomic_folder(place) as part:
        (part / "state").write_text("step 10")
    place.rename(tmp_path / ".last.old")  # killed between the two renames…
    (tmp_path / ".last.abcd_123.part").mkdir()  # …with the new one not yet in place
    (tmp_path / ".last.one.abcd_123.part").mkdir()  # and "last.one" is somebody else's work
    recover_folder(place)
    assert (place / "state").read_text() == "step 10"
    assert names(tmp_path) == [".last.one.abcd_123.part", "last"]


def test_what_a_killed_process_leaves_is_swept_by_the_next(tmp_path):
    """A process that still writes keeps its folder."""
    place = tmp_path / "pack"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom dhyan.core.atomic import atomic_folder\n"
        "with atomic_folder(Path(sys.argv[1])) as part:\n"
        "    (part / 'large').write_bytes(bytes(1000))\n    print('begun', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, place], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        with atomic_folder(place) as part:
            (part / "mine").write_text("first")
        (living,) = tmp_path.glob(".pack.*.part")
        assert (living / "large").exists()
        process.kill()
    assert living.exists()
    (tmp_path / ".pack.0123abcd.lock").touch()  # killed before it made its folder
    with atomic_folder(place) as part:
        (part / "mine").write_text("second")
    assert names(tmp_path) == ["pack"]


def test_a_folder_that_appeared_meanwhile_is_left_alone(tmp_path):
    place = tmp_path / "mine"

    def fill():
        with atomic_folder(place, replace=False) as part:
            (part / "new").write_text("2")
            place.mkdir()
            (place / "theirs").write_text("1")

    with pytest.raises(FileExistsError):
        fill()
    assert names(place) == ["theirs"]
    assert names(tmp_path) == ["mine"]
