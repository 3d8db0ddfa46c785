"""Plots are the numbers: as SVG that reads without colour, and in the terminal."""

import math
from xml.etree import ElementTree

import pytest

from dhyan.lab.framework import seed_stats
from dhyan.lab.framework.plot_svg import plot_svg
from dhyan.lab.framework.plots import Bar, Bars, HeatMap, Lines, Series
from dhyan.lab.framework.scales import scale_of, short
from dhyan.lab.framework.terminal import plotted

NAMES = ("none", "counting", "one-sine", "sinusoidal", "learned", "rotary", "more", "still more")


def lines(count=2, **options):
    series = [Series(label=NAMES[i], x=[1, 2, 4], y=[1.0 + i, 2.0 + i, 3.0 + i]) for i in range(count)]
    return Lines(name="l", title="A & B", x_label="x", y_label="y", series=series, **options)


def shapes(drawn, tag):
    return [shape for shape in ElementTree.fromstring(drawn).iter() if shape.tag.endswith(f"}}{tag}")]


def test_every_series_of_a_line_plot_has_a_look_of_its_own_without_colour():
    drawn = plot_svg(lines(count=len(NAMES)))
    assert {name for name in NAMES if name in drawn} == set(NAMES)
    from dhyan.lab.framework.plot_svg import STYLES

    assert len({(dash, marker) for _, dash, marker in STYLES}) == len(STYLES)


def test_a_higher_number_stands_higher_and_spread_is_drawn():
    series = seed_stats.series("seeds", [1, 2], [[1.0, 5.0], [3.0, 9.0]])
    assert series.y == [2.0, 7.0]
    assert (series.low, series.high) == ([1.0, 5.0], [3.0, 9.0])
    drawn = plot_svg(Lines(name="l", title="t", x_label="x", y_label="y", series=[series]))
    low, high = [float(circle.get("cy")) for circle in shapes(drawn, "circle")][-2:]
    assert high < low
    assert len(shapes(drawn, "polygon")) == 1


def test_a_number_that_was_not_measured_breaks_the_line():
    series = Series(label="s", x=[1, 2, 3, 4], y=[1.0, None, 2.0, 3.0])
    path = shapes(plot_svg(Lines(name="l", title="t", x_label="", y_label="", series=[series])), "path")[-1].get("d")
    assert path.count("M") == 2


def test_a_narrow_plot_keeps_its_letters_and_leaves_out_labels_that_would_touch():
    series = Series(label="s", x=[1000.0 * step for step in range(1, 9)], y=[1.0] * 8)
    plot = Lines(name="l", title="the title", x_label="x", y_label="y", series=[series])
    labels = [short(x) for x in series.x]
    broad, narrow = plot_svg(plot), plot_svg(plot, 300, titled=False)
    assert ElementTree.fromstring(narrow).get("width") == "300"
    texts = [[shape.text for shape in shapes(drawn, "text")] for drawn in (broad, narrow)]
    assert set(labels) <= set(texts[0])
    assert 2 < len(set(labels) & set(texts[1])) < len(labels)
    assert "the title" in texts[0]
    assert "the title" not in texts[1]
    sizes = [{shape.get("font-size") for shape in shapes(drawn, "text")} for drawn in (broad, narrow)]
    assert sizes[1] == sizes[0] - {"14"}


def test_bars_show_values_and_spread():
    plot = Bars(
        name="b",
        title="t",
        y_label="y",
        groups=["a", "b"],
        series=["s"],
        bars=[[seed_stats.bar([1, 3])], [Bar(value=1)]],
    )
    drawn = plot_svg(plot)
    boxes = [float(box.get("height")) for box in shapes(drawn, "rect") if box.get("class") == "of-ink"]
    assert boxes[0] == pytest.approx(2 * boxes[1])
    assert "2 (1 … 3)" in plotted(plot)


def test_heat_maps_read_without_colour():
    small = HeatMap(name="h", title="t", rows=["a", "b"], columns=["c", "d"], values=[[1, 0.5], [0, -1]])
    assert "−1.00" in plot_svg(small)
    large = HeatMap(name="h", title="t", values=[[math.sin(i * j) for j in range(30)] for i in range(30)])
    drawn = plot_svg(large)
    assert 'class="negative"' not in drawn
    assert "blank −1" in drawn


def test_the_terminal_shows_every_series_and_both_ends():
    text = plotted(lines())
    for shown in ("A & B", "● none", "■ counting", "1", "4"):
        assert shown in text
    assert "█" in plotted(HeatMap(name="h", title="t", values=[[0, 1], [1, 0]]))


@pytest.mark.parametrize(
    ("values", "log", "ticks"),
    [
        ([0, 10], False, [0, 2, 4, 6, 8, 10]),
        ([0.02, 300], True, [0.01, 0.1, 1, 10, 100, 1000]),
        ([5, 5], False, None),
    ],
)
def test_ticks_are_round_and_hold_all_values(values, log, ticks):
    scale = scale_of(values, 0, 100, log)
    assert scale.low <= min(values)
    assert scale.high >= max(values)
    if ticks:
        assert scale.ticks == pytest.approx(ticks)


def test_few_values_are_their_own_ticks():
    assert scale_of([4, 16, 64], 0, 1, log=True, at_data=True).ticks == [4, 16, 64]
    assert scale_of([1, 1.01, 9], 0, 1, at_data=True).ticks == [1, 9]  # labels would touch


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (1e-5, "10⁻⁵"), (2.5e7, "2.5·10⁷"), (-0.25, "−0.25"), (1234, "1,234")]
)
def test_short_numbers(number, text):
    assert short(number) == text


def test_shown_tells_the_spread_where_there_is_one():
    assert seed_stats.mean_and_range([1.0, 2.0], 1) == "1.5 (1.0–2.0)"
    assert seed_stats.mean_and_range([1.0, 1.0], 1) == "1.0"
    assert seed_stats.mean_and_range([1034.2, 1001.1], 2) == "1,018 (1,001–1,034)"
