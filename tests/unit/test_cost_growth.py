"""The cost curves: a point is really measured, the plots in the documentation are those of its numbers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COST = ROOT / "docs" / "measured" / "cost"
sys.path.insert(0, str(ROOT / "benchmarks"))
import cost_growth  # noqa: E402
from dhyan.lab.framework.plot_svg import plot_svg  # noqa: E402

pytestmark = pytest.mark.slow


def test_growth_is_the_power():
    assert cost_growth.growth([1, 10, 20], [5, 3, 12]) == pytest.approx(2)
    assert cost_growth.growth([10, 1000], [4, 4]) == 0


def test_a_point_is_measured():
    point = {"what": "train", "length": 4, "units": 64, "size": [16, 2, 1, 1], "seconds": 0.1}
    command = [sys.executable, ROOT / "benchmarks" / "cost_points.py", json.dumps(point)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout.splitlines()[-1])
    assert set(found) == {"seconds", "tokens_per_second", "memory_mib", "parameters"}
    assert all(value > 0 for value in found.values())
    assert found["seconds"] * found["tokens_per_second"] == pytest.approx(64, rel=1e-3)


def test_the_plots_of_the_documentation_are_those_of_its_numbers():
    result = json.loads((COST / "cost.json").read_text())
    plots = cost_growth.plots(result)
    assert {plot.name for plot in plots} == {path.stem for path in COST.glob("*.svg")}
    for plot in plots:
        assert (COST / f"{plot.name}.svg").read_text(encoding="utf-8") == plot_svg(plot)


def test_the_page_shows_every_plot_and_its_links_lead_somewhere():
    text = (ROOT / "docs" / "measured" / "cost.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"\]\(([^)#]+)\)", text))
    assert {f"cost/{path.name}" for path in COST.glob("*.svg")} <= targets
    for target in targets:
        assert (ROOT / "docs" / "measured" / target).exists(), target
