"""The frame: knobs, keeping and resuming, the registry, and what is written for others."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.lab.framework import registry, results
from dhyan.lab.framework.experiment import Experiment, Knobs, Result

ABOUT = registry.About("counted", "counts", "Counting works.", 1, 1)
GUIDE = Path(__file__).parents[3] / "docs" / "measured" / "lab" / "README.md"


class CountKnobs(Knobs):
    add: int = 1


class Counted(Experiment[CountKnobs]):
    """Remembers what it was asked to measure."""

    knobs = CountKnobs
    seeds = (0, 1)

    def __init__(self, fails_at=None):
        self.asked, self.fails_at, self.ground = [], fails_at, "sand"

    def cases(self, knobs):
        return ["one", "two"]

    def measure(self, knobs, case, seed, report):
        if (case, seed) == self.fails_at:
            raise KeyboardInterrupt
        self.asked.append((case, seed))
        return {"number": {"one": 1, "two": 2}[case] + seed + knobs.add}

    def conclude(self, knobs, measured):
        total = sum(numbers["number"] for seeds in measured.values() for numbers in seeds)
        return Result(verdict="held", because=f"the sum is {total}.")

    def rests_on(self, knobs):
        return self.ground


def test_every_case_and_seed_is_measured_once(tmp_path):
    counted = Counted()
    first = results.run(ABOUT, counted, CountKnobs(), root=tmp_path)
    assert counted.asked == [("one", 0), ("one", 1), ("two", 0), ("two", 1)]
    assert first.because == "the sum is 12."
    assert first.measured == {"one": [{"number": 2}, {"number": 3}], "two": [{"number": 3}, {"number": 4}]}
    again = results.run(ABOUT, counted, CountKnobs(), root=tmp_path)
    assert len(counted.asked) == 4
    assert again == first


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        results.run(ABOUT, Counted(fails_at=("two", 0)), CountKnobs(), root=tmp_path)
    counted = Counted()
    assert results.run(ABOUT, counted, CountKnobs(), root=tmp_path).because == "the sum is 12."
    assert counted.asked == [("two", 0), ("two", 1)]


def test_other_knobs_other_seeds_and_other_ground_are_measured_anew(tmp_path):
    counted = Counted()
    one = results.run(ABOUT, counted, CountKnobs(), root=tmp_path)
    other = results.run(ABOUT, counted, CountKnobs(add=2), root=tmp_path)
    assert one.folder != other.folder
    assert len(counted.asked) == 8
    results.run(ABOUT, counted, CountKnobs(), seeds=[1, 5, 1], root=tmp_path)
    assert counted.asked[8:] == [("one", 5), ("two", 5)]
    counted.ground = "rock"
    results.run(ABOUT, counted, CountKnobs(), root=tmp_path)
    assert len(counted.asked) == 14


def test_fresh_measures_anew_and_a_damaged_file_is_measured_again(tmp_path):
    counted = Counted()
    kept = results.run(ABOUT, counted, CountKnobs(), root=tmp_path)
    results.run(ABOUT, counted, CountKnobs(), root=tmp_path, fresh=True)
    assert len(counted.asked) == 8
    (Path(kept.folder) / "measured" / "two.seed-1.json").write_text('{"numbers": {"num')
    assert results.run(ABOUT, counted, CountKnobs(), root=tmp_path).because == "the sum is 12."
    assert counted.asked[8:] == [("two", 1)]


def test_the_result_lies_in_a_file(tmp_path):
    kept = results.run(ABOUT, Counted(), CountKnobs(), root=tmp_path)
    written = json.loads((Path(kept.folder) / "result.json").read_text(encoding="utf-8"))
    assert results.Kept.model_validate(written) == kept
    assert written["claim"] == ABOUT.claim
    assert written["knobs"] == {"add": 1}
    assert written["machines"]


def test_results_lie_beside_the_users_packs(monkeypatch, tmp_path):
    monkeypatch.setenv("DHYAN_HOME", str(tmp_path))
    kept = results.run(ABOUT, Counted(), CountKnobs(), seeds=[0])
    assert Path(kept.folder).parent == tmp_path / "lab" / "counted"


def test_quick_turns_knobs_down_and_the_user_has_the_last_word():
    found = registry.experiment("leak")
    full, quick = (results.knobs_of(found, quick, {}, "leak") for quick in (False, True))
    assert quick.steps < full.steps
    assert results.knobs_of(found, True, {"steps": "77"}, "leak").steps == 77
    with pytest.raises(DhyanError, match=r"'step' is not a setting .did you mean 'steps'"):
        results.knobs_of(found, True, {"step": 1}, "leak")


def test_there_are_eleven_experiments_and_each_has_what_the_list_says():
    assert len({one.name for one in registry.EXPERIMENTS}) == 11
    for one in registry.EXPERIMENTS:
        assert one.claim.endswith(".")
        assert len(one.line) < 110


def test_an_unknown_name_says_what_was_probably_meant():
    with pytest.raises(DhyanError, match=r"no experiment 'sqrt-d' .did you mean 'sqrt-dk'"):
        registry.about("sqrt-d")


@pytest.mark.parametrize("module", ["registry", "results", "live", "plot_svg", "terminal", "background"])
def test_the_list_and_what_is_live_need_no_torch(module):
    code = f"import sys, dhyan.lab.framework.{module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_guides_example_runs(tmp_path):
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    (tmp_path / "coins_of_the_guide.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        import coins_of_the_guide as coins
    finally:
        sys.path.remove(str(tmp_path))
    knobs = results.knobs_of(coins.EXPERIMENT, True, {}, "coins")
    kept = results.run(ABOUT, coins.EXPERIMENT, knobs, root=tmp_path, report=Progress())
    assert kept.verdict == "held"
    assert (Path(kept.folder) / "variance.svg").exists()
