"""Corpora in every format and compression; each fault is told by file and line."""

import gzip
import lzma

import pytest

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_lines, read_parallel, read_rows, read_text
from dhyan.data.open_text import zstd

COMPRESSIONS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
PAIR = ("source", "target")


@pytest.fixture(params=COMPRESSIONS)
def suffix(request):
    return request.param


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(COMPRESSIONS.get(path.suffix, COMPRESSIONS[""])(data))
        return path

    return write_file


def columns(rows):
    return [row.columns for row in rows]


def test_tsv(write, suffix):
    path = write(f"pairs.tsv{suffix}", "one\tएक\tsomewhere\ntwo\tदो\n")
    assert list(read_rows([path], PAIR)) == [Row(("one", "एक"), path, 1), Row(("two", "दो"), path, 2)]


def test_jsonl(write, suffix):
    path = write(
        f"pairs.jsonl{suffix}", '{"target": "एक", "source": "one"}\n\n{"source": "2", "target": "\\u0926"}\n'
    )
    assert list(read_rows([path], PAIR)) == [Row(("one", "एक"), path, 1), Row(("2", "द"), path, 3)]


def test_parallel(write, suffix):
    paths = [write(f"a.en{suffix}", "one\ntwo\n"), write(f"a.hi{suffix}", "एक\nदो")]
    assert list(read_parallel(paths)) == [Row(("one", "एक"), paths[0], 1), Row(("two", "दो"), paths[0], 2)]


def test_lines_and_text(write, suffix):
    path = write(f"book.txt{suffix}", "one\n\nthree")
    assert list(read_lines([path])) == [Row(("one",), path, 1), Row(("",), path, 2), Row(("three",), path, 3)]
    assert list(read_text([path])) == ["one\n\nthree"]


def test_lines_of_other_formats(write):
    files = [write("a.tsv", "one\tक\n"), write("b.jsonl", '{"text": "two"}\n'), write("c", "three\tfour\n")]
    assert columns(read_lines(files)) == [("one",), ("two",), ("three\tfour",)]


def test_only_line_breaks_end_a_line(write):
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh"
    assert columns(read_lines([write("a.txt", f"{odd}\nnext")])) == [(odd,), ("next",)]


def test_windows_files(write):
    bom = b"\xef\xbb\xbf"
    assert columns(read_rows([write("a.TSV", bom + b"one\ttwo\r\n\r\n\xef\xbb\xbfx\ty\r\n")], PAIR)) == [
        ("one", "two"),
        ("\ufeffx", "y"),
    ]
    assert columns(read_lines([write("a.txt", bom + b"one\r\n")])) == [("one",)]
    assert list(read_text([write("b.txt", bom + b"one\r\ntwo\r")])) == ["one\r\ntwo\r"]


def test_columns_by_number(write):
    path = write("a.tsv", "id\tone\tone more\tएक\n")
    assert columns(read_rows([path], PAIR, {"source": "2", "target": "4"})) == [("one", "एक")]
    assert columns(read_rows([path], PAIR, {"source": "3"})) == [("one more", "one")]


def test_columns_by_key(write):
    path = write("a.jsonl", '{"en": "one", "label": 3}\n{"en": "two", "label": true}\n{"en": "x", "label": 0.5}\n')
    assert columns(read_rows([path], ("label", "text"), {"text": "en"})) == [
        ("3", "one"),
        ("true", "two"),
        ("0.5", "x"),
    ]


def test_a_column_that_may_lack(write):
    names = (*PAIR, "score?")
    table = write("pairs.tsv", "one\tएक\ntwo\tदो\t-0.5\tmore\n")
    assert columns(read_rows([table], names)) == [("one", "एक", ""), ("two", "दो", "-0.5")]
    objects = write(
        "a.jsonl", '{"source": "one", "target": "एक"}\n{"source": "two", "target": "दो", "score": -0.5}\n'
    )
    assert columns(read_rows([objects], names)) == [("one", "एक", ""), ("two", "दो", "-0.5")]
    with pytest.raises(DhyanError, match=r"line 1: 1 column where 2 are needed \(source, target\)"):
        list(read_rows([write("short.tsv", "one\n")], names))
    with pytest.raises(DhyanError, match="no key 'target'"):
        list(read_rows([write("short.jsonl", '{"source": "one"}\n')], names))


