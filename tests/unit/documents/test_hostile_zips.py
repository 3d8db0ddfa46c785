"""Zipped documents that lie, or are damaged: one sentence, and nothing is written."""

import contextlib
import struct
import zipfile

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.translate_file import translate_file
from dhyan.documents.translate_folder import translate_folder
from support.documents import same
from support.zipped_files import (
    entries,
    epub,
    office,
    open_document,
    shout,
    translated,
    word,
    word_part,
    zipped,
)

PARAGRAPH = "<w:p><w:r><w:t>Good morning.</w:t></w:r></w:p>"


def refusal(file):
    """The sentence that is said; nothing lies beside the file afterwards."""
    before = sorted(file.parent.iterdir())
    with pytest.raises(DhyanError) as error:
        translate_file(file, file.with_name(f"new{file.suffix}"), same)
    assert sorted(file.parent.iterdir()) == before
    message = str(error.value)
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def test_not_a_zip(tmp_path):
    (tmp_path / "a.docx").write_bytes(b"Dear friend,")
    assert "is not a .docx document, or a damaged one" in refusal(tmp_path / "a.docx")
    (tmp_path / "a.docx").write_bytes(b"")
    assert "is not a .docx document" in refusal(tmp_path / "a.docx")


def test_protected_by_a_password(tmp_path):
    (tmp_path / "a.docx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512))
    assert "is protected by a password, or in the format of an older Office" in refusal(tmp_path / "a.docx")
    manifest = "<manifest><encryption-data/></manifest>"
    file = zipped(tmp_path / "a.odt", {"content.xml": b"\1\2", "META-INF/manifest.xml": manifest})
    assert "is protected by a password" in refusal(file)
    file = epub(tmp_path / "a.epub", {"one.xhtml": "<p>One</p>"})
    with zipfile.ZipFile(file, "a") as book:
        book.writestr("META-INF/encryption.xml", '<e><EncryptionMethod Algorithm="http://www.w3.org/aes"/></e>')
    assert "DRM" in refusal(file)
    data = bytearray(word(tmp_path / "b.docx", PARAGRAPH).read_bytes())
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = data.find(mark)
        data[place + flags] |= 1
    (tmp_path / "b.docx").write_bytes(data)
    assert "is protected by a password" in refusal(tmp_path / "b.docx")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "word/../../x.xml", "C:/x", "..\\x"])
def test_names_that_lead_outside(tmp_path, name):
    assert "leads outside the file" in refusal(word(tmp_path / "a.docx", PARAGRAPH, **{name: "x"}))


def test_a_zip_bomb(tmp_path):
    file = word(tmp_path / "a.docx", PARAGRAPH, **{"word/media/x.bin": bytes(54_321)})
    file.write_bytes(file.read_bytes().replace(struct.pack("<I", 54_321), struct.pack("<I", 3_000_000_000)))
    assert "when unpacked, as no document does" in refusal(file)


def test_a_size_that_lies(tmp_path):
    """A part that is longer than the zip says is not read to its end."""
    file = word(tmp_path / "a.docx", PARAGRAPH)
    data = file.read_bytes()
    with zipfile.ZipFile(file) as found:
        size = found.getinfo("word/document.xml").file_size
    (tmp_path / "a.docx").write_bytes(data.replace(struct.pack("<I", size), struct.pack("<I", 40)))
    assert "is damaged" in refusal(file) or "damaged zip" in refusal(file)


def test_several_parts_of_one_name(tmp_path):
    file = word(tmp_path / "a.docx", PARAGRAPH)
    with zipfile.ZipFile(file, "a") as again, pytest.warns(UserWarning, match="Duplicate"):
        again.writestr("word/document.xml", "x")
    assert "several of one name" in refusal(file)


@pytest.mark.parametrize(
    "body",
    ["<w:p>", "<w:p><w:r></w:p>", "<w:p>&undefined;</w:p>", "<w:p>\1</w:p>", "<w:p>" * 300 + "</w:p>" * 300],
    ids=["open", "crossed", "entity", "control", "deep"],
)
def test_xml_that_is_damaged(tmp_path, body):
    file = word(tmp_path / "a.docx", body)
    assert "word/document.xml" in refusal(file)


