"""Whole files and folders: swapped in, taken up again, never overwritten by accident, faults told by their place."""

import io
import os
import signal
import subprocess
import sys
import time
import tracemalloc

import pytest

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import Failed, TranslatedLine, translate_units
from dhyan.documents.formats import FORMATS, Format
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import translate_file
from dhyan.documents.translate_folder import translate_folder
from dhyan.documents.translate_stream import translate_stream
from dhyan.documents.units import Fixed, Remark, Text, Unreadable
from dhyan.translation.translated import Translation
from support.documents import brackets, same

pytestmark = pytest.mark.long

LINES = "".join(f"Sentence number {n}.\n{n}\n\n" for n in range(40))


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text(LINES)
    return path


class Stopping:
    """A translator that is interrupted after some calls, as by Ctrl-C, and remembers what it was given."""

    def __init__(self, calls):
        self.calls = calls
        self.given = []

    def __call__(self, texts):
        if self.calls == 0:
            raise KeyboardInterrupt
        self.calls -= 1
        self.given += texts
        return brackets(texts)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def message_of(call, *arguments, **named):
    with pytest.raises(DhyanError) as error:
        call(*arguments, **named)
    message = str(error.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("calls", range(11))
def test_interrupted_work_goes_on_where_it_stopped(tmp_path, source, calls):
    whole = tmp_path / "whole.txt"
    translate_file(source, whole, brackets)
    target = tmp_path / "notes.hi.txt"
    first = Stopping(calls)
    if calls < 10:
        with pytest.raises(KeyboardInterrupt):
            translate_file(source, target, first, batch=4)
        assert not target.exists()
        second = Stopping(-1)
        report = translate_file(source, target, second, batch=4)
        assert not set(first.given) & set(second.given)
        assert (report.texts, report.resumed) == (40, calls * 4)
    else:
        translate_file(source, target, first, batch=4)
    assert target.read_bytes() == whole.read_bytes()
    assert names(tmp_path) == ["notes.hi.txt", "notes.txt", "whole.txt"]


def test_work_is_taken_up_again_and_again(tmp_path, source):
    target = tmp_path / "out.txt"
    for _ in range(9):
        with pytest.raises(KeyboardInterrupt):
            translate_file(source, target, Stopping(1), batch=4)
    assert translate_file(source, target, brackets, batch=7).resumed == 36
    assert target.read_text() == LINES.replace("Sentence", "[Sentence").replace(".\n", ".]\n")


def test_torn_files_cost_only_what_was_torn(tmp_path, source):
    target, part, journal = (tmp_path / name for name in ("out.txt", ".out.txt.part", ".out.txt.journal"))
    with pytest.raises(KeyboardInterrupt):
        translate_file(source, target, Stopping(5), batch=4)
    kept_part, kept_journal = part.read_bytes(), journal.read_bytes()

    def resumed():
        found = translate_file(source, target, brackets).resumed
        assert target.read_text() == LINES.replace("Sentence", "[Sentence").replace(".\n", ".]\n")
        target.unlink()
        return found

    for torn_part, torn_journal, texts in [
        (kept_part + b"[Sent", kept_journal + b'{"units": 7', 20),
        (kept_part[:-1], kept_journal, 16),
        (kept_part[:-1] + b"\0", kept_journal, 16),
        (kept_part, kept_journal[:-1], 16),
        (b"", kept_journal, 0),
        (kept_part, b"", 0),
        (kept_part, b"\xff\n", 0),
    ]:
        part.write_bytes(torn_part)
        journal.write_bytes(torn_journal)
        assert resumed() == texts


@pytest.mark.parametrize("change", ["source", "options", "touched"])
def test_other_work_starts_anew(tmp_path, source, change):
    target = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        translate_file(source, target, Stopping(3), batch=4)
    if change == "source":
        source.write_text("Short.\n")
    if change == "touched":
        os.utime(source, (1, 1))
    options = DocumentOptions(made_by="another pack") if change == "options" else None
    assert translate_file(source, target, same, options).resumed == 0
    assert target.read_bytes() == source.read_bytes()


def test_a_killed_run_is_taken_up(tmp_path):
    source, target = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_text("".join(f"Line {n}\n" for n in range(400)))
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom dhyan.documents.translate_file import translate_file\n"
        "def slow(texts):\n    time.sleep(0.02)\n    return [f'[{text}]' for text in texts]\n"
        "translate_file(Path(sys.argv[1]), Path(sys.argv[2]), slow, batch=2)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, source, target])
    part = tmp_path / ".b.txt.part"
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 100):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert "is being written by another run" in message_of(translate_file, source, target, brackets)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not target.exists()
    report = translate_file(source, target, brackets)
    assert 0 < report.resumed < 400
    assert target.read_text() == "".join(f"[Line {n}]\n" for n in range(400))
    assert names(tmp_path) == ["a.txt", "b.txt"]


