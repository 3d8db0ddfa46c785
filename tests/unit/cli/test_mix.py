"""`dhyan mix` as it is called."""

import gzip
import lzma

import pytest

from dhyan.cli.app import main
from dhyan.data.open_text import zstd

MIX = '[normalise]\nfull_stop = "।"\n[group.talk]\nsources = ["talk"]\nrepeat = 2\n[group.ms]\nsources = ["ms-*"]\n'
PAIRS = "Come home now.\tअब घर आओ.\ttalk\nSave file\tफ़ाइल सहेजें\tms-a\nOK\tOK\tms-b\nStray\tभटका\tother\n"
LINES = ["Come home now.\tअब घर आओ।\ttalk", "Come home now.\tअब घर आओ।\ttalk", "Save file\tफ़ाइल सहेजें\tms-a"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "mix.toml").write_text(MIX, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "two.tsv").write_text("Come home.\tघर आओ।\n", encoding="utf-8")
    return tmp_path


def run(command, capsys):
    with pytest.raises(SystemExit) as left:
        main(command.split())
    return left.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "unpacked"),
    [
        ("out.tsv", bytes),
        ("out.tsv.gz", gzip.decompress),
        ("out.tsv.xz", lzma.decompress),
        ("out.tsv.zst", zstd.decompress),
    ],
)
def test_the_file_is_written_and_the_groups_are_told(folder, capsys, name, unpacked):
    code, told = run(f"mix mix.toml --train pairs.tsv --out {name}", capsys)
    assert code == 0
    assert sorted(unpacked((folder / name).read_bytes()).decode().splitlines()) == LINES
    rows = [line.split() for line in told.splitlines()]
    assert ["talk", "1", "1", "2", "0"] in rows
    assert ["ms", "2", "1", "1", "0", "identical", "sides", "1"] in rows
    assert "In no group, so left out: other 1." in told
    assert f"3 rows with 8 source words are in {name}." in told
    assert run(f"mix mix.toml --train pairs.tsv --out again-{name}", capsys)[0] == 0
    assert (folder / name).read_bytes() == (folder / f"again-{name}").read_bytes()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mix none.toml --train pairs.tsv --out out.tsv", "there is no such file"),
        ("mix mix.toml --train none.tsv --out out.tsv", "there is no such file"),
        ("mix mix.toml --train two.tsv --out out.tsv", "2 columns where 3 are needed"),
        ("mix mix.toml --train pairs.tsv --out out.txt", "has to end in .tsv"),
        ("mix mix.toml --train pairs.tsv --out none/out.tsv", "a folder that is there"),
        ("mix mix.toml --train pairs.tsv --out pairs.tsv", "one of the files to be read"),
        ("mix mix.toml --out out.tsv", "--train"),
    ],
)
def test_mistakes_are_told_in_a_line_and_nothing_is_written(folder, capsys, command, words):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, told = run(command, capsys)
    assert (code, told.count("\n")) == (2, 1)
    assert words in told
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_ctrl_c_is_told_and_leaves_nothing(folder, capsys, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dhyan.cli.mix.mix_pairs", stopped)
    code, told = run("mix mix.toml --train pairs.tsv --out out.tsv", capsys)
    assert (code, told.splitlines()[-1]) == (130, "dhyan: stopped.")
    assert not (folder / "out.tsv").exists()