def test_lists(write):
    tsv = write("a.tsv", "a\tb\tc\nd\te\t\t\nf\t\n")
    assert columns(read_rows([tsv], ("text*",))) == [("a", "b", "c"), ("d", "e"), ("f", "")]
    jsonl = write("a.jsonl", '{"text": ["a", "b", "c"]}\n')
    assert columns(read_rows([jsonl], ("text*",))) == [("a", "b", "c")]
    keyed = write("b.jsonl", '{"same": ["a", "b"]}\n')
    assert columns(read_rows([keyed], ("text*",), {"text": "same"})) == [("a", "b")]


@pytest.mark.parametrize(
    ("name", "content", "names", "told"),
    [
        ("a.tsv", "a\tb\n\nc\n", PAIR, r"a\.tsv, line 3: 1 column where 2 are needed \(source, target\)"),
        ("a.tsv", "a\n", ("text*",), r"a\.tsv, line 1: 1 column where at least 2 are needed \(text\)"),
        ("a.tsv", b"a\tb\nc\t\xff\n", PAIR, r"a\.tsv, line 2: byte 0xFF is not UTF-8"),
        ("a.tsv", "", PAIR, r"a\.tsv is empty"),
        ("a.tsv", "\n\n", PAIR, r"a\.tsv is empty"),
        ("a.txt", "a\tb\n", PAIR, r"a\.txt: source, target can be read only from \.tsv, \.csv, \.xlsx and \.jsonl"),
        ("a.jsonl", '{"source": "a", "target": "b"}\n{"source"\n', PAIR, r"a\.jsonl, line 2 is not valid JSON"),
        ("a.jsonl", "[1]\n", PAIR, r"a\.jsonl, line 1 is not a JSON object"),
        ("a.jsonl", "[" * 100_000, PAIR, r"a\.jsonl, line 1 is not valid JSON"),
        ("a.jsonl", '{"sorce": "a", "target": "b"}\n', PAIR, r"no key 'source' \(did you mean 'sorce'\?\)"),
        ("a.jsonl", '{"source": null, "target": "b"}\n', PAIR, r"line 1: 'source' must be a text, and it is null"),
        ("a.jsonl", '{"source": "\\ud800", "target": "b"}\n', PAIR, r"line 1: 'source' holds half of a character"),
        ("a.jsonl", '{"text": "a"}\n', ("text*",), r"line 1: 'text' must be a list of at least 2"),
        ("a.jsonl", '{"text": ["a"]}\n', ("text*",), r"line 1: 'text' must be a list of at least 2"),
        ("a.jsonl", "", PAIR, r"a\.jsonl is empty"),
    ],
)
def test_a_bad_row_is_told(write, name, content, names, told):
    with pytest.raises(DhyanError, match=told):
        list(read_rows([write(name, content)], names))


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"target": "3"}, r"line 1: 2 columns where column 3 is needed \(target\)"),
        ({"target": "0"}, r"target is to be read from column '0'.*the first being 1"),
        ({"target": "hi"}, r"target is to be read from column 'hi'"),
        ({"traget": "1"}, r"no column 'traget' here \(did you mean 'target'\?\)"),
    ],
)
def test_a_bad_choice_of_columns_is_told(write, chosen, told):
    with pytest.raises(DhyanError, match=told):
        list(read_rows([write("a.tsv", "a\tb\n")], PAIR, chosen))