def faulty(texts):
    if any("17" in text or "23" in text for text in texts):
        raise DhyanError("This number\nis unlucky.") if len(texts) == 1 else ValueError
    return brackets(texts)


def test_what_fails_is_told_by_its_line_and_stays(tmp_path, source):
    target = tmp_path / "out.txt"
    report = translate_file(source, target, faulty, batch=16)
    assert report.failed == [Failed(52, "This number is unlucky."), Failed(70, "This number is unlucky.")]
    lines = target.read_text().splitlines()
    assert lines[51] == "Sentence number 17."
    assert lines[54] == "[Sentence number 18.]"
    assert report.texts == 40


def test_failures_are_remembered_over_an_interruption(tmp_path, source):
    def failing_then_stopping(texts):
        if "Sentence number 30." in texts:
            raise KeyboardInterrupt
        return faulty(texts)

    with pytest.raises(KeyboardInterrupt):
        translate_file(source, tmp_path / "out.txt", failing_then_stopping, batch=4)
    report = translate_file(source, tmp_path / "out.txt", faulty, batch=4)
    assert [failure.line for failure in report.failed] == [52, 70]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: ["  "] * len(texts), "The translation is empty."),
        (lambda texts: [], "The translator gave 0 texts back for 1."),
        (lambda texts: ["half \ud800"] * len(texts), "surrogates not allowed"),
    ],
)
def test_answers_that_are_none(tmp_path, answer, message):
    source = tmp_path / "a.txt"
    source.write_text("One\nTwo\n")
    report = translate_file(source, tmp_path / "b.txt", answer)
    assert [line for line, _ in report.failed] == [1, 2]
    assert all(message in told for _, told in report.failed)
    assert (tmp_path / "b.txt").read_text() == "One\nTwo\n"


class Noting:
    """A translator with notes, which remembers the style and the contexts that it was given."""

    def __init__(self, calls=-1):
        self.calls, self.styles, self.asked = calls, set(), []

    def translate(self, texts, *, style, contexts):
        if self.calls == 0:
            raise KeyboardInterrupt
        self.calls -= 1
        self.styles.add(style)
        self.asked += zip(texts, contexts, strict=True)
        return [Translation(text, f"[{text}]", ("doubtful",) if "7" in text else (), 0.5) for text in texts]


def test_notes_stay_with_their_lines_over_an_interruption(tmp_path, source):
    target = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        translate_file(source, target, Noting(3), batch=4)
    report = translate_file(source, target, Noting(), batch=4)
    assert [line.line for line in report.lines] == [22, 52, 82, 112]
    assert report.lines[0] == TranslatedLine(22, "Sentence number 7.", "[Sentence number 7.]", ("doubtful",), 0.5)
    whole = translate_file(source, tmp_path / "all.txt", Noting(), every_line=True)
    assert len(whole.lines) == 40
    assert not translate_file(source, tmp_path / "bare.txt", brackets).lines


def test_the_format_says_which_style_and_the_options_change_it(tmp_path, source):
    catalogue = tmp_path / "a.po"
    catalogue.write_text('msgid "Open"\nmsgstr ""\n')
    for file, options, style in [
        (catalogue, None, "ui"),
        (source, None, None),
        (source, DocumentOptions(style="ui"), "ui"),
        (catalogue, DocumentOptions(style="formal"), "formal"),
    ]:
        translator = Noting()
        translate_file(file, tmp_path / "out", translator, options, overwrite=True)
        assert translator.styles == {style}


def test_the_same_text_is_translated_once_per_context():
    translator = Noting()
    units = [Text("Open", 1, "Open"), Text("Open", 2, "Open", context="menu"), Text("Open", 3, "Open")]
    assert translate_units(units, translator).content == "[Open]" * 3
    assert translator.asked == [("Open", None), ("Open", "menu")]
    assert [line.line for line in translate_units(units, translator).lines] == [1, 2, 3]


def test_what_is_unreadable_is_kept_and_told():
    units = [Remark("one column is left"), Unreadable("{oops\n", 1, "not JSON"), Text("a", 2, "a")]
    done = translate_units(units, brackets)
    assert (done.content, done.failed) == ("{oops\n[a]", [Failed(1, "not JSON")])
    assert done.remarks == ["one column is left"]


