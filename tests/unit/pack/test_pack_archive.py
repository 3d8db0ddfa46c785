"""A pack as one file: the same pack gives the same bytes, and an archive that lies writes nothing."""

import gzip
import io
import shutil
import tarfile
from functools import partial

import numpy as np
import pytest

from dhyan.pack.pack import open_pack
from dhyan.pack.pack_archive import PackArchive, is_plain_name, write_archive
from support.hostile_files import STORED
from support.refusals import damaged_copies, read_or_refuse, refusal

PACK = STORED / "writer"


def bundled(folder=PACK, name="mine", compress=True):
    out = io.BytesIO()
    write_archive(folder, name, out, compress)
    return out.getvalue()


def entry(name, kind=tarfile.REGTYPE, size=0, **fields):
    found = tarfile.TarInfo(name)
    found.type, found.size = kind, size
    for key, value in fields.items():
        setattr(found, key, value)
    return found


def archive(path, *entries, compress=True):
    """A tar of these entries, each as long as it says, of zeros."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for one in entries:
            tar.addfile(one, io.BytesIO(bytes(one.size)) if one.size else None)
    path.write_bytes(gzip.compress(out.getvalue(), 9) if compress else out.getvalue())
    return path


def unpacked(path, into):
    into.mkdir(exist_ok=True)
    with path.open("rb") as stream:
        found = PackArchive(stream, str(path))
        found.unpack(into)
        return found.folder


@pytest.mark.parametrize("compress", [True, False])
def test_there_and_back(tmp_path, compress):
    (tmp_path / "a").write_bytes(bundled(compress=compress))
    assert unpacked(tmp_path / "a", tmp_path / "new") == "mine"
    assert {file.name: file.read_bytes() for file in PACK.iterdir()} == {
        file.name: file.read_bytes() for file in (tmp_path / "new").iterdir()
    }
    open_pack(tmp_path / "new")


def test_the_same_pack_gives_the_same_bytes(tmp_path):
    """Whenever and by whomever the files were written, and with what lies beside them."""
    shutil.copytree(PACK, tmp_path / "copy", copy_function=shutil.copyfile)
    (tmp_path / "copy" / ".DS_Store").write_bytes(b"x")
    (tmp_path / "copy" / "notes").mkdir()
    (tmp_path / "copy" / "pack.json").chmod(0o600)
    assert bundled(tmp_path / "copy") == bundled()


def test_what_other_programs_write(tmp_path):
    """Folders, a leading ./, and the hidden files that macOS puts beside the others."""
    path = archive(
        tmp_path / "a",
        entry("./mine", tarfile.DIRTYPE),
        entry("./mine/pack.json", size=5),
        entry("./mine/._pack.json", size=5),
        entry("./mine/__init__.py"),
        entry("./mine/a_b-c.txt"),
    )
    assert unpacked(path, tmp_path / "new") == "mine"
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["a_b-c.txt", "pack.json"]
    assert unpacked(archive(tmp_path / "b", entry("pack.json")), tmp_path / "flat") == ""


HOSTILE = {
    "above": [entry("mine/pack.json"), entry("mine/../../x")],
    "above at once": [entry("../x")],
    "absolute": [entry("/tmp/x")],
    "backslashes": [entry("mine\\..\\..\\x")],
    "drive": [entry("C:x")],
    "stream of a file": [entry("mine/pack.json:hidden")],
    "device of Windows": [entry("mine/nul.json")],
    "shell": [entry("mine/$(reboot)")],
    "line break": [entry("mine/a\nb")],
    "link": [entry("mine/pack.json", tarfile.SYMTYPE, linkname="/etc/passwd")],
    "linked folder": [entry("mine", tarfile.SYMTYPE, linkname="/tmp"), entry("mine/x")],
    "hard link": [entry("mine/pack.json", tarfile.LNKTYPE, linkname="/etc/passwd")],
    "device": [entry("mine/null", tarfile.CHRTYPE, devmajor=1, devminor=3)],
    "pipe": [entry("mine/pipe", tarfile.FIFOTYPE)],
    "deep": [entry("mine/deep/x")],
    "two folders": [entry("mine/pack.json"), entry("yours/pack.json")],
    "two of a name": [entry("mine/pack.json"), entry("mine/PACK.json")],
    "many": [entry(f"mine/x{number}") for number in range(1_001)],
    "bomb": [entry("mine/zeros", size=300 << 20)],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_archive_that_lies(kind, tmp_path):
    path = archive(tmp_path / "a.tar.gz", *HOSTILE[kind])
    assert refusal(path, lambda file: unpacked(file, tmp_path / "new"))
    written = [file.name for file in (tmp_path / "new").iterdir()]
    assert set(written) <= {"pack.json", *(f"x{number}" for number in range(1_000))}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.tar.gz", "new"]


def test_a_header_without_end(tmp_path):
    """An extended header is read into memory whole: one of 200 MB, packed to 200 kB, is not."""
    long = entry("././@PaxHeader", tarfile.XHDTYPE, size=200 << 20)
    assert "headers larger" in refusal(
        archive(tmp_path / "a.tar.gz", long, entry("x")), lambda file: unpacked(file, tmp_path / "new")
    )


def test_a_size_below_zero(tmp_path):
    header = bytearray(entry("mine/x", size=8).tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 12  # −1 in base 256
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    (tmp_path / "a.tar").write_bytes(bytes(header) + bytes(10240))
    refusal(tmp_path / "a.tar", lambda file: unpacked(file, tmp_path / "new"))


@pytest.mark.parametrize("content", [b"", b"PK\3\4" + bytes(600), b"\x1f\x8b" + bytes(100), b"Dear friend, " * 99])
def test_what_is_no_archive(content, tmp_path):
    (tmp_path / "a").write_bytes(content)
    assert "unpacked first" in refusal(tmp_path / "a", lambda file: unpacked(file, tmp_path / "new"))


def test_bytes_lost_on_the_way(tmp_path):
    """Cut anywhere, an archive is never taken for the whole; one that is not packed has no checksum."""
    whole = bundled()
    for place in range(0, len(whole), len(whole) // 40):
        (tmp_path / "a").write_bytes(whole[:place])
        refusal(tmp_path / "a", partial(unpacked, into=tmp_path / f"cut{place}"))
    draw = np.random.default_rng(1)
    for number, changed in enumerate(damaged_copies(bundled(compress=False), draw, 60)):
        (tmp_path / "a").write_bytes(changed)
        read_or_refuse(tmp_path / "a", partial(unpacked, into=tmp_path / f"new{number}"))


def test_names_that_every_system_can_have():
    assert all(map(is_plain_name, ["a", "en-hi", "model.safetensors", "en_hi.v2", "0"]))
    assert not any(
        map(is_plain_name, ["", ".", "..", ".x", "-x", "x.", "a b", "a/b", "con", "LPT1.txt", "हि", "x" * 101])
    )
