"""`dhyan lab` as a person uses it: the list, a run, a second run that only reads, knobs, and mistakes."""

import json
from xml.etree import ElementTree

import pytest

from dhyan.cli import main
from dhyan.core.errors import DhyanError
from dhyan.lab.framework.registry import about
from support.commands import dhyan

SMALL = ("--set", "lengths=8,16", "--set", "size=16", "--set", "repeats=1", "--seed", "0", "--seed", "1")


def test_the_list_names_every_experiment_with_its_time(tmp_path):
    said = dhyan("lab", folder=tmp_path).stdout
    listed = json.loads(dhyan("lab", "--json", folder=tmp_path).stdout)
    assert len(listed) == 11
    for one in listed:
        assert one["name"] in said
        assert f"{one['quick_seconds']} s" in said
    assert [one["name"] for one in listed if one["live"]] == ["sqrt-dk", "positions", "norms", "autoregressive"]


def test_a_run_shows_tables_plots_and_a_verdict_and_keeps_them(tmp_path):
    first = dhyan("lab", "autoregressive", *SMALL, "--out", "kept", folder=tmp_path)
    for shown in ("The notes:", "Time by length", "without a cache", "┤", "The claim held:", "Seeds 0, 1"):
        assert shown in first.stdout
    results = list((tmp_path / "kept" / "autoregressive").glob("*/result.json"))
    assert len(results) == 1
    for picture in ("seconds.svg", "work.svg"):
        ElementTree.parse(results[0].parent / picture)
    measured = results[0].parent / "measured" / "all.seed-1.json"
    before = measured.read_bytes()
    again = dhyan("lab", "autoregressive", *SMALL, "--out", "kept", folder=tmp_path)
    assert again.stdout == first.stdout  # times too: they were read, not measured
    assert measured.read_bytes() == before
    dhyan("lab", "autoregressive", *SMALL, "--out", "kept", "--fresh", folder=tmp_path)
    assert measured.read_bytes() != before


def test_json_is_all_of_it(tmp_path):
    said = json.loads(dhyan("lab", "autoregressive", *SMALL, "--out", "kept", "--json", folder=tmp_path).stdout)
    assert said["verdict"] == "held"
    assert said["seeds"] == [0, 1]
    assert said["knobs"]["lengths"] == [8, 16]
    assert len(said["measured"]["all"]) == 2
    assert said == json.loads((tmp_path / said["folder"] / "result.json").read_text(encoding="utf-8"))


def said_by(capsys, *arguments, expect=0):
    """The same command inside this process, which has PyTorch loaded already."""
    with pytest.raises(SystemExit) as left:
        main(["lab", *arguments])
    said = capsys.readouterr()
    assert left.value.code == expect, said.err
    return said.out if expect == 0 else said.err


def test_knobs_are_listed_with_their_help(capsys):
    said = " ".join(said_by(capsys, "leak", "--knobs").split())
    assert "unknowable" in said
    assert "random digits behind them" in said
    full, quick = (json.loads(said_by(capsys, "leak", "--knobs", "--json", *more)) for more in ((), ("--quick",)))
    assert quick["steps"] < full["steps"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("leek",), "no experiment 'leek' (did you mean 'leak'?)"),
        (("leak", "--set", "stepps=3"), "'stepps' is not a setting (did you mean 'steps'?)"),
        (("leak", "--set", "steps=many"), "steps = 'many'"),
        (("leak", "--set", "steps"), "write it as KNOB=VALUE"),
        (("sqrt-dk", "--set", "sizes=4,x"), "sizes.1 = 'x'"),
        (("all", "--set", "steps=3"), "knobs belong to one experiment"),
        (("--quick",), "name an experiment"),
        (("leak", "--out", "taken"), "--out taken is a file"),
    ],
)
def test_mistakes_are_one_line(arguments, expected, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    said = said_by(capsys, *arguments, expect=2)
    assert expected in said
    assert len(said.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert (tmp_path / "taken").read_text() == "mine"


def test_all_runs_one_after_another_and_one_that_fails_does_not_stop_the_others(capsys, tmp_path, monkeypatch):
    two = tuple(about(name) for name in ("leak", "autoregressive"))
    monkeypatch.setattr("dhyan.lab.framework.registry.EXPERIMENTS", two)

    def no_data(*arguments):
        raise DhyanError("there is no data; get some.")

    monkeypatch.setattr("dhyan.lab.experiments.leak.Leak.measure", no_data)
    with pytest.raises(SystemExit) as left:
        main(["lab", "all", "--quick", "--seed", "0", "--out", str(tmp_path)])
    said = capsys.readouterr()
    assert left.value.code == 2
    assert "1 of 2 experiments could not be run: leak." in said.err
    shown = " ".join(said.out.split())
    assert "was not run" in shown
    assert "autoregressive held word by word" in shown
    assert (tmp_path / "autoregressive").is_dir()