class Reversed:
    """A file of parts, kept backwards."""

    def __init__(self, source, stream, options):
        self.text = stream.read().decode()[::-1]
        self.bytes_read = len(self.text)

    def units(self):
        for part in self.text.split("|"):
            yield from (Text(part, 1, part), Fixed("|"))

    def assemble(self, translated, target):
        target.write(translated.read().decode().removesuffix("|")[::-1].encode())


@pytest.mark.parametrize("calls", [0, 1, 2, -1])
def test_a_file_of_parts_is_assembled(tmp_path, monkeypatch, calls):
    monkeypatch.setitem(FORMATS, "rev", Format("rev", None, open=Reversed))
    source, target = tmp_path / "a.rev", tmp_path / "b.rev"
    source.write_text("eerht|owt|eno")
    options = DocumentOptions(format="rev")
    if calls >= 0:
        with pytest.raises(KeyboardInterrupt):
            translate_file(source, target, Stopping(calls), options, batch=1)
    report = translate_file(source, target, Stopping(-1), options, batch=1)
    assert (report.texts, report.resumed) == (3, max(calls, 0))
    assert target.read_text() == "]eerht[|]owt[|]eno["
    assert names(tmp_path) == ["a.rev", "b.rev"]


def test_the_same_text_is_translated_once(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("answer\n" + "yes\n" * 50)
    translator = Stopping(-1)
    assert translate_file(source, tmp_path / "b.csv", translator).texts == 50
    assert translator.given == ["yes"]


def test_progress_counts_the_bytes_of_the_source(tmp_path, source):
    seen = []
    translate_file(
        source, tmp_path / "b.txt", brackets, None, lambda done, speed: seen.append((done, speed)), batch=4
    )
    done = [one for one, _ in seen]
    assert done == sorted(done)
    assert done[-1] == source.stat().st_size
    assert all(speed > 0 for _, speed in seen)


def test_a_target_is_overwritten_only_when_allowed(tmp_path, source):
    target = tmp_path / "out.txt"
    target.write_text("mine")
    assert "is there already" in message_of(translate_file, source, target, brackets)
    assert target.read_text() == "mine"
    translate_file(source, target, same, overwrite=True)
    assert target.read_text() == LINES


def test_places_that_cannot_be_written(tmp_path, source):
    (tmp_path / "link.txt").symlink_to(source)
    assert "is the source itself" in message_of(translate_file, source, source, same, overwrite=True)
    assert "is the source itself" in message_of(translate_file, source, tmp_path / "link.txt", same, overwrite=True)
    assert "is a folder" in message_of(translate_file, source, tmp_path, same)
    assert "there is no folder" in message_of(translate_file, source, tmp_path / "no" / "b.txt", same)
    assert "cannot be written" in message_of(translate_file, source, tmp_path / ("x" * 250 + ".txt"), same)
    assert source.read_text() == LINES


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path, source):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "cannot be written" in message_of(translate_file, source, locked / "b.txt", same)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xyz", b"x", "a.xyz: the suffix .xyz is not known; say with --format which one it is: txt, md, "),
        ("a.doc", b"x", "a.doc: .doc is not supported; save it as .docx."),
        ("a.PPT", b"x", "a.PPT: .PPT is not supported; save it as .pptx."),
        ("a.pages", b"x", "a.pages: .pages is not supported; save it as .docx."),
        ("a.jpg", b"x", "a.jpg: .jpg is not supported; run a text recognition (OCR) over it"),
        ("README", b"x", "README: without a suffix its format is not known; say with --format"),
        ("a.txt", b"One\ncaf\xe9\n", "a.txt, line 2: byte 0xE9 is not UTF-8 text; convert the file to UTF-8"),
        ("a.txt", "Hi\n".encode("utf-16"), "a.txt, line 1: the file is in UTF-16; convert it to UTF-8"),
        ("a.md", b"One\n\0\n", "a.md, line 2: a zero byte stands there"),
        ("a.csv", b'a,b\n1,"open\n2,x\n', "a.csv, line 2: a cell opens with a quote that nothing closes; mend it."),
        ("a.txt", b"x" * (17 << 20), "a.txt, line 1 is longer than 16 MiB"),
    ],
)
def test_sources_that_cannot_be_read(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert message in message_of(translate_file, tmp_path / name, tmp_path / "b.txt", same)
    assert names(tmp_path) == [name]


def test_sources_that_are_not_there(tmp_path):
    assert "there is no such file" in message_of(translate_file, tmp_path / "a.txt", tmp_path / "b.txt", same)
    (tmp_path / "c.txt").mkdir()
    assert "is a folder" in message_of(translate_file, tmp_path / "c.txt", tmp_path / "b.txt", same)
    assert names(tmp_path) == ["c.txt"]


def test_a_source_that_changes_meanwhile_is_noticed(tmp_path, source):
    def meddling(texts):
        source.write_text(LINES + "More.\n")
        return brackets(texts)

    assert "changed while it was being translated" in message_of(translate_file, source, tmp_path / "b.txt", meddling)
    assert not (tmp_path / "b.txt").exists()


def test_a_format_can_be_given(tmp_path):
    (tmp_path / "README").write_text("# Title\n")
    report = translate_file(tmp_path / "README", tmp_path / "b", brackets, DocumentOptions(format="md"))
    assert (tmp_path / "b").read_text() == "# [Title]\n"
    assert report.format == "md"


ORDINARY = "Some words, and some more of them, in a line of quite ordinary length.\n"


@pytest.mark.parametrize(
    ("suffix", "line", "size", "most"),
    [
        ("txt", ORDINARY, 1_000_000, 500_000),
        ("csv", ORDINARY, 1_000_000, 500_000),
        ("md", "- A list item with *some* words in it, again and again.\n\n", 1_000_000, 700_000),
        ("html", "<p>A paragraph with <b>some</b> words in it.</p>\n", 1_000_000, 700_000),
        ("srt", "1\n00:00:01,000 --> 00:00:02,000\nSome words are said\nin this film.\n\n", 1_000_000, 500_000),
        ("jsonl", '{"text": "Some words, and more", "id": 1}\n', 1_000_000, 500_000),
        ("po", '#, fuzzy\nmsgid "Some words"\nmsgstr "Some words"\n\n', 1_000_000, 700_000),
    ],
    ids=lambda value: value if value in ("txt", "csv", "md", "html", "srt", "jsonl", "po") else "",
)
def test_no_file_is_held_in_memory(tmp_path, suffix, line, size, most):
    source, target = tmp_path / f"large.{suffix}", tmp_path / f"out.{suffix}"
    with source.open("w") as file:
        file.writelines(line for _ in range(size // len(line)))
    (tmp_path / f"small.{suffix}").write_text(line)
    translate_file(tmp_path / f"small.{suffix}", target, same)  # what is loaded once is not counted
    target.unlink()
    tracemalloc.start()
    try:
        translate_file(source, target, same, batch=128)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert target.stat().st_size == source.stat().st_size
    assert peak < most


class Arriving:
    """A pipe whose bytes come piece by piece."""

    def __init__(self, *pieces, events=None):
        self.pieces, self.events = list(pieces), events if events is not None else []

    def read1(self, size):
        self.events.append("read")
        return self.pieces.pop(0) if self.pieces else b""


def test_streams_are_answered_as_they_come():
    events = []

    class Output(io.StringIO):
        def flush(self):
            events.append(self.getvalue())

    told = translate_stream(
        Arriving(b"One\n", b"\n", b"  17\n", b"The 17th\n", b"end", events=events), Output(), faulty
    )
    answered = ["[One]\n", "[One]\n\n", "[One]\n\n  17\n", "[One]\n\n  17\nThe 17th\n"]
    last = "[One]\n\n  17\nThe 17th\n[end]"
    assert events == [event for text in answered for event in ("read", text)] + ["read", "read", last]
    assert told.failed == [Failed(4, "This number is unlucky.")]


def test_lines_that_come_together_are_translated_together():
    given, output = [], io.StringIO()
    pieces = "a\nb\nहि".encode()[:-1], "हि".encode()[-1:] + "न्दी\nc\r".encode(), b"\nlast\n"
    translate_stream(Arriving(*pieces), output, lambda texts: given.append(texts) or brackets(texts))
    assert given == [["a", "b"], ["हिन्दी"], ["c", "last"]]
    assert output.getvalue() == "[a]\n[b]\n[हिन्दी]\n[c]\n[last]\n"


WRAPPED = "You should not open the box\nbefore the engineer comes.\n"


def test_a_wrapped_paragraph_in_a_pipe_is_one_text():
    output = io.StringIO()
    translate_stream(io.BytesIO(WRAPPED.encode()), output, brackets)
    assert output.getvalue() == "[You should not open the\nbox before the engineer\ncomes.]\n"
    output = io.StringIO()
    translate_stream(io.BytesIO(WRAPPED.encode()), output, brackets, DocumentOptions(wrapped=False))
    assert output.getvalue() == "[You should not open the box]\n[before the engineer comes.]\n"


def test_nobody_waits_long_for_the_rest_of_a_paragraph():
    here, there = os.pipe()
    output = io.StringIO()

    class Waiting(io.StringIO):
        def flush(self):
            if self.getvalue().count("\n") == 1:
                os.write(there, b"before the engineer comes.\n")
                os.close(there)

    os.write(there, b"You should not open the box\n")
    with open(here, "rb") as input:  # noqa: PTH123
        output = Waiting()
        translate_stream(input, output, brackets)
    assert output.getvalue() == "[You should not open the box]\n[before the engineer comes.]\n"


def test_other_formats_come_through_a_pipe():
    output = io.StringIO()
    translate_stream(io.BytesIO(b"# One\n\n```\ntwo\n```\n"), output, brackets, DocumentOptions(format="md"))
    assert output.getvalue() == "# [One]\n\n```\ntwo\n```\n"
    message = message_of(translate_stream, io.BytesIO(b"x"), output, brackets, DocumentOptions(format="mdd"))
    assert "--format mdd is not one of txt, md" in message
    assert "did you mean 'md'" in message


def test_what_stands_within_a_line_does_not_end_it():
    output = io.StringIO()
    translate_stream(io.BytesIO("a\u2028b\x0bc\n\nd\n".encode()), output, same)
    assert output.getvalue() == "a\u2028b\x0bc\n\nd\n"
    told = translate_stream(io.BytesIO("a\u2028b\nThe 17th\n".encode()), output, faulty)
    assert [one.line for one in told.failed] == [2]


def test_streams_that_break():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        translate_stream(io.BytesIO(b"a\n"), Closed(), brackets)
    latin = io.BytesIO(b"a\nb\ncaf\xe9\n")
    assert "Byte 0xE9 in line 3" in message_of(translate_stream, latin, io.StringIO(), brackets)
    cut = Arriving(b"a\nb\n", b"c\n\xe0\xa4")
    assert "Byte 0xE0 in line 4" in message_of(translate_stream, cut, io.StringIO(), brackets)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "docs"
    (root / "deep" / "er").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "x.md").write_text("kept out")
    (root / "a.md").write_text("# A\n")
    (root / "b.png").write_bytes(b"\x89PNG\0")
    (root / "deep" / "bad.txt").write_bytes(b"\xff")
    (root / "deep" / "er" / "c.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHi\n")
    return root


def test_a_folder_is_mirrored(tmp_path, folder):
    target, seen = tmp_path / "docs.hi", []
    report = translate_folder(folder, target, brackets, None, lambda done, speed: seen.append(done))
    assert (target / "a.md").read_text() == "# [A]\n"
    assert (target / "b.png").read_bytes() == b"\x89PNG\0"
    assert (target / "deep" / "er" / "c.srt").read_text().endswith("[Hi]\n")
    assert not (target / ".git").exists()
    assert [str(one.source.relative_to(folder)) for one in report.translated] == ["a.md", "deep/er/c.srt"]
    assert list(map(str, report.copied)) == ["b.png"]
    assert list(map(str, report.skipped)) == [".git"]
    assert [str(path) for path, _ in report.failed] == ["deep/bad.txt"]
    assert "byte 0xFF is not UTF-8" in report.failed[0][1]
    assert seen[-1] == 4 + 5 + 1 + (folder / "deep" / "er" / "c.srt").stat().st_size


def test_a_folder_is_taken_up_again(tmp_path, folder):
    target = tmp_path / "docs.hi"
    with pytest.raises(KeyboardInterrupt):
        translate_folder(folder, target, Stopping(1))
    report = translate_folder(folder, target, brackets)
    assert list(map(str, report.kept)) == ["a.md", "b.png"]
    assert [one.source.name for one in report.translated] == ["c.srt"]
    os.utime(folder / "a.md", (2**31, 2**31))
    again = translate_folder(folder, target, brackets)
    assert list(map(str, again.outdated)) == ["a.md"]
    assert translate_folder(folder, target, same, overwrite=True).translated[0].source.name == "a.md"
    assert (target / "a.md").read_text() == "# A\n"


def test_folders_that_cannot_be(tmp_path, folder):
    assert "must not lie inside each other" in message_of(translate_folder, folder, folder / "hi", same)
    assert "must not lie inside each other" in message_of(translate_folder, folder / "deep", folder, same)
    assert "is not a folder" in message_of(translate_folder, folder / "a.md", tmp_path / "x", same)
    assert "is a file" in message_of(translate_folder, folder / "deep", folder / "a.md", same)
    options = DocumentOptions(format="txt")
    assert "--format is for a single file" in message_of(translate_folder, folder, tmp_path / "x", same, options)