def test_entities_that_grow(tmp_path):
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    content = word_part("<w:p>&b;</w:p>").replace("<w:document", f"{laughs}<w:document", 1)
    assert "declares entities of its own" in refusal(office(tmp_path / "a.docx", {"word/document.xml": content}))


def test_other_zips(tmp_path):
    for suffix in ("docx", "odt", "epub"):
        file = zipped(tmp_path / f"a.{suffix}", {"readme.txt": "Hello"})
        assert f"a.{suffix} is a zip file, but no" in refusal(file)


def test_bytes_lost_on_the_way(tmp_path):
    """Cut anywhere, a file is refused in a sentence, or translated if what is lost does not matter."""
    whole = word(tmp_path / "whole.docx", PARAGRAPH * 50).read_bytes()
    folder = tmp_path / "cut"
    folder.mkdir()
    for place in range(0, len(whole), 37):
        (folder / "a.docx").write_bytes(whole[:place])
        assert refusal(folder / "a.docx")
        spoilt = bytearray(whole)
        spoilt[place] ^= 0x55
        (folder / "a.docx").write_bytes(spoilt)
        with contextlib.suppress(DhyanError):
            translate_file(folder / "a.docx", folder / "b.docx", shout, overwrite=True)
        (folder / "b.docx").unlink(missing_ok=True)


def test_macros_are_kept(tmp_path):
    file = word(tmp_path / "a.docm", PARAGRAPH, **{"word/vbaProject.bin": b"\1\2macro"})
    assert entries(translated(file, same)) == entries(file)


def test_the_target_has_the_suffix_of_the_source(tmp_path):
    file = word(tmp_path / "a.docm", PARAGRAPH)
    for name in ("b.docx", "b.txt", "b"):
        with pytest.raises(DhyanError, match=r"is written as \.docm: name the target so"):
            translate_file(file, tmp_path / name, same)
    (tmp_path / "a.md").write_text("Words.")
    with pytest.raises(DhyanError, match=r"text is no \.docx file; name the target with the suffix \.md"):
        translate_file(tmp_path / "a.md", tmp_path / "b.docm", same)


def test_an_interrupted_run_goes_on(tmp_path):
    file = word(tmp_path / "a.docx", "".join(f"<w:p><w:r><w:t>Text {n}</w:t></w:r></w:p>" for n in range(20)))
    asked = []

    def breaks(texts):
        if len(asked) >= 8:
            raise KeyboardInterrupt
        asked.extend(texts)
        return shout(texts)

    with pytest.raises(KeyboardInterrupt):
        translate_file(file, tmp_path / "b.docx", breaks, batch=4)
    assert not (tmp_path / "b.docx").exists()
    report = translate_file(file, tmp_path / "b.docx", shout, batch=4)
    assert (report.texts, report.resumed) == (20, 8)
    assert entries(tmp_path / "b.docx") == entries(translated(file))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.docx", "b.docx", "translated.docx"]


def test_a_full_disk_while_the_zip_is_written(tmp_path, monkeypatch):
    file = word(tmp_path / "a.docx", PARAGRAPH)

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "open", full)
        with pytest.raises(DhyanError):
            translate_file(file, tmp_path / "b.docx", shout)
    assert not (tmp_path / "b.docx").exists()
    assert translate_file(file, tmp_path / "b.docx", shout).texts == 1


def test_in_a_folder(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    word(source / "a.docx", PARAGRAPH)
    open_document(source / "b.odt", "<text:p>Good evening.</text:p>")
    (source / "c.docx").write_bytes(b"no document")
    report = translate_folder(source, tmp_path / "out", shout)
    assert sorted(one.source.name for one in report.translated) == ["a.docx", "b.odt"]
    assert [str(name) for name, _ in report.failed] == ["c.docx"]
