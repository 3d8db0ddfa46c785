"""Translated files wait to be fetched: few, not for long, under keys that cannot be guessed."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from dhyan.server.translated_files import TranslatedFiles, safe_name


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def add(files, content=b"x", name="a.txt"):
    with files.workspace() as work:
        made = files.keep(_written(work, content), name)
    return made


def _written(work, content):
    file = Path(work) / "out"
    file.write_bytes(content)
    return file


def test_a_file_is_kept_for_its_time():
    clock = Clock()
    files = TranslatedFiles(10, 1000, 60, clock)
    key = add(files, b"hello")
    found = files.find(key)
    assert (found.name, found.path.read_bytes()) == ("a.txt", b"hello")
    assert len(key) == 32
    assert stat.S_IMODE(found.path.parent.stat().st_mode) == 0o700
    clock.now = 61
    assert files.find(key) is None
    assert not found.path.exists()


def test_the_oldest_make_room_by_number_and_by_size():
    files = TranslatedFiles(2, 100, 60)
    keys = [add(files) for _ in range(3)]
    assert [files.find(key) is not None for key in keys] == [False, True, True]
    big = add(files, b"x" * 100)
    assert [files.find(key) is not None for key in [*keys, big]] == [False, False, False, True]


def test_what_a_killed_server_has_left_is_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, new, other = (tmp_path / name for name in ("dhyan-files-old", "dhyan-files-new", "notes"))
    for folder in (old, new, other):
        folder.mkdir()
        (folder / "letter").write_text("private")
    for folder in (old, other):
        os.utime(folder, (0, 0))
    TranslatedFiles(2, 100, 60)
    assert [folder.exists() for folder in (old, new, other)] == [False, True, True]


def test_all_are_gone_when_the_store_is():
    files = TranslatedFiles(2, 100, 60)
    folder = files.find(add(files)).path.parent
    del files
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("letter.docx", "letter.docx"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\पत्र 1.txt", "पत्र 1.txt"),
        (".htaccess", "htaccess"),
        ("a\r\nb\0.txt", "a_b_.txt"),
        ("", "file"),
        ("...", "file"),
        ("x" * 300 + ".txt", "x" * 80 + ".txt"),
        ("a\u202etxt.exe", "a_txt.exe"),
    ],
)
def test_names_from_anywhere(name, safe):
    assert safe_name(name) == safe