def test_one_column_alone_has_no_texts_that_mean_the_same(write):
    with pytest.raises(DhyanError, match=r"two columns or more: .* such as text=1\+2"):
        list(read_rows([write("a.tsv", "a\tb\n")], ("text*",), {"text": "1"}))


def test_parallel_files_of_unequal_length_are_told_with_both_counts(write):
    files = [write("a.en", "1\n2\n3\n4\n"), write("a.hi", "१\n२\n")]
    with pytest.raises(DhyanError, match=r"a\.en has 4 lines and .*a\.hi has 2 lines"):
        list(read_parallel(files))


def read_with(reader, path):
    return list(reader([path], ("text",)) if reader is read_rows else reader([path]))


@pytest.mark.parametrize("reader", [read_rows, read_parallel, read_lines, read_text])
def test_a_bad_file_is_told(write, tmp_path, reader):
    with pytest.raises(DhyanError, match=r"missing\.tsv: there is no such file"):
        read_with(reader, tmp_path / "missing.tsv")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(DhyanError, match=r"folder\.tsv is a folder"):
        read_with(reader, tmp_path / "folder.tsv")
    with pytest.raises(DhyanError, match=r"empty\.tsv is empty"):
        read_with(reader, write("empty.tsv", ""))
    with pytest.raises(DhyanError, match=r"latin\.tsv, line 2: byte 0xE9 is not UTF-8"):
        read_with(reader, write("latin.tsv", b"cafe\ncaf\xe9\n"))


@pytest.mark.parametrize("reader", [read_rows, read_parallel, read_lines, read_text])
@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_broken_compressed_file_is_told(tmp_path, reader, suffix):
    path = tmp_path / f"a.tsv{suffix}"
    whole = COMPRESSIONS[suffix]("".join(f"{number * number}\n" for number in range(50_000)).encode())
    for broken in (whole[:-12], whole[: len(whole) // 2], b"this is not compressed at all\n"):
        path.write_bytes(broken)
        with pytest.raises(DhyanError, match=rf"a\.tsv\{suffix} is not a whole \{suffix} file"):
            read_with(reader, path)


def test_compressed_files_of_several_parts(write, tmp_path, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](b"one\ntw") + COMPRESSIONS[suffix](b"o\nthree\n"))
    assert columns(read_lines([path])) == [("one",), ("two",), ("three",)]


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 8, 64, 1000])
@pytest.mark.parametrize("text", ["एक दो\r\n\r\nतीन चार\n" * 5, "one two three " * 9, "नदी" * 40, "\n\n\n", " x"])
def test_chunks_make_the_text(write, text, chunk):
    chunks = list(read_text([write("a.txt", text)], chunk))
    assert "".join(chunks) == text
    assert max(map(len, chunks)) <= 4 * chunk + max(map(len, text.split("\n")))


def test_chunks_end_with_a_line_or_before_a_word(write):
    assert list(read_text([write("a.txt", "one two\nthree four\nfive")], 12)) == ["one two\n", "three four\n", "five"]
    assert list(read_text([write("b.txt", "one two three")], 6)) == ["one", " two", " three"]


def test_a_bad_byte_deep_in_a_text_is_told_with_its_line(write):
    path = write("a.txt", "नदी\n".encode() * 1000 + b"caf\xe9\n" + b"x\n" * 10)
    with pytest.raises(DhyanError, match=r"a\.txt, line 1001: byte 0xE9"):
        list(read_text([path], 100))


def test_files_follow_each_other(write):
    files = [write("a.tsv", "1\ta\n"), write("b.jsonl", '{"source": "2", "target": "b"}')]
    assert [(row.columns, row.file.name, row.line) for row in read_rows(files, PAIR)] == [
        (("1", "a"), "a.tsv", 1),
        (("2", "b"), "b.jsonl", 1),
    ]
    with pytest.raises(DhyanError, match=r"c\.tsv is empty"):
        list(read_rows([*files, write("c.tsv", "")], PAIR))
